#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "deep/data/idx.hpp"
#include "deep/data/number_files.hpp"
#include "deep/data/png.hpp"
#include "deep/data/rows.hpp"
#include "deep/vae/fit/account.hpp"
#include "deep/vae/fit/model.hpp"
#include "deep/vae/fit/pictures.hpp"
#include "deep/vae/fit/prepare.hpp"
#include "deep/vae/training.hpp"

namespace kullback::deep {
namespace {

namespace fs = std::filesystem;

fs::path write(const std::string& name, const std::string& bytes) {
  const fs::path path = fs::path(testing::TempDir()) / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string number(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

std::string head(int type, std::initializer_list<std::uint32_t> shape) {
  std::string bytes(2, '\0');
  bytes += static_cast<char>(type);
  bytes += static_cast<char>(shape.size());
  for (const std::uint32_t length : shape) bytes += number(length);
  return bytes;
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

std::string refusal(const std::string& bytes) {
  const fs::path path = write("hostile.idx", bytes);
  const std::string message = message_of([&] { read_idx(path); });
  return message.substr(std::min(message.size(), path.string().size() + 2));
}

TEST(Idx, ReadsImagesAndLabels) {
  const fs::path images = write(
      "images.idx", head(8, {2, 2, 3}) + std::string("\0\x01\x02\x03\x04\x05\xFF\xFE\xFD\xFC\xFB\xFA", 12));
  const fs::path labels = write("labels.idx", head(8, {2}) + std::string("\x07\x02", 2));
  EXPECT_TRUE(is_idx(images));
  const RawRows rows = read_rows({.paths = {images}, .labels = labels.string()});
  EXPECT_EQ(rows.x.sizes(), at::IntArrayRef({2, 6}));
  EXPECT_EQ(rows.image.height, 2);
  EXPECT_EQ(rows.image.width, 3);
  EXPECT_EQ(rows.x[1][0].item<int>(), 255);
  EXPECT_EQ(rows.label[0].item<int>(), 7);
  EXPECT_EQ(rows.label_names.size(), 8u);
}

TEST(Idx, ReadsGzippedFiles) {
  const std::string bytes = head(8, {3, 1, 2}) + "abcdef";
  const fs::path path = fs::path(testing::TempDir()) / "images.idx.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  EXPECT_TRUE(is_idx(path));
  EXPECT_EQ(read_idx(path).bytes[5], 'f');
}

TEST(Idx, RefusesWhatIsNone) {
  EXPECT_EQ(refusal("\x01\x02\x03\x04zzz"), "is no IDX file: it does not begin with two zero bytes.");
  EXPECT_EQ(refusal(std::string("\0\0", 2)), "ends in its header.");
  EXPECT_EQ(refusal(std::string("\0\0\x08\x03\0\0", 6)), "ends in its header.");
  EXPECT_EQ(refusal(head(0x0D, {1}) + "abcd"), "holds 32-bit floats; images and labels are unsigned bytes.");
  EXPECT_EQ(refusal(std::string("\0\0\x08\0", 4)), "has no dimensions.");
  EXPECT_EQ(refusal(head(8, {2, 0, 3})), "holds nothing: one of its lengths is 0.");
  EXPECT_EQ(refusal(head(8, {2, 2, 3}) + "abc"),
            "says that it is 2 x 2 x 3 (12 bytes), but 3 bytes follow its header.");
  EXPECT_EQ(refusal(head(8, {2, 1}) + "abc"),
            "says that it is 2 x 1 (2 bytes), but more than 2 bytes follow its header.");
  EXPECT_EQ(refusal(head(8, {0xFFFFFFFF, 0xFFFFFFFF, 2}) + "a"),
            "says that it is 4294967295 x 4294967295, which no file can be.");
  // Takes no memory for what is not there.
  EXPECT_EQ(refusal(head(8, {0xFFFFFFFF, 1000}) + "a"),
            "says that it is 4294967295 x 1000 (4294967295000 bytes), but 1 bytes follow its header.");
}

TEST(Rows, RefusesLabelsOfOtherImages) {
  const fs::path images = write("two.idx", head(8, {2, 1, 1}) + "ab");
  const fs::path labels = write("three.idx", head(8, {3}) + "abc");
  EXPECT_NE(message_of([&] {
              read_rows({.paths = {images}, .labels = labels.string()});
            }).find("3 labels for 2 images"),
            std::string::npos);
  EXPECT_NE(message_of([&] { read_rows({.paths = {labels}}); }).find("holds labels, not images"),
            std::string::npos);
  EXPECT_NE(
      message_of([&] { read_rows({.paths = {images}, .labels = images.string()}); }).find("labels have 1"),
      std::string::npos);
}

TEST(Rows, ReadsTablesWithAColumnOfLabels) {
  const fs::path table = write("rows.csv", "a,b,kind\n1,2,x\n3,4,y\n5,6,x\n");
  const RawRows rows = read_rows({.paths = {table}, .labels = "kind"});
  EXPECT_EQ(rows.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(rows.label_names, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(rows.label[1].item<int>(), 1);
  EXPECT_EQ(rows.x[2][1].item<double>(), 6);
}

TEST(Rows, TablesOfLevelsAreImagesWhereTheirSizeIsSaid) {
  const fs::path table = write("levels.csv", "a,b,c,d\n0,255,128,3\n1,1,1,1\n");
  const RawRows rows = read_rows({.paths = {table}, .image = "2x2"});
  EXPECT_EQ(rows.x.scalar_type(), torch::kUInt8);
  EXPECT_EQ(rows.image.height, 2);
  EXPECT_NE(message_of([&] {
              read_rows({.paths = {table}, .image = "2x3"});
            }).find("rows of 4 numbers, but images 2x3 have 6"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { image_named("28"); }),
            "--image is '28'; it must be HEIGHTxWIDTH or HEIGHTxWIDTHx3.");
  EXPECT_EQ(message_of([&] { image_named("2x2x2"); }),
            "--image is '2x2x2'; it must be HEIGHTxWIDTH or HEIGHTxWIDTHx3.");
}

TEST(Rows, BinarisedOnceIsTheSameForOneSeed) {
  const torch::Tensor x = torch::full({50, 40}, 77, torch::kUInt8);
  const torch::Tensor bits = binarised_once(x, 5);
  EXPECT_TRUE(bits.equal(binarised_once(x, 5)));
  EXPECT_FALSE(bits.equal(binarised_once(x, 6)));
  EXPECT_NEAR(bits.to(torch::kFloat64).mean().item<double>() / 255, 77.0 / 255, 0.05);
}

std::uint32_t big(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

// The content of all IDAT chunks, whose checksums zlib checks.
std::string png_content(const std::string& bytes) {
  std::string content;
  for (std::size_t at = 8; at < bytes.size();) {
    const std::uint32_t size = big(bytes, at);
    const std::string checked = bytes.substr(at + 4, size + 4);
    EXPECT_EQ(big(bytes, at + 8 + size),
              crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size())));
    if (checked.substr(0, 4) == "IDAT") content += checked.substr(4);
    at += size + 12;
  }
  return content;
}

// Levels of a PNG of these sizes, decoded by zlib. Filters: none, left, above.
std::vector<std::uint8_t> png_levels(const std::string& content, const Picture& like) {
  const auto line = static_cast<std::size_t>(like.width * like.channels);
  const auto channels = static_cast<std::size_t>(like.channels);
  std::vector<Bytef> rows(like.levels.size() + static_cast<std::size_t>(like.height) + 10);
  uLongf size = rows.size();
  EXPECT_EQ(uncompress(rows.data(), &size, reinterpret_cast<const Bytef*>(content.data()), content.size()),
            Z_OK);
  EXPECT_EQ(size, like.levels.size() + static_cast<std::size_t>(like.height));
  std::vector<std::uint8_t> levels(like.levels.size());
  for (std::size_t y = 0; y < static_cast<std::size_t>(like.height); ++y) {
    const Bytef filter = rows[y * (line + 1)];
    EXPECT_LE(filter, 2);
    for (std::size_t x = 0; x < line; ++x) {
      const std::size_t at = y * line + x;
      const int left = x >= channels ? levels[at - channels] : 0, above = y > 0 ? levels[at - line] : 0;
      levels[at] = static_cast<std::uint8_t>(rows[y * (line + 1) + 1 + x] + (filter == 1   ? left
                                                                             : filter == 2 ? above
                                                                                           : 0));
    }
  }
  return levels;
}

TEST(Png, IsReadByOthers) {
  Picture flat(300, 250, 1, 7), smooth(200, 120, 3, 0), noise(64, 64, 3, 0);
  flat.at(299, 249, 0) = 200;
  for (std::int64_t i = 0; i < 200 * 120; ++i)
    for (std::int64_t c = 0; c < 3; ++c)
      smooth.at(i % 200, i / 200, c) = static_cast<std::uint8_t>((i % 200) / (c + 1) + i / 200);
  std::uint32_t state = 1;
  for (std::uint8_t& level : noise.levels)
    level = static_cast<std::uint8_t>((state = state * 1664525U + 1013904223U) >> 24);
  for (const Picture* picture : {&flat, &smooth, &noise}) {
    const std::string bytes = png_bytes(*picture);
    EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
    EXPECT_EQ(big(bytes, 16), picture->width);
    EXPECT_EQ(big(bytes, 20), picture->height);
    EXPECT_EQ(png_levels(png_content(bytes), *picture), picture->levels);
  }
  EXPECT_LT(png_bytes(flat).size(), 700u);
  EXPECT_LT(png_bytes(smooth).size(), smooth.levels.size() / 60);
}

TEST(Pictures, GridAndMapHaveTheirPixels) {
  const VaeSpec spec{.pixels = 4, .height = 2, .width = 2};
  Picture grid = image_grid(torch::tensor({0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0}).view({2, 4}), spec, 8);
  EXPECT_EQ(grid.width, 2 * (2 + 2) + 2);
  EXPECT_EQ(grid.at(3, 2, 0), 255);
  EXPECT_EQ(grid.at(2, 2, 0), 0);
  at::manual_seed(1);
  const torch::Tensor points = torch::randn({50, 5}, torch::kFloat64);
  Picture map = latent_map(points, torch::arange(50, torch::kInt64));
  EXPECT_EQ(map.levels.size(), static_cast<std::size_t>(map.width * map.height * 3));
  const torch::Tensor plane = in_the_plane(points);
  EXPECT_GE(plane.select(1, 0).var().item<double>(), plane.select(1, 1).var().item<double>());
}

TEST(NumberFiles, ReadBackAsTheyWere) {
  const torch::Tensor numbers = torch::tensor({0.1, 2.0, -3e-7, 4.0}, torch::kFloat64).view({2, 2});
  for (const char* name : {"numbers.csv", "numbers.npy"}) {
    const fs::path file = fs::path(testing::TempDir()) / name;
    write_matrix(file, {"one", "two"}, numbers);
    EXPECT_TRUE(read_rows({.paths = {file}}).x.equal(numbers)) << name;
  }
  EXPECT_THROW(write_matrix("numbers.txt", {}, numbers), Error);
}

TEST(Collapse, IsSaidInWords) {
  at::manual_seed(1);
  torch::Tensor means = torch::zeros({100, 4}, torch::kFloat64);
  EXPECT_EQ(findings_of(activity_of(means)).front().code, "collapse");
  means.select(1, 2).copy_(torch::randn({100}, torch::kFloat64));
  const Activity one = activity_of(means);
  EXPECT_EQ(one.active, 1);
  EXPECT_EQ(findings_of(one).front().message, "Only 1 of 4 latent variables are used.");
  EXPECT_TRUE(findings_of(activity_of(torch::randn({100, 4}, torch::kFloat64))).empty());
}

TEST(VaeModel, ComesBackFromItsFiles) {
  const fs::path folder = fs::path(testing::TempDir()) / "vae_model";
  fs::create_directories(folder);
  VaeModel model;
  model.spec = {.pixels = 3, .latent = 2, .hidden = {4}};
  model.names = {"a", "b,\"c", "d"};
  model.center = {1, 2, 3};
  model.sd = {1, 0.5, 2};
  model.decoder = {"gaussian", read_options(find_decoder_likelihood("gaussian")->options,
                                            {{"noise", "output"}}, "gaussian")};
  model.seed = 12345678901234567ULL;
  BuiltVae built(model, torch::kCPU);
  built.start({torch::zeros({5, 3})});
  replace_file(folder / "model.json", to_json(model));
  built.save(folder / "weights.safetensors");
  BuiltVae again = open_vae(folder, torch::kCPU);
  EXPECT_EQ(to_json(again.model()), to_json(model));
  EXPECT_TRUE(again.flat().equal(built.flat()));

  model.spec.latent = 3;
  replace_file(folder / "model.json", to_json(model));
  EXPECT_NE(message_of([&] {
              open_vae(folder, torch::kCPU);
            }).find("is of another model: its 'encoder.2.weight' is 4 x 4, and 6 x 4 is needed"),
            std::string::npos);
  EXPECT_NE(message_of([&] { open_vae(folder / "nowhere", torch::kCPU); }).find("holds no autoencoder"),
            std::string::npos);
}

TEST(VaeModel, RefusesRowsThatItsDecoderCannotExplain) {
  VaeModel model;
  model.decoder.name = "bernoulli";
  const fs::path table = write("wide.csv", "a,b\n0,0.5\n1,3\n");
  const RowsRequest request{.paths = {table}};
  const RawRows rows = read_rows(request);
  EXPECT_NE(message_of([&] {
              fit_model_to_rows(model, rows, torch::arange(2), false, {}, request);
            }).find("column 'b' has numbers outside 0 to 1, which a bernoulli decoder cannot explain"),
            std::string::npos);
  model.decoder.name = "auto";
  fit_model_to_rows(model, rows, torch::arange(2), false, {}, request);
  EXPECT_EQ(model.decoder.name, "gaussian");
  EXPECT_EQ(model.center[1], 1.75);
}

}  // namespace
}  // namespace kullback::deep
