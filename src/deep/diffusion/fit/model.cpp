#include "deep/diffusion/fit/model.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/json_fields.hpp"
#include "base/json_value.hpp"
#include "deep/diffusion/records.hpp"
#include "deep/net/precision.hpp"
#include "deep/part.hpp"
#include "deep/train/weights_file.hpp"
#include "run/json_text.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr const char* kFormat = "kullback diffusion 1";
constexpr const char* kDamaged = "The file was written by another program, or is damaged; train again.";
constexpr double kLevels = 255;

std::string json_numbers(const std::vector<double>& numbers) {
  std::string text = "[";
  for (const double number : numbers) text += (text.size() == 1 ? "" : ", ") + run::json_number(number);
  return text + "]";
}

std::vector<double> read_numbers(const JsonValue& object, const std::string& name, const JsonFields& json) {
  std::vector<double> numbers;
  const JsonValue* value = object.find(name);
  if (value == nullptr || value->array() == nullptr) json.refuse(name, "an array of numbers");
  for (const JsonValue& item : *value->array()) {
    if (item.number() == nullptr) json.refuse(name, "an array of numbers");
    numbers.push_back(item.number()->value);
  }
  return numbers;
}

std::vector<double> list_of(const torch::Tensor& numbers) {
  const torch::Tensor here = numbers.to(torch::kFloat64).contiguous();
  return {here.data_ptr<double>(), here.data_ptr<double>() + here.numel()};
}

torch::Tensor tensor_of(const std::vector<double>& numbers) {
  return torch::tensor(numbers, torch::kFloat64);
}

// Rows of few numbers are learned best where the noise is about as large as what it hides: log-normal levels
// and EDM's weighting (docs/diffusion.md, "Measured"). The likelihood's weight is even in the logarithm of
// the level, so that losses vary least there. SDEs that have their own times keep them.
void choose_training(Model& model) {
  const std::string& sde = model.sde.name;
  const bool is_free = sde != "cld" && sde != "ladder" && sde != "ddpm" && sde != "learned";
  const bool is_rows = is_free && !model.is_image();
  if (model.times == TimesKind::automatic)
    model.times = is_free && model.weighting == "likelihood" ? TimesKind::log_ratio
                  : is_rows || sde == "edm"                  ? TimesKind::lognormal
                                                             : TimesKind::uniform;
  if (model.weighting == "auto") model.weighting = is_rows ? "edm" : "noise";
}

}  // namespace

DataUnits Model::units() const {
  if (!has_levels) return {};
  return {.has_levels = true, .center = center.at(0), .sd = sd.at(0)};
}

std::string to_json(const Model& model) {
  const auto truth = [](bool is) { return is ? "true" : "false"; };
  std::string text = fmt::format("{{\n  \"format\": \"{}\",\n  \"kind\": {},\n  \"dims\": {},\n", kFormat,
                                 json_string(model.kind), model.dims);
  text += fmt::format("  \"channels\": {},\n  \"height\": {},\n  \"width\": {},\n", model.image.channels,
                      model.image.height, model.image.width);
  text += fmt::format("  \"has_levels\": {},\n  \"columns\": {},\n  \"label_column\": {},\n",
                      truth(model.has_levels), json_texts(model.names), json_string(model.label_column));
  text += fmt::format("  \"labels\": {},\n  \"is_conditional\": {},\n", json_texts(model.label_names),
                      truth(model.is_conditional));
  text +=
      fmt::format("  \"center\": {},\n  \"sd\": {},\n", json_numbers(model.center), json_numbers(model.sd));
  text += fmt::format("  \"sde\": {},\n  \"objective\": {},\n",
                      json_part(model.sde, sde_named(model.sde.name).options),
                      json_part(model.objective, objective_named(model.objective.name).options));
  text += fmt::format("  \"parameterisation\": {},\n  \"weighting\": {},\n  \"times\": {},\n",
                      json_string(model.parameterisation), json_string(model.weighting),
                      json_string(text_of(kTimes, model.times)));
  text += json_net(model.net);
  text += fmt::format("  \"precision\": {},\n  \"seed\": {}\n}}\n",
                      json_string(text_of(kPrecisionOfFloats, model.precision)), model.seed);
  return text;
}

Model read_model(const std::filesystem::path& file) {
  const JsonValue value = parse_json(read_file(file), file.string(), kDamaged);
  const JsonFields json(value, file.string());
  if (json.text("format") != kFormat) json.refuse("format", fmt::format("'{}'", kFormat));
  const auto count = [&](const char* name) { return static_cast<std::int64_t>(json.count(name)); };
  Model model;
  model.kind = json.text("kind");
  model.dims = count("dims");
  model.image = {.channels = count("channels"), .height = count("height"), .width = count("width")};
  model.has_levels = json.flag("has_levels");
  model.names = json.texts("columns");
  model.label_column = json.text("label_column");
  model.label_names = json.texts("labels");
  model.is_conditional = json.flag("is_conditional");
  model.center = read_numbers(value, "center", json);
  model.sd = read_numbers(value, "sd", json);
  if (model.center.empty() || model.sd.size() != model.center.size())
    json.refuse("sd", "as long as 'center'");
  model.sde = read_part(json, "sde", sde_named);
  model.objective = read_part(json, "objective", objective_named);
  model.parameterisation = json.text("parameterisation");
  model.weighting = json.text("weighting");
  model.times = read_choice(json, kTimes);
  model.net = read_net(json);
  model.precision = read_choice(json, kPrecisionOfFloats);
  model.seed = json.count("seed");
  return model;
}

