#include "deep/bnn/fit/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "base/json.hpp"
#include "data/source.hpp"

namespace kullback::deep {

namespace {

constexpr double kLevels = 255;
constexpr const char* kLabel = "label";  // the target of images

data::SourceRequest source_request(const TableRequest& request, bool target_is_category) {
  data::SourceRequest source;
  source.paths = request.paths;
  source.takes_missing = true;
  source.takes_categories = true;
  source.only_text_is_category = true;
  source.target = request.target;
  source.target_is_category = target_is_category;
  source.ignored = request.ignored;
  source.like = request.like;
  return source;
}

Table take_all(data::Source& source, bool keeps_rows_without_target) {
  const data::Batch& batch = *source.in_memory();
  Table table{.shape = source.shape(), .cells = {}};
  table.cells.reserve(batch.values.size());
  for (std::size_t row = 0; row < batch.units; ++row) {
    const std::span<const double> cells = batch.row(row);
    if (std::isnan(cells.back()) && !keeps_rows_without_target) {
      ++table.without_target;
      continue;
    }
    table.cells.insert(table.cells.end(), cells.begin(), cells.end());
    ++table.rows;
  }
  return table;
}

bool has_two_values(const Table& table) {
  std::set<double> values;
  for (std::size_t row = 0; row < table.rows && values.size() < 3; ++row) {
    values.insert(table.target(row));
    if (table.target(row) != std::trunc(table.target(row))) return false;
  }
  return values.size() == 2;
}

[[noreturn]] void refuse_target(const TableRequest& request, const std::string& what, std::string hint) {
  throw Error(ErrorKind::bad_input,
              request.labels.empty() ? fmt::format("{}: the target '{}' {}.", request.paths.front().string(),
                                                   request.target, what)
                                     : fmt::format("{}: the label {}.", request.labels, what),
              std::move(hint));
}

void check_target(const TableRequest& request, const Table& table) {
  if (table.rows == 0) refuse_target(request, "is missing in all rows", "Give rows with a target.");
  const std::vector<std::string>& classes = table.shape.levels.back();
  if (!classes.empty() && request.kind == TableRequest::Target::number)
    refuse_target(request, "has text, but a number is needed",
                  "Leave --likelihood out, or give --likelihood categorical, for classes.");
  if (classes.size() == 1)
    refuse_target(request,
                  fmt::format("has one class only, '{}': there is nothing to tell apart", classes.front()),
                  "Give rows of at least two classes.");
  const auto is_first = [&](std::size_t row) { return table.target(row) == table.target(0); };
  bool varies = false;
  for (std::size_t row = 0; row < table.rows && !varies; ++row) varies = !is_first(row);
  if (!varies)
    refuse_target(request, fmt::format("is {} in all rows: there is nothing to learn", table.target(0)),
                  "Give rows in which it varies.");
}

// [rows, colours, pixels of one] in float32 (levels) or float64, scaled and standardised as `image` says.
torch::Tensor pixels_of(const ImageInputs& image, const Table& table, const std::vector<std::size_t>& rows) {
  const std::vector<std::int64_t> index(rows.begin(), rows.end());
  torch::Tensor pixels = table.pixels.index_select(0, torch::tensor(index, torch::kInt64));
  pixels = image.has_levels ? pixels.to(torch::kFloat32).div_(kLevels) : pixels.clone();
  pixels = pixels.view({pixels.size(0), image.shape.channels, image.shape.height * image.shape.width});
  for (std::size_t colour = 0; colour < image.mean.size(); ++colour)
    pixels.select(1, static_cast<std::int64_t>(colour)).sub_(image.mean[colour]).div_(image.sd[colour]);
  return pixels;
}

void learn_numbers(InputColumn& column, const Table& table, std::size_t index,
                   const std::vector<std::size_t>& rows) {
  double sum = 0, squares = 0, count = 0;
  for (const std::size_t row : rows) {
    const double value = table.at(row, index);
    if (std::isnan(value)) continue;
    ++count;
    const double off = value - sum;
    sum += off / count;  // the running mean (Welford)
    squares += off * (value - sum);
  }
  column.mean = column.fill = sum;
  const double sd = count > 0 ? std::sqrt(squares / count) : 0;
  column.sd = sd > 1e-12 * std::fabs(sum) && sd > 0 ? sd : 1;
}

void learn_levels(InputColumn& column, const Table& table, std::size_t index,
                  const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> counts(column.levels.size());
  for (const std::size_t row : rows) {
    const double value = table.at(row, index);
    if (!std::isnan(value)) ++counts[static_cast<std::size_t>(value)];
  }
  column.fill = static_cast<double>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

// The classes are the only column; NaN where they are not known.
Table read_images(const TableRequest& request) {
  RowsRequest rows{
      .paths = request.paths, .labels = request.labels, .image = request.image, .ignored = request.ignored};
  if (request.like != nullptr) rows.label_names = request.like->levels.back();
  const RawRows raw = read_rows(rows);
  const auto count = static_cast<std::size_t>(raw.x.size(0));
  Table table{.shape = {},
              .cells = std::vector<double>(count, std::numeric_limits<double>::quiet_NaN()),
              .rows = count,
              .pixels = raw.x,
              .image = raw.image};
  table.shape.columns = 1;
  table.shape.names = {kLabel};
  table.shape.levels = {raw.label_names};
  if (raw.label.defined()) {
    const torch::Tensor label = raw.label.to(torch::kFloat64);
    std::copy_n(label.data_ptr<double>(), count, table.cells.begin());
  }
  return table;
}

// Columns but the last become pixels.
void take_pixels(Table& table, const TableRequest& request) {
  const std::size_t columns = table.shape.columns - 1;
  table.image = image_named(request.image);
  const auto wanted = static_cast<std::size_t>(table.image.channels * table.image.height * table.image.width);
  const std::string file = request.paths.front().string();
  if (columns != wanted)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: has rows of {} numbers, but images {} have {}.", file, columns,
                            request.image, wanted),
                "Give --image the height and width of the images.");
  for (std::size_t i = 0; i < columns; ++i)
    if (!table.shape.levels[i].empty())
      throw Error(
          ErrorKind::bad_input,
          fmt::format("{}: the column '{}' has text, but pixels are numbers.", file, table.shape.names[i]),
          "Leave it out with --ignore.");
  table.pixels = torch::empty({static_cast<std::int64_t>(table.rows), static_cast<std::int64_t>(columns)},
                              torch::kFloat64);
  auto* pixel = table.pixels.data_ptr<double>();
  std::vector<double> targets;
  for (std::size_t row = 0; row < table.rows; ++row) {
    pixel = std::copy_n(&table.cells[row * (columns + 1)], columns, pixel);
    targets.push_back(table.target(row));
  }
  if (at::isnan(table.pixels).any().item<bool>())
    throw Error(ErrorKind::bad_input, fmt::format("{}: some pixels are missing.", file),
                "Leave these rows out, or give them numbers.");
  table.pixel_names.assign(table.shape.names.begin(), table.shape.names.end() - 1);
  table.cells = std::move(targets);
  table.shape.names = {table.shape.names.back()};
  table.shape.levels = {table.shape.levels.back()};
  table.shape.columns = 1;
  if (request.like == nullptr && are_levels(table.pixels)) table.pixels = table.pixels.to(torch::kUInt8);
}

Table read_columns(const TableRequest& request) {
  const bool is_new = request.like == nullptr;
  auto source =
      data::open_source(source_request(request, is_new && request.kind == TableRequest::Target::category));
  Table table = take_all(*source, !is_new);
  if (!is_new) return table;
  if (request.kind == TableRequest::Target::either && table.shape.levels.back().empty() &&
      has_two_values(table)) {
    source = data::open_source(source_request(request, true));
    table = take_all(*source, false);
  }
  return table;
}

void learn_pixels(ImageInputs& image, const Table& table, const std::vector<std::size_t>& rows) {
  image.shape = table.image;
  image.columns = table.pixel_names;
  image.has_levels = table.pixels.scalar_type() == torch::kUInt8;
  image.mean.assign(static_cast<std::size_t>(image.shape.channels), 0);
  image.sd.assign(image.mean.size(), 1);
  // Plainly scaled pixels first, whose moments they are.
  const torch::Tensor pixels = pixels_of(image, table, rows);
  for (std::int64_t colour = 0; colour < image.shape.channels; ++colour) {
    const torch::Tensor all = pixels.select(1, colour).to(torch::kFloat64);
    const double sd = all.std(false).item<double>();
    image.mean[static_cast<std::size_t>(colour)] = all.mean().item<double>();
    if (sd > 0) image.sd[static_cast<std::size_t>(colour)] = sd;
  }
}

std::string numbers_json(const std::vector<double>& numbers) {
  std::string text = "[";
  for (const double number : numbers) text += (text.size() == 1 ? "" : ", ") + fmt::format("{}", number);
  return text + "]";
}

std::string image_json(const ImageInputs& image) {
  std::string text = fmt::format(
      "{{\"channels\": {}, \"height\": {}, \"width\": {}, \"levels\": {}, \"mean\": {}, \"sd\": {}",
      image.shape.channels, image.shape.height, image.shape.width, image.has_levels ? "true" : "false",
      numbers_json(image.mean), numbers_json(image.sd));
  if (!image.columns.empty()) text += ", \"columns\": " + json_texts(image.columns);
  return text + "}";
}

ImageInputs read_image(const JsonFields& json) {
  ImageInputs image;
  image.shape = {.channels = static_cast<std::int64_t>(json.count("channels")),
                 .height = static_cast<std::int64_t>(json.count("height")),
                 .width = static_cast<std::int64_t>(json.count("width"))};
  image.has_levels = json.flag("levels");
  image.mean = json.numbers("mean");
  image.sd = json.numbers("sd");
  if (json.has("columns")) image.columns = json.texts("columns");
  const auto colours = static_cast<std::size_t>(image.shape.channels);
  if (image.pixels() < 1) json.refuse("height", "above 0");
  if (image.mean.size() != colours) json.refuse("mean", "a number for each colour");
  if (image.sd.size() != colours) json.refuse("sd", "a number for each colour");
  return image;
}

}  // namespace

