#include "deep/discrete/fit/model.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/json_fields.hpp"
#include "base/json_value.hpp"
#include "deep/net/precision.hpp"
#include "deep/part.hpp"
#include "deep/train/weights_file.hpp"

namespace kullback::deep::discrete {

namespace {

constexpr const char* kFormat = "kullback discrete 1";
constexpr const char* kDamaged = "The file was written by another program, or is damaged; train again.";
constexpr std::int64_t kMostCounts = 4096;  // values of a count
constexpr const char* kOthers = "Give rows of the kind it was trained on.";

[[noreturn]] void refuse(const std::string& file, const std::string& what, std::string hint) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}.", file, what), std::move(hint));
}

std::string json_columns(const Model& model) {
  if (model.is_image()) return "[]";
  std::string text;
  for (const Column& column : model.columns)
    text += fmt::format("{}\n    {{\"name\": {}, \"values\": {}, \"levels\": {}}}", text.empty() ? "" : ",",
                        json_string(column.name), column.values, json_texts(column.levels));
  return "[" + text + "]";
}

// Columns with values that are no categories, or too many of them.
void check_categories(const Column& column, const Limits& limits, const std::string& file) {
  if (column.levels.empty())
    refuse(file, fmt::format("column '{}' has numbers with decimals, which are not categories", column.name),
           fmt::format(
               "Leave it out with --ignore {}, or give the file to 'kullback diffusion' without --states.",
               column.name));
  if (column.values > limits.categories)
    refuse(file,
           fmt::format("column '{}' has {} different values, more than the {} of --max-categories",
                       column.name, column.values, limits.categories),
           fmt::format("Leave it out with --ignore {}, or allow more.", column.name));
}

void check_counts(const Column& column, const std::string& file) {
  if (column.values > kMostCounts)
    refuse(file,
           fmt::format("column '{}' has counts up to {}; --states blackout takes counts up to {}",
                       column.name, column.values - 1, kMostCounts - 1),
           "Count in larger units, or leave the column out with --ignore.");
}

// Brightness from 0 to 1 in equal parts.
torch::Tensor pixel_values(const RawRows& rows, std::int64_t levels, const std::string& file) {
  if (rows.x.scalar_type() == torch::kUInt8) return at::floor_divide(rows.x.to(torch::kInt64) * levels, 256);
  const double low = rows.x.min().item<double>(), high = rows.x.max().item<double>();
  if (!(low >= 0 && high <= 1))
    refuse(file,
           fmt::format(
               "has pixels from {:.4g} to {:.4g}; levels from 0 to 255 or numbers from 0 to 1 are needed",
               low, high),
           "Bring them to one of these scales.");
  return (rows.x * static_cast<double>(levels)).to(torch::kInt64).clamp_max(levels - 1);
}

}  // namespace

Space Model::space() const {
  Space space;
  for (const Column& column : columns) space.values.push_back(column.values);
  return space;
}

std::string to_json(const Model& model) {
  std::string text = fmt::format("{{\n  \"format\": \"{}\",\n  \"process\": {},\n", kFormat,
                                 json_part(model.process, process_named(model.process.name).options));
  text += fmt::format("  \"channels\": {},\n  \"height\": {},\n  \"width\": {},\n  \"pixel_levels\": {},\n",
                      model.image.channels, model.image.height, model.image.width, model.pixel_levels);
  text += fmt::format("  \"columns\": {},\n", json_columns(model)) + diffusion::json_net(model.net);
  return text + fmt::format("  \"precision\": {},\n  \"seed\": {}\n}}\n",
                            json_string(text_of(kPrecisionOfFloats, model.precision)), model.seed);
}

Model read_model(const std::filesystem::path& file) {
  const JsonValue value = parse_json(read_file(file), file.string(), kDamaged);
  const JsonFields json(value, file.string());
  if (json.text("format") != kFormat) json.refuse("format", fmt::format("'{}'", kFormat));
  const auto count = [](const JsonFields& from, const char* name) {
    return static_cast<std::int64_t>(from.count(name));
  };
  Model model;
  model.process = read_part(json, "process", process_named);
  model.image = {
      .channels = count(json, "channels"), .height = count(json, "height"), .width = count(json, "width")};
  model.pixel_levels = count(json, "pixel_levels");
  for (const JsonFields& column : json.objects("columns"))
    model.columns.push_back({column.text("name"), count(column, "values"), column.texts("levels")});
  if (model.is_image())
    model.columns.assign(
        static_cast<std::size_t>(model.image.channels * model.image.height * model.image.width),
        {.values = model.pixel_levels});
  if (model.columns.empty()) json.refuse("columns", "not empty");
  for (const Column& column : model.columns)
    if (column.values < 1) json.refuse("columns", "columns with at least one value");
  model.net = diffusion::read_net(json);
  model.precision = read_choice(json, kPrecisionOfFloats);
  model.seed = json.count("seed");
  return model;
}

