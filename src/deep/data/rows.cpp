#include "deep/data/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "data/source.hpp"
#include "deep/data/idx.hpp"
#include "deep/data/npy.hpp"

namespace kullback::deep {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what, std::string hint) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}.", path.string(), what), std::move(hint));
}

constexpr std::int64_t kMostLabels = 65536;

void check_pixels(const RowsRequest& request, const ImageShape& image, std::int64_t columns) {
  const std::int64_t pixels = image.channels * image.height * image.width;
  if (pixels == columns) return;
  refuse(request.paths.front(),
         fmt::format("has rows of {} numbers, but images {} have {}", columns, request.image, pixels),
         "Give --image the height and width of the images.");
}

torch::Tensor read_array(const std::filesystem::path& path) {
  if (is_npy(path)) return read_npy(path);
  const IdxArray array = read_idx(path);
  torch::Tensor result = torch::empty(array.shape, torch::kUInt8);
  std::memcpy(result.data_ptr<std::uint8_t>(), array.bytes.data(), array.bytes.size());
  return result;
}

// A name like MNIST's "train-images-idx3-ubyte", or one that ends in ".idx"; both may be gzipped.
bool is_named_idx(std::filesystem::path path) {
  if (path.extension() == ".gz") path.replace_extension();
  const std::string name = path.filename().string();
  return name.ends_with(".idx") || name.ends_with("-ubyte");
}

ImageShape image_of(const torch::Tensor& array, const RowsRequest& request) {
  const std::filesystem::path& path = request.paths.front();
  const at::IntArrayRef shape = array.sizes();
  if (shape.size() == 2 && !request.image.empty()) {
    const ImageShape image = image_named(request.image);
    check_pixels(request, image, shape[1]);
    return image;
  }
  if (!request.image.empty())
    throw Error(ErrorKind::usage, "--image is for tables: this file says how large its images are.",
                "Leave --image away.");
  if (shape.size() == 3) return {.channels = 1, .height = shape[1], .width = shape[2]};
  if (shape.size() == 4 && (shape[1] == 1 || shape[1] == 3))
    return {.channels = shape[1], .height = shape[2], .width = shape[3]};
  if (shape.size() == 4 && (shape[3] == 1 || shape[3] == 3))
    refuse(path, "has its colours last; images are colours x height x width here",
           "Save x.transpose(0, 3, 1, 2).");
  if (shape.size() == 4)
    refuse(path, fmt::format("has images with {} colours; 1 or 3 are needed", shape[1]),
           "Give grey or coloured images.");
  if (shape.size() == 1)
    refuse(path, "holds labels, not images", "Give it to --labels, and the images as DATA.");
  refuse(path, fmt::format("has {} dimensions; images have 3 (or 4 with colours)", shape.size()),
         shape.size() == 2 ? "Say how large the images of its rows are with --image 28x28."
                           : "Give a file of images.");
}

void read_labels(RawRows& rows, const RowsRequest& request) {
  const torch::Tensor labels = read_array(request.labels);
  if (labels.dim() != 1)
    refuse(request.labels, fmt::format("has {} dimensions; labels have 1", labels.dim()),
           "Give the file of the labels.");
  if (labels.size(0) != rows.x.size(0))
    refuse(request.labels, fmt::format("has {} labels for {} images", labels.size(0), rows.x.size(0)),
           "Give the labels of these images.");
  rows.label = labels.to(torch::kInt64);
  const std::int64_t most = rows.label.max().item<std::int64_t>();
  if (!rows.label.to(labels.scalar_type()).equal(labels) || rows.label.min().item<std::int64_t>() < 0 ||
      most >= kMostLabels)
    refuse(request.labels, fmt::format("has labels that are not whole numbers from 0 to {}", kMostLabels - 1),
           "Number the kinds of images 0, 1, 2 ...");
  for (std::int64_t i = 0; i <= most; ++i) rows.label_names.push_back(std::to_string(i));
  if (request.label_names.empty()) return;
  if (rows.label_names.size() > request.label_names.size())
    refuse(request.labels,
           fmt::format("has a label {}; the model knows {}", most, request.label_names.size()),
           "Give labels that the model was trained with.");
  rows.label_names = request.label_names;
}

RawRows read_images(const RowsRequest& request) {
  if (request.paths.size() > 1)
    throw Error(ErrorKind::usage, "images are read from one file.",
                "Give one, and its labels with --labels.");
  if (!request.ignored.empty())
    throw Error(ErrorKind::usage, "--ignore is for the columns of tables, and images have none.",
                "Leave --ignore away.");
  const torch::Tensor array = read_array(request.paths.front());
  const ImageShape image = image_of(array, request);  // refuses labels
  RawRows rows{.x = array.flatten(1), .image = image};
  if (rows.x.scalar_type() != torch::kUInt8) {
    if (!at::isfinite(rows.x).all().item<bool>())
      refuse(request.paths.front(), "has pixels that are not finite", "Replace them by numbers.");
    if (are_levels(rows.x)) rows.x = rows.x.to(torch::kUInt8);
  }
  if (!request.labels.empty()) read_labels(rows, request);
  return rows;
}

data::SourceRequest source_request(const RowsRequest& request, const data::Shape& like) {
  data::SourceRequest source;
  source.paths = request.paths;
  source.target = request.labels;
  source.target_is_category = !request.labels.empty();
  source.ignored = request.ignored;
  source.takes_categories = request.image.empty() && request.cells == Cells::categories;
  source.needs_counts = request.image.empty() && request.cells == Cells::counts;
  if (!like.names.empty()) source.like = &like;
  return source;
}

data::Shape shape_known(const RowsRequest& request) {
  data::Shape like;
  like.names = request.names;
  if (request.names.empty()) return like;
  like.levels = request.levels;
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
  if (request.cells == Cells::categories && request.image.empty()) {
    result.levels = source->shape().levels;
    result.levels.resize(result.names.size());
  }
  if (request.image.empty()) return result;
  result.image = image_named(request.image);
  check_pixels(request, result.image, result.x.size(1));
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
  throw Error(ErrorKind::usage,
              fmt::format("--image is '{}'; it must be HEIGHTxWIDTH or HEIGHTxWIDTHx3.", text),
              "Write --image 28x28.");
}

bool are_levels(const torch::Tensor& x) {
  const bool is_whole = x.equal(x.round());
  return is_whole && x.min().item<double>() >= 0 && x.max().item<double>() <= 255 &&
         x.max().item<double>() > 1;
}

bool holds_images(const RowsRequest& request) {
  const std::filesystem::path& path = request.paths.front();
  if (is_idx(path) || is_named_idx(path)) return true;
  if (!is_npy(path)) return false;
  const bool has_label_file = !request.labels.empty() && (is_idx(request.labels) || is_npy(request.labels));
  return has_label_file || npy_dimensions(path) > 2;
}

RawRows read_rows(const RowsRequest& request) {
  RawRows rows = holds_images(request) ? read_images(request) : read_table(request);
  if (rows.x.size(1) == 0)
    refuse(request.paths.front(), "has no columns to learn from", "Give columns besides the labels.");
  return rows;
}

}  // namespace kullback::deep
