#include "deep/vae/fit/rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "base/filled.hpp"
#include "base/random.hpp"
#include "data/source.hpp"
#include "deep/data/idx.hpp"
#include "deep/purpose.hpp"
#include "deep/vae/training.hpp"

namespace kullback::deep {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what, std::string hint) {
  throw Error(ErrorKind::bad_input, filled("{}: {}.", path.string(), what), std::move(hint));
}

torch::Tensor tensor_of(const IdxArray& array, std::int64_t rows) {
  torch::Tensor result =
      torch::empty({rows, static_cast<std::int64_t>(array.bytes.size()) / rows}, torch::kUInt8);
  std::memcpy(result.data_ptr<std::uint8_t>(), array.bytes.data(), array.bytes.size());
  return result;
}

ImageShape image_of(const IdxArray& array, const std::filesystem::path& path) {
  const auto& shape = array.shape;
  if (shape.size() == 3) return {.channels = 1, .height = shape[1], .width = shape[2]};
  if (shape.size() == 4 && (shape[1] == 1 || shape[1] == 3))
    return {.channels = shape[1], .height = shape[2], .width = shape[3]};
  if (shape.size() == 1)
    refuse(path, "holds labels, not images", "Give it to --labels, and the images as DATA.");
  refuse(path, filled("has {} dimensions; images have 3 (or 4 with colours)", shape.size()),
         "Give an IDX file of images.");
}

void read_idx_labels(RawRows& rows, const RowsRequest& request) {
  const IdxArray labels = read_idx(request.labels);
  if (labels.shape.size() != 1)
    refuse(request.labels, filled("has {} dimensions; labels have 1", labels.shape.size()),
           "Give the IDX file of the labels.");
  if (labels.shape[0] != rows.x.size(0))
    refuse(request.labels, filled("has {} labels for {} images", labels.shape[0], rows.x.size(0)),
           "Give the labels of these images.");
  rows.label = tensor_of(labels, labels.shape[0]).flatten().to(torch::kInt64);
  const std::int64_t most = rows.label.max().item<std::int64_t>();
  for (std::int64_t i = 0; i <= most; ++i) rows.label_names.push_back(std::to_string(i));
  if (request.label_names.empty()) return;
  if (rows.label_names.size() > request.label_names.size())
    refuse(request.labels, filled("has a label {}; the model knows {}", most, request.label_names.size()),
           "Give labels that the model was trained with.");
  rows.label_names = request.label_names;
}

RawRows read_images(const RowsRequest& request) {
  const std::filesystem::path& path = request.paths.front();
  if (request.paths.size() > 1)
    throw Error(ErrorKind::usage, "images are read from one IDX file.",
                "Give one, and its labels with --labels.");
  if (!request.image.empty())
    throw Error(ErrorKind::usage, "--image is for tables: an IDX file says how large its images are.",
                "Leave --image away.");
  const IdxArray array = read_idx(path);
  RawRows rows{.x = {}, .image = image_of(array, path)};
  rows.x = tensor_of(array, array.shape[0]);
  if (!request.labels.empty()) read_idx_labels(rows, request);
  return rows;
}

bool are_levels(const torch::Tensor& x) {
  const bool is_whole = x.equal(x.round());
  return is_whole && x.min().item<double>() >= 0 && x.max().item<double>() <= 255 &&
         x.max().item<double>() > 1;
}

data::SourceRequest source_request(const RowsRequest& request, const data::Shape& like) {
  data::SourceRequest source;
  source.paths = request.paths;
  source.target = request.labels;
  source.target_is_category = !request.labels.empty();
  source.ignored = request.ignored;
  if (!like.names.empty()) source.like = &like;
  return source;
}

data::Shape shape_known(const RowsRequest& request) {
  data::Shape like;
  like.names = request.names;
  if (request.names.empty()) return like;
  like.levels.resize(like.names.size());
  if (!request.labels.empty()) {
    like.names.push_back(request.labels);
    like.levels.push_back(request.label_names);
  }
  like.columns = like.names.size();
  return like;
}

RawRows read_table(const RowsRequest& request) {
  const data::Shape like = shape_known(request);
  const auto source = data::open_source(source_request(request, like));
  const data::Batch& batch = *source->in_memory();
  const auto rows = static_cast<std::int64_t>(batch.units),
             columns = static_cast<std::int64_t>(batch.columns);
  torch::Tensor all = torch::empty({rows, columns}, torch::kFloat64);
  std::copy(batch.values.begin(), batch.values.end(), all.data_ptr<double>());
  RawRows result{.x = all, .names = source->shape().names};
  if (!request.labels.empty()) {
    result.label = all.select(1, columns - 1).to(torch::kInt64);
    result.x = all.narrow(1, 0, columns - 1).contiguous();
    result.label_names = source->shape().levels.back();
    result.names.pop_back();
  }
  if (request.image.empty()) return result;
  result.image = image_named(request.image);
  const std::int64_t pixels = result.image.channels * result.image.height * result.image.width;
  if (pixels != result.x.size(1))
    refuse(request.paths.front(),
           filled("has rows of {} numbers, but images {} have {}", result.x.size(1), request.image, pixels),
           "Give --image the height and width of the images.");
  if (are_levels(result.x)) result.x = result.x.to(torch::kUInt8);
  return result;
}

}  // namespace

ImageShape image_named(const std::string& text) {
  std::vector<std::int64_t> lengths;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    std::int64_t length = 0;
    const auto [stop, status] = std::from_chars(text.data() + begin, text.data() + end, length);
    if (status != std::errc() || stop != text.data() + end || length < 1 || length > 65536) lengths.clear();
    if (status != std::errc() || lengths.size() == 3) break;
    lengths.push_back(length);
    begin = end + 1;
  }
  const bool has_colours = lengths.size() == 3;
  if (lengths.size() == 2 || (has_colours && (lengths[2] == 1 || lengths[2] == 3)))
    return {.channels = has_colours ? lengths[2] : 1, .height = lengths[0], .width = lengths[1]};
  throw Error(ErrorKind::usage, filled("--image is '{}'; it must be HEIGHTxWIDTH or HEIGHTxWIDTHx3.", text),
              "Write --image 28x28.");
}

RawRows read_rows(const RowsRequest& request) {
  const bool has_images = is_idx(request.paths.front());
  RawRows rows = has_images ? read_images(request) : read_table(request);
  if (rows.x.size(1) == 0)
    refuse(request.paths.front(), "has no columns to learn from", "Give columns besides the labels.");
  return rows;
}

torch::Tensor binarised_once(const torch::Tensor& x, std::uint64_t seed) {
  Random random(seed, 0, static_cast<std::uint32_t>(Purpose::binarisation));
  at::manual_seed(random());
  const torch::Tensor chance = rows_as_numbers(x, torch::TensorOptions(torch::kFloat64));
  return (torch::rand(chance.sizes(), torch::TensorOptions(torch::kFloat64)) < chance)
      .to(torch::kUInt8)
      .mul_(255);
}

}  // namespace kullback::deep