void fit_to_rows(Model& model, const RawRows& rows, const torch::Tensor& train, const RowsRequest& request) {
  model.dims = rows.x.size(1);
  model.image = rows.image;
  model.has_levels = rows.x.scalar_type() == torch::kUInt8;
  model.names = rows.names;
  model.label_column = rows.names.empty() ? "" : request.labels;
  model.label_names = rows.label_names;
  if (model.is_conditional && !rows.label.defined())
    throw Error(ErrorKind::usage, "--conditional needs labels.", "Name them with --labels.");
  const torch::Tensor x = rows.x.index_select(0, train).to(torch::kFloat64);
  if (!at::isfinite(x).all().item<bool>())
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: has numbers that are not finite.", request.paths.front().string()),
                "Leave out their rows.");
  if (model.is_image()) {
    const double scale = model.has_levels ? kLevels : 1, sd = x.std().item<double>() / scale;
    model.center = {x.mean().item<double>() / scale};
    model.sd = {sd > 0 ? sd : 1};
  } else {
    const torch::Tensor sd = x.std(0, false);
    model.center = list_of(x.mean(0));
    model.sd = list_of(at::where(sd > 0, sd, torch::ones_like(sd)));
  }
  model.net.choose_architecture(model.is_image());
  choose_training(model);
}

void check_rows(const Model& model, const RawRows& rows, const std::string& file) {
  if (rows.x.size(1) != model.dims)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: has rows of {} numbers; the model was trained on {}.", file, rows.x.size(1),
                            model.dims),
                "Give rows of the kind it was trained on.");
  if ((rows.x.scalar_type() == torch::kUInt8) != model.has_levels)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: has {}; the model was trained on {}.", file,
                            model.has_levels ? "numbers" : "levels 0 to 255",
                            model.has_levels ? "levels 0 to 255" : "numbers"),
                "Give rows of the kind it was trained on.");
}

Built::Built(Model model, torch::Device device)
    : model_(std::move(model)),
      options_(torch::TensorOptions().device(device).dtype(type_of_precision(model_.precision))) {
  use_products_of(model_.precision);
  sde_ = make_sde(model_.sde.name, model_.sde.options);
  objective_ = make_objective(model_.objective.name, model_.objective.options);
  parameterisation_named(model_.parameterisation);
  weighting_named(model_.weighting);
  check_times(model_.times, model_.sde.name);
  if (model_.objective.name != "denoising" && sde_->blocks() > 1)
    throw Error(ErrorKind::usage,
                fmt::format("--objective {} needs an SDE without a velocity.", model_.objective.name),
                "Choose --objective denoising.");
  NetSpec& net = model_.net;
  net.inputs = sde_->blocks() * model_.dims;
  net.outputs = model_.dims;
  net.channels = model_.image.channels;
  net.height = model_.image.height;
  net.width = model_.image.width;
  net.labels = model_.labels();
  net_ = make_score_net(layout_, net);
  sde_->add_parameters(layout_);
  flat_ = torch::zeros({1, layout_.size()}, options_);
}

void Built::start() {
  flat_.copy_(fresh_parameters(layout_, 1, model_.seed, options_));
  sde_->start(parameters());
}

void Built::settle() {
  const torch::NoGradGuard no_gradient;
  learned_ = sde_->with(parameters());
}

std::unique_ptr<LearnedScore> Built::score(const torch::Tensor& label, double guidance) const {
  return std::make_unique<LearnedScore>(network(), parameters(), model_.dims, label, guidance);
}

Rows Built::prepared(const RawRows& rows, bool is_dequantised) const {
  torch::Tensor x = rows.x.to(torch::kFloat64);
  if (model_.has_levels) {
    if (is_dequantised) x = x + torch::rand_like(x) - 0.5;
    x = x / kLevels;
  }
  x = (x - tensor_of(model_.center)) / tensor_of(model_.sd);
  Rows result{.x = x.to(options_)};
  if (rows.label.defined() && model_.is_conditional) result.label = rows.label.to(options_.device());
  return result;
}

torch::Tensor Built::in_own_units(const torch::Tensor& x) const {
  const torch::Tensor here = x.to(torch::kCPU, torch::kFloat64);
  const torch::Tensor own = here * tensor_of(model_.sd) + tensor_of(model_.center);
  return model_.has_levels ? own * kLevels : own;
}

double Built::log_volume() const {
  double sum = 0;
  const auto each = static_cast<double>(model_.dims) / static_cast<double>(model_.sd.size());
  for (const double sd : model_.sd) sum += each * std::log(model_.has_levels ? sd * kLevels : sd);
  return sum;
}

std::vector<std::string> Built::column_names() const {
  if (!model_.names.empty()) return model_.names;
  std::vector<std::string> names;
  for (std::int64_t i = 1; i <= model_.dims; ++i) names.push_back(fmt::format("pixel_{}", i));
  return names;
}

void Built::save(const std::filesystem::path& file) const {
  save_parameters(file, kFormat, layout_, parameters());
}

void Built::load(const std::filesystem::path& file) {
  load_parameters(file, layout_, parameters());
  settle();
}

std::unique_ptr<Built> open_model(const std::filesystem::path& folder, torch::Device device) {
  if (!std::filesystem::exists(folder / "weights.safetensors"))
    throw Error(
        ErrorKind::missing_file,
        fmt::format("{}: holds no trained diffusion model (there is no weights.safetensors).",
                    folder.string()),
        "Give the folder of a 'kullback diffusion' or 'kullback score' that has ended; --resume goes on with "
        "one that was interrupted.");
  auto built = std::make_unique<Built>(read_model(folder / "model.json"), device);
  built->load(folder / "weights.safetensors");
  return built;
}

}  // namespace kullback::deep::diffusion
