// Networks on images: convolutions under every posterior, and files of images as data.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"
#include "deep/bnn/fit/fit.hpp"
#include "deep/data/npy.hpp"
#include "tests/deep/train_posterior.hpp"
#include "tests/deep/variational_toy.hpp"

namespace kullback::deep {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSide = 6;

// Images of one bar, two pixels wide, across (0) or down (1), with noise.
struct Bars {
  Bars(std::int64_t rows, std::uint64_t seed) {
    torch::manual_seed(seed);
    y = torch::randint(2, {rows}, torch::kInt64);
    const torch::Tensor place = torch::randint(kSide - 1, {rows}, torch::kInt64);
    x = 0.3 * torch::randn({rows, kSide, kSide}, torch::kFloat64);
    for (std::int64_t row = 0; row < rows; ++row)
      x[row].narrow(y[row].item<std::int64_t>(), place[row].item<std::int64_t>(), 2).add_(2);
    x = x.flatten(1);
  }

  torch::Tensor x, y;
};

BayesNet bars_net(std::vector<std::int64_t> filters = {3}) {
  return BayesNet(
      [&](Layout& layout, std::int64_t outputs) {
        return conv_net(
            layout, "net",
            {.height = kSide, .width = kSide, .filters = filters, .hidden = {5}, .outputs = outputs});
      },
      std::make_unique<Classes>(2), gaussian_prior());
}

class ConvolutionsOf : public testing::TestWithParam<std::string> {};

TEST_P(ConvolutionsOf, TrainAndPredict) {
  const Bars bars(24, 1);
  const BayesNet net = bars_net();
  const PosteriorRecord* record = find_posterior(GetParam());
  const auto has = [&](const char* name) {
    return std::any_of(record->options.begin(), record->options.end(),
                       [&](const OptionRecord* option) { return option->name == name; });
  };
  std::vector<std::map<std::string, std::string>> variants = {{}};
  if (has("max_leapfrogs")) variants = {{{"max_leapfrogs", "3"}}};
  if (has("gradient")) variants.push_back({{"gradient", "weights"}});
  if (has("curvature"))
    variants = {{{"curvature", "diagonal"}},
                {{"curvature", "kronecker"}},
                {{"curvature", "last-layer"}, {"prediction", "sampled"}},
                {{"curvature", "full"}}};
  for (const auto& options : variants) {
    const auto posterior = train_posterior(net,
                                           {.posterior = GetParam(),
                                            .options = options,
                                            .epochs = 4,
                                            .batch = record->needs_all_rows ? 24 : 8,
                                            .members = 2},
                                           bars.x, bars.y);
    const torch::Tensor log_probs = posterior->predict(bars.x.expand({2, 24, kSide * kSide}), 3).log_probs;
    ASSERT_EQ(log_probs.sizes().vec().front(), 2);
    EXPECT_EQ(log_probs.size(2), 24);
    EXPECT_TRUE(at::isfinite(log_probs).all().item<bool>());
    EXPECT_LT((log_probs.exp().sum(3) - 1).abs().max().item<double>(), 1e-12);
  }
}

std::vector<std::string> all_posteriors() {
  std::vector<std::string> names;
  for (const PosteriorRecord* record : posteriors()) names.emplace_back(record->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Posteriors, ConvolutionsOf, testing::ValuesIn(all_posteriors()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Convolutions, LearnBarsThatTheyHaveNotSeen) {
  const Bars bars(200, 2), others(100, 3);
  const BayesNet net = bars_net({6});
  const auto posterior =
      train_posterior(net, {.posterior = "map", .options = {{"rate", "0.02"}}, .epochs = 15}, bars.x, bars.y);
  const torch::Tensor found = posterior->predict(others.x.unsqueeze(0), 1).log_probs[0][0].argmax(1);
  EXPECT_GT((found == others.y).to(torch::kFloat64).mean().item<double>(), 0.97);
}

TEST(Convolutions, NetsTrainedAtOnceAreThoseTrainedAlone) {
  const Bars bars(20, 4);
  const BayesNet net = bars_net();
  ToyRun run{.posterior = "map", .epochs = 5, .batch = 8, .members = 3};
  const auto three = train_posterior(net, run, bars.x, bars.y);
  run.members = 1;
  const auto one = train_posterior(net, run, bars.x, bars.y);
  EXPECT_LT((three->center()[0] - one->center()[0]).abs().max().item<double>(), 1e-10);
}

// The widest layer of 6 x 6 pixels and windows of 3 x 3: 4 channels * 9 pixels of a window * 3 x 3 places.
TEST(Convolutions, SayHowWideTheyAre) {
  EXPECT_EQ(bars_net({4, 5}).net().widest(), std::max(36 * 9, 4 * 9 * 9));
  EXPECT_EQ(bars_net({40}).net().widest(), 36 * 40);
}

class ImageFiles : public testing::Test {
 protected:
  ImageFiles() : folder_(fs::path(testing::TempDir()) / ("images" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    write_images("train", 80, 5);
    write_images("test", 40, 6);
  }
  ~ImageFiles() override { fs::remove_all(folder_); }

  fs::path file(const std::string& name) const { return folder_ / name; }

  static std::string idx_head(const std::vector<std::int64_t>& shape) {
    std::string head("\0\0\x08", 3);
    head += static_cast<char>(shape.size());
    for (const std::int64_t length : shape)
      for (int shift = 24; shift >= 0; shift -= 8) head += static_cast<char>(length >> shift & 0xFF);
    return head;
  }

  void write_images(const std::string& name, std::int64_t rows, std::uint64_t seed) const {
    const Bars bars(rows, seed);
    const torch::Tensor levels = (bars.x * 80 + 60).clamp(0, 255).to(torch::kUInt8);
    const torch::Tensor labels = bars.y.to(torch::kUInt8);
    const auto text = [](const torch::Tensor& bytes) {
      return std::string(reinterpret_cast<const char*>(bytes.data_ptr<std::uint8_t>()), bytes.nbytes());
    };
    replace_file(file(name + "-images-ubyte"), idx_head({rows, kSide, kSide}) + text(levels));
    replace_file(file(name + "-labels-ubyte"), idx_head({rows}) + text(labels));
  }

  FitRequest request(const std::string& out) const {
    FitRequest request;
    request.data = {file("train-images-ubyte")};
    request.labels = file("train-labels-ubyte").string();
    request.network.architecture = NetworkShape::automatic;
    request.network.filters = {4};
    request.network.hidden = {10};
    request.network.posterior = "map";
    request.network.posterior_options =
        read_options(find_posterior("map")->options, {{"rate", "0.02"}}, "a part");
    request.network.prior_options = OptionValues();
    request.network.seed = request.train.seed = 3;
    request.train.epochs = 20;
    request.threads = 1;
    request.out = file(out);
    return request;
  }

  static std::string message_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  }

  const Ranks ranks_;
  fs::path folder_;
};

TEST_F(ImageFiles, TrainAndPredict) {
  const FitOutcome outcome = fit(request("fit"), ranks_, {});
  EXPECT_TRUE(outcome.is_complete());
  const Network network = read_network(file("fit") / "network.json");
  EXPECT_EQ(network.architecture, NetworkShape::conv);
  EXPECT_EQ(network.filters, (std::vector<std::int64_t>{4}));
  EXPECT_TRUE(network.preparation.image.has_levels);
  EXPECT_EQ(network.preparation.classes, (std::vector<std::string>{"0", "1"}));
  const PredictOutcome predicted = predict({.folder = file("fit"),
                                            .data = {file("test-images-ubyte")},
                                            .labels = file("test-labels-ubyte").string(),
                                            .ood = {file("test-images-ubyte")},
                                            .out = file("predictions")});
  EXPECT_EQ(predicted.known, 40u);
  EXPECT_EQ(predicted.figures[1].first, "accuracy");
  EXPECT_GT(predicted.figures[1].second, 0.9);
  EXPECT_EQ(predicted.ood_auroc, 0.5);  // images of the same origin
  const std::string text = read_file(file("predictions") / "predictions.csv");
  EXPECT_EQ(text.substr(0, text.find('\n')), "class,p_0,p_1,entropy,expected_entropy,mutual_information");
}

TEST_F(ImageFiles, PixelsAreStandardisedByTheTrainingRows) {
  const Table table = read_table({.paths = {file("train-images-ubyte")},
                                  .has_images = true,
                                  .labels = file("train-labels-ubyte").string()});
  std::vector<std::size_t> rows = {1, 4, 5, 9, 30};
  const torch::Tensor x = prepare(table, rows).x(table, rows).to(torch::kFloat64);
  EXPECT_NEAR(x.mean().item<double>(), 0, 1e-6);
  EXPECT_NEAR(x.std(false).item<double>(), 1, 1e-6);
}

TEST_F(ImageFiles, AreRefusedInASentence) {
  FitRequest with_target = request("none");
  with_target.target = "y";
  EXPECT_EQ(message_of([&] { fit(with_target, ranks_, {}); }),
            "--target is for tables: images have their classes in a file of their own.");
  FitRequest without_labels = request("none");
  without_labels.labels.clear();
  EXPECT_EQ(message_of([&] { fit(without_labels, ranks_, {}); }),
            "kullback bnn must know the classes of the images.");
  FitRequest deep = request("none");
  deep.network.filters = {2, 2, 2, 2};
  EXPECT_EQ(message_of([&] { fit(deep, ranks_, {}); }),
            "images of 6 x 6 are too small for 4 convolutions with pooling.");
  replace_file(file("noise.idx"), "This is no image at all.");
  FitRequest noise = request("none");
  noise.data = {file("noise.idx")};
  EXPECT_EQ(message_of([&] { fit(noise, ranks_, {}); }),
            file("noise.idx").string() + ": is no IDX file: it does not begin with two zero bytes.");
  fit(request("fit"), ranks_, {});
  replace_file(file("small-ubyte"), idx_head({1, 2, 2}) + "abcd");
  EXPECT_EQ(
      message_of(
          [&] { predict({.folder = file("fit"), .data = {file("small-ubyte")}, .out = file("none")}); }),
      file("small-ubyte").string() + ": has images of 2 x 2; the network was trained on images of 6 x 6.");
  replace_file(file("table.csv"), "a,b\n1,2\n");
  EXPECT_EQ(
      message_of([&] { predict({.folder = file("fit"), .data = {file("table.csv")}, .out = file("none")}); }),
      file("table.csv").string() + ": the network was trained on images of 6 x 6, and this is a table.");
}

// A CSV with a column for each pixel is the same data as the IDX file, and so is a .npy array of it.
TEST_F(ImageFiles, OfTablesAndArraysGiveTheSameNetwork) {
  const Bars bars(80, 5);
  const torch::Tensor levels = (bars.x * 80 + 60).clamp(0, 255).to(torch::kUInt8);
  std::string csv;
  for (std::int64_t i = 0; i < kSide * kSide; ++i) csv += "p" + std::to_string(i) + ",";
  csv += "kind\n";
  for (std::int64_t row = 0; row < 80; ++row) {
    for (std::int64_t i = 0; i < kSide * kSide; ++i) csv += std::to_string(levels[row][i].item<int>()) + ",";
    csv += std::to_string(bars.y[row].item<int>()) + "\n";
  }
  replace_file(file("train.csv"), csv);
  std::string head = "{'descr': '|u1', 'fortran_order': False, 'shape': (80, 6, 6), }\n";
  std::string npy("\x93NUMPY\x01\x00", 8);
  npy += static_cast<char>(head.size());
  npy += '\0';
  npy += head;
  npy.append(reinterpret_cast<const char*>(levels.data_ptr<std::uint8_t>()), levels.nbytes());
  replace_file(file("train.npy"), npy);
  EXPECT_EQ(npy_dimensions(file("train.npy")), 3);
  const std::vector<EpochFigures> of_idx = fit(request("idx"), ranks_, {}).trained.epochs;
  FitRequest of_array = request("array");
  of_array.data = {file("train.npy")};
  FitRequest of_table = request("table");
  of_table.data = {file("train.csv")};
  of_table.labels.clear();
  of_table.target = "kind";
  of_table.image = "6x6";
  for (const FitRequest& other : {of_array, of_table}) {
    const std::vector<EpochFigures> epochs = fit(other, ranks_, {}).trained.epochs;
    ASSERT_EQ(epochs.size(), of_idx.size());
    EXPECT_EQ(epochs.back().loss, of_idx.back().loss);
  }
  EXPECT_EQ(predict({.folder = file("table"), .data = {file("train.csv")}, .out = file("again")}).known, 80u);
}

}  // namespace
}  // namespace kullback::deep