std::string ImageInputs::text() const {
  const std::string plane = fmt::format("{} x {}", shape.height, shape.width);
  return shape.channels == 1 ? plane : plane + fmt::format(" x {}", shape.channels);
}

Table read_table(const TableRequest& request) {
  Table table = request.has_images ? read_images(request) : read_columns(request);
  if (!request.has_images && !request.image.empty()) take_pixels(table, request);
  if (request.like == nullptr) check_target(request, table);
  return table;
}

std::int64_t Preparation::inputs() const {
  std::int64_t sum = image.exists() ? image.pixels() : 0;
  for (const InputColumn& column : columns) sum += column.inputs();
  return sum;
}

data::Shape Preparation::shape() const {
  data::Shape shape{.columns = columns.size() + image.columns.size() + 1};
  shape.names = image.columns;
  shape.levels.resize(image.columns.size());
  for (const InputColumn& column : columns) {
    shape.names.push_back(column.name);
    shape.levels.push_back(column.levels);
  }
  shape.names.push_back(target);
  shape.levels.push_back(classes);
  return shape;
}

Preparation prepare(const Table& table, const std::vector<std::size_t>& rows) {
  Preparation result;
  if (table.pixels.defined()) learn_pixels(result.image, table, rows);
  const std::size_t inputs = table.shape.columns - 1;
  for (std::size_t i = 0; i < inputs; ++i) {
    InputColumn column{.name = table.shape.names[i], .levels = table.shape.levels[i]};
    column.has_indicator =
        std::any_of(rows.begin(), rows.end(), [&](std::size_t row) { return std::isnan(table.at(row, i)); });
    column.levels.empty() ? learn_numbers(column, table, i, rows) : learn_levels(column, table, i, rows);
    result.columns.push_back(std::move(column));
  }
  result.target = table.shape.names.back();
  result.classes = table.shape.levels.back();
  if (result.is_classification()) return result;
  InputColumn target;
  learn_numbers(target, table, inputs, rows);
  result.target_mean = target.mean;
  result.target_sd = target.sd;
  return result;
}