RowsRequest rows_request(const Model& model, RowsRequest request) {
  request.cells = model.has_counts() ? Cells::counts : Cells::categories;
  if (model.is_image()) {
    const ImageShape& image = model.image;
    if (!holds_images(request))
      request.image = fmt::format("{}x{}x{}", image.height, image.width, image.channels);
    return request;
  }
  for (const Column& column : model.columns) {
    request.names.push_back(column.name);
    request.levels.push_back(column.levels);
  }
  return request;
}

void fit_to_rows(Model& model, const RawRows& rows, const Limits& limits, const std::string& file) {
  model.image = rows.image;
  model.net.choose_architecture(model.is_image());
  if (model.is_image()) {
    if (model.pixel_levels == 0) model.pixel_levels = model.has_counts() ? 256 : 2;
    model.columns.assign(static_cast<std::size_t>(rows.x.size(1)), {.values = model.pixel_levels});
    return;
  }
  if (model.pixel_levels > 0)
    throw Error(ErrorKind::usage, "--pixel-levels is for images, and these rows are none.", "Leave it out.");
  const torch::Tensor largest = std::get<0>(rows.x.max(0));
  for (std::size_t i = 0; i < rows.names.size(); ++i) {
    Column column{.name = rows.names[i]};
    if (model.has_counts()) {
      column.values = largest[static_cast<std::int64_t>(i)].to(torch::kInt64).item<std::int64_t>() + 1;
      check_counts(column, file);
    } else {
      column.levels = rows.levels[i];
      column.values = static_cast<std::int64_t>(column.levels.size());
      check_categories(column, limits, file);
    }
    model.columns.push_back(std::move(column));
  }
}

torch::Tensor states_of(const Model& model, const RawRows& rows, const std::string& file) {
  if (rows.x.size(1) != model.dims())
    refuse(file,
           fmt::format("has rows of {} numbers; the model was trained on {}", rows.x.size(1), model.dims()),
           kOthers);
  if (model.is_image()) return pixel_values(rows, model.pixel_levels, file);
  const torch::Tensor x = rows.x.to(torch::kInt64);
  const torch::Tensor largest = std::get<0>(x.max(0));
  for (std::size_t i = 0; i < model.columns.size(); ++i) {
    const auto found = largest[static_cast<std::int64_t>(i)].item<std::int64_t>();
    const Column& column = model.columns[i];
    if (found >= column.values)
      refuse(file,
             fmt::format("column '{}' has a count {}; the model knows counts up to {}", column.name, found,
                         column.values - 1),
             "Train with rows that have such counts, or leave out these rows.");
  }
  return x;
}

Built::Built(Model model, torch::Device device)
    : model_(std::move(model)),
      options_(torch::TensorOptions().device(device).dtype(type_of_precision(model_.precision))),
      process_(make_process(model_.process.name, {.space = model_.space(), .number = options_},
                            model_.process.options)) {
  use_products_of(model_.precision);
  diffusion::NetSpec spec = model_.net;
  spec.channels = model_.image.channels;
  spec.height = model_.image.height;
  spec.width = model_.image.width;
  net_ = diffusion::make_score_net(layout_, net_spec(spec, *process_, model_.dims()));
  flat_ = torch::zeros({1, layout_.size()}, options_);
}

void Built::start() { flat_.copy_(fresh_parameters(layout_, 1, model_.seed, options_)); }

void Built::save(const std::filesystem::path& file) const {
  save_parameters(file, kFormat, layout_, Parameters(layout_, flat_));
}

void Built::load(const std::filesystem::path& file) {
  load_parameters(file, layout_, Parameters(layout_, flat_));
}

std::unique_ptr<Built> open_model(const std::filesystem::path& folder, torch::Device device) {
  if (!std::filesystem::exists(folder / "weights.safetensors"))
    throw Error(
        ErrorKind::missing_file,
        fmt::format("{}: holds no trained model of discrete states (there is no weights.safetensors).",
                    folder.string()),
        "Give the folder of a 'kullback diffusion --states' that has ended; --resume goes on with one "
        "that was interrupted.");
  auto built = std::make_unique<Built>(read_model(folder / "model.json"), device);
  built->load(folder / "weights.safetensors");
  return built;
}

}  // namespace kullback::deep::discrete