torch::Tensor Preparation::x(const Table& table, const std::vector<std::size_t>& rows) const {
  if (image.exists()) return pixels_of(image, table, rows).flatten(1);
  torch::Tensor result = torch::zeros({static_cast<std::int64_t>(rows.size()), inputs()}, torch::kFloat64);
  auto* cell = result.data_ptr<double>();
  for (const std::size_t row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const InputColumn& column = columns[i];
      const double found = table.at(row, i), value = std::isnan(found) ? column.fill : found;
      if (column.levels.empty()) {
        cell[0] = (value - column.mean) / column.sd;
      } else {
        cell[static_cast<std::size_t>(value)] = 1;
      }
      if (column.has_indicator && std::isnan(found)) cell[column.inputs() - 1] = 1;
      cell += column.inputs();
    }
  }
  return result;
}

torch::Tensor Preparation::y(const Table& table, const std::vector<std::size_t>& rows) const {
  torch::Tensor result = torch::zeros({static_cast<std::int64_t>(rows.size())}, torch::kFloat64);
  auto* cell = result.data_ptr<double>();
  for (const std::size_t row : rows) *cell++ = (table.target(row) - target_mean) / target_sd;
  return is_classification() ? result.to(torch::kInt64) : result;
}

std::string to_json(const Preparation& preparation, const std::string& indent) {
  std::string text = "{\n" + indent;
  if (preparation.image.exists()) text += "  \"image\": " + image_json(preparation.image) + ",\n" + indent;
  text += "  \"columns\": [";
  for (const InputColumn& column : preparation.columns) {
    text += (text.back() == '[' ? "\n" : ",\n") + indent + "    {\"name\": " + json_string(column.name);
    if (column.levels.empty()) {
      text += fmt::format(", \"mean\": {}, \"sd\": {}", column.mean, column.sd);
    } else {
      text += ", \"levels\": " + json_texts(column.levels);
    }
    text += fmt::format(", \"fill\": {}, \"has_indicator\": {}}}", column.fill, column.has_indicator);
  }
  text +=
      "\n" + indent + "  ],\n" + indent + "  \"target\": " + json_string(preparation.target) + ",\n" + indent;
  if (preparation.is_classification()) {
    text += "  \"classes\": " + json_texts(preparation.classes);
  } else {
    text += fmt::format("  \"target_mean\": {},\n{}  \"target_sd\": {}", preparation.target_mean, indent,
                        preparation.target_sd);
  }
  return text + "\n" + indent + "}";
}

Preparation read_preparation(const JsonFields& json) {
  Preparation result;
  if (json.has("image")) result.image = read_image(json.object("image"));
  for (const JsonFields& column : json.objects("columns")) {
    InputColumn& read = result.columns.emplace_back();
    read.name = column.text("name");
    if (column.has("levels")) {
      read.levels = column.texts("levels");
    } else {
      read.mean = column.number("mean");
      read.sd = column.number("sd");
    }
    read.fill = column.number("fill");
    const bool is_level = read.fill >= 0 && read.fill < static_cast<double>(read.levels.size());
    if (!read.levels.empty() && !is_level) column.refuse("fill", "the number of a level");
    read.has_indicator = column.flag("has_indicator");
  }
  result.target = json.text("target");
  if (json.has("classes")) {
    result.classes = json.texts("classes");
  } else {
    result.target_mean = json.number("target_mean");
    result.target_sd = json.number("target_sd");
  }
  return result;
}

}  // namespace kullback::deep
