#include "deep/energy/fit/model.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/json_fields.hpp"
#include "base/json_value.hpp"
#include "base/random.hpp"
#include "deep/data/as_numbers.hpp"
#include "deep/net/precision.hpp"
#include "deep/part.hpp"
#include "deep/purpose.hpp"
#include "deep/train/weights_file.hpp"

namespace kullback::deep {

namespace {

constexpr const char* kFormat = "kullback ebm 1";
constexpr double kLevels = 256;

template <class Record>
const Record& named(std::span<const Record* const> records, const std::string& name, const char* option) {
  std::string all;
  for (const Record* record : records) {
    if (record->name == name) return *record;
    all += (all.empty() ? "" : ", ") + std::string(record->name);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no --{} '{}'.", option, name),
              "Known are: " + all + ".");
}

torch::Tensor are_bits(const torch::Tensor& x) { return ((x == 0).logical_or(x == 1)).all(0); }

std::string column_text(const EbmModel& model, std::int64_t column) {
  const auto i = static_cast<std::size_t>(column);
  return i < model.names.size() ? fmt::format("column '{}'", model.names[i])
                                : fmt::format("pixel {}", column + 1);
}

void check_bits(const EbmModel& model, const torch::Tensor& x, const std::string& file) {
  if (x.scalar_type() == torch::kUInt8) return;
  const torch::Tensor others = at::nonzero(at::logical_not(are_bits(x)));
  if (others.size(0) == 0) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: {} has numbers besides 0 and 1, which --energy rbm cannot explain.", file,
                          column_text(model, others[0][0].item<std::int64_t>())),
              "Give --energy net.");
}

void check_varies(const EbmModel& model, const torch::Tensor& x, const std::string& file) {
  if (x.scalar_type() == torch::kUInt8) return;
  const torch::Tensor constant = at::nonzero(x.std(0, false) == 0);
  if (constant.size(0) == 0 || model.is_image()) return;
  const std::int64_t column = constant[0][0].item<std::int64_t>();
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: {} is the same number in all rows, which has no density.", file,
                          column_text(model, column)),
              "Leave it out with --ignore.");
}

}  // namespace

const EnergyRecord& energy_named(const std::string& name) { return named(energies(), name, "energy"); }
const ChainSamplerRecord& chain_sampler_named(const std::string& name) {
  return named(chain_samplers(), name, "sampler");
}
const EnergyTrainingRecord& energy_training_named(const std::string& name) {
  return named(energy_trainings(), name, "training");
}

std::string to_json(const EbmModel& model) {
  const OptionTable of_energy = energy_named(model.energy.name).options,
                    of_sampler = chain_sampler_named(model.sampler.name).options,
                    of_training = energy_training_named(model.training.name).options;
  std::string text = fmt::format("{{\n  \"format\": \"{}\",\n  \"dim\": {},\n  \"channels\": {},\n", kFormat,
                                 model.dim, model.image.channels);
  text += fmt::format("  \"height\": {},\n  \"width\": {},\n", model.image.height, model.image.width);
  text += fmt::format("  \"columns\": {},\n  \"has_levels\": {},\n", json_texts(model.names),
                      model.has_levels ? "true" : "false");
  text += fmt::format("  \"energy\": {},\n  \"sampler\": {},\n  \"training\": {},\n",
                      json_part(model.energy, of_energy), json_part(model.sampler, of_sampler),
                      json_part(model.training, of_training));
  return text + fmt::format("  \"precision\": {},\n  \"seed\": {}\n}}\n",
                            json_string(text_of(kPrecision, model.precision)), model.seed);
}

EbmModel read_ebm_model(const std::filesystem::path& file) {
  const JsonValue value = parse_json(read_file(file), file.string(),
                                     "The file was written by another program, or is damaged; train again.");
  const JsonFields json(value, file.string());
  if (json.text("format") != kFormat) json.refuse("format", fmt::format("'{}'", kFormat));
  const auto count = [&](const char* name) { return static_cast<std::int64_t>(json.count(name)); };
  EbmModel model;
  model.dim = count("dim");
  model.image = {.channels = count("channels"), .height = count("height"), .width = count("width")};
  model.names = json.texts("columns");
  model.has_levels = json.flag("has_levels");
  model.energy = read_part(json, "energy", energy_named);
  model.sampler = read_part(json, "sampler", chain_sampler_named);
  model.training = read_part(json, "training", energy_training_named);
  model.precision = read_choice(json, kPrecision);
  model.seed = json.count("seed");
  return model;
}

void fit_model_to_rows(EbmModel& model, const RawRows& rows, const std::string& file) {
  model.dim = rows.x.size(1);
  model.image = rows.image;
  model.names = rows.names;
  model.has_levels = rows.x.scalar_type() == torch::kUInt8;
  if (model.energy.name == "auto")
    model.energy.name = !model.has_levels && are_bits(rows.x).all().item<bool>() ? "rbm" : "net";
  const bool needs_bits = energy_named(model.energy.name).needs_bits;
  if (needs_bits) {
    check_bits(model, rows.x, file);
  } else {
    check_varies(model, rows.x, file);
  }
  if (model.sampler.name == "auto") model.sampler.name = needs_bits ? "gibbs" : "mala";
}

BuiltEbm::BuiltEbm(EbmModel model, torch::Device device)
    : model_(std::move(model)),
      options_(torch::TensorOptions().device(device).dtype(type_of_precision(model_.precision))) {
  use_products_of(model_.precision);
  const EnergyRecord& energy = energy_named(model_.energy.name);
  const ChainSamplerRecord& sampler = chain_sampler_named(model_.sampler.name);
  const EnergyTrainingRecord& training = energy_training_named(model_.training.name);
  if (sampler.is_for_bits != energy.needs_bits)
    throw Error(ErrorKind::usage,
                fmt::format("--sampler {} moves {}, and --energy {} is of {}.", sampler.name,
                            sampler.is_for_bits ? "0 and 1" : "numbers along gradients", energy.name,
                            energy.needs_bits ? "0 and 1" : "numbers"),
                energy.needs_bits ? "Choose --sampler gibbs." : "Choose --sampler mala.");
  energy_ = energy.make(model_.energy.options, {.dim = model_.dim,
                                                .channels = model_.image.channels,
                                                .height = model_.image.height,
                                                .width = model_.image.width,
                                                .options = options_});
  if (training.needs_exact_partition && energy_->exact_partition_by().empty())
    throw Error(ErrorKind::usage,
                fmt::format("--training {} needs the constant of the energy, which this one does not give.",
                            training.name),
                "It is available for at most 16 hidden units, or one or two columns; choose --training "
                "persistent.");
  if (training.needs_adjusted_sampler && !sampler.is_adjusted)
    throw Error(
        ErrorKind::usage,
        fmt::format("--training {} needs a sampler that leaves the model invariant, and --sampler {} is not "
                    "adjusted.",
                    training.name, sampler.name),
        "Choose --sampler mala or hmc, or --training persistent.");
  sampler_ = sampler.make(model_.sampler.options, model_.dim, options_);
  training_ = training.make(model_.training.options, *energy_);
  flat_ = torch::zeros({1, energy_->layout().size()}, options_);
  center_ = torch::zeros({model_.dim}, options_);
  sd_ = torch::ones({model_.dim}, options_);
}

void BuiltEbm::start(const torch::Tensor& rows) {
  const bool is_continuous = energy_->is_continuous();
  Random random(model_.seed, 0, static_cast<std::uint32_t>(Purpose::chains));
  if (is_continuous) {
    torch::Tensor x = rows.to(torch::kFloat64);
    if (model_.has_levels) x = (x + 0.5) / kLevels;
    const torch::Tensor center = x.mean(0);
    // Pixels share one scale, as some never vary.
    const torch::Tensor sd =
        model_.is_image() ? (x - center).square().mean().sqrt().expand({model_.dim}) : x.std(0, false);
    center_.copy_(center);
    sd_.copy_(sd);
  } else {
    energy_->fit_base(observed(prepared(rows)));
  }
  flat_.copy_(fresh_parameters(energy_->layout(), 1, model_.seed, options_));
  at::manual_seed(random());
  training_->begin(*energy_, parameters());
}

void BuiltEbm::check(const RawRows& rows, const std::string& file) const {
  if (rows.x.size(1) != model_.dim)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: has rows of {} numbers; the model was trained on {}.", file, rows.x.size(1),
                            model_.dim),
                "Give data of the kind it was trained on.");
  if (model_.has_levels != (rows.x.scalar_type() == torch::kUInt8))
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: has {}; the model was trained on {}.", file,
                            model_.has_levels ? "numbers" : "levels from 0 to 255",
                            model_.has_levels ? "levels from 0 to 255" : "numbers"),
                "Give data of the kind it was trained on.");
  if (!energy_->is_continuous()) check_bits(model_, rows.x, file);
}

torch::Tensor BuiltEbm::prepared(const torch::Tensor& rows) const {
  torch::Tensor x = rows;
  if (model_.has_levels && !energy_->is_continuous()) x = binarised_once(x, model_.seed);
  return x.scalar_type() == torch::kUInt8 ? x.to(options_.device()) : x.to(options_);
}

torch::Tensor BuiltEbm::observed(const torch::Tensor& prepared) const {
  if (!energy_->is_continuous()) return rows_as_numbers(prepared, options_);
  torch::Tensor x = prepared.to(options_);
  if (prepared.scalar_type() == torch::kUInt8) x = (x + torch::rand_like(x)) / kLevels;
  return (x - center_) / sd_;
}

torch::Tensor BuiltEbm::in_own_units(const torch::Tensor& x) const {
  torch::Tensor here = energy_->is_continuous() ? x * sd_ + center_ : x;
  here = here.to(torch::TensorOptions().device(torch::kCPU).dtype(torch::kFloat64));
  if (!model_.has_levels) return here;
  return energy_->is_continuous() ? here * kLevels : here * (kLevels - 1);
}

double BuiltEbm::log_units() const {
  if (!energy_->is_continuous()) return 0;
  const double scales = sd_.to(torch::kFloat64).log().sum().item<double>();
  return -scales - (model_.has_levels ? static_cast<double>(model_.dim) * std::log(kLevels) : 0);
}

std::vector<std::string> BuiltEbm::column_names() const {
  if (!model_.names.empty()) return model_.names;
  std::vector<std::string> names;
  for (std::int64_t i = 1; i <= model_.dim; ++i) names.push_back(fmt::format("pixel_{}", i));
  return names;
}

void BuiltEbm::visit(const VisitTensor& visit) {
  visit("flat", flat_);
  visit("center", center_);
  visit("sd", sd_);
  energy_->visit([&](const std::string& name, torch::Tensor& tensor) { visit("energy." + name, tensor); });
  sampler_->visit(visit);
  training_->visit(visit);
}

void BuiltEbm::save(const std::filesystem::path& file) {
  TensorFile tensors;
  tensors.metadata = {{"format", kFormat}};
  const Parameters parameters = this->parameters();
  for (std::size_t i = 0; i < energy_->layout().slots().size(); ++i)
    tensors.tensors.emplace_back(energy_->layout().slots()[i].name, parameters[i].squeeze(0));
  visit([&](const std::string& name, torch::Tensor& tensor) {
    if (name != "flat") tensors.tensors.emplace_back("state." + name, tensor);
  });
  write_safetensors(file, tensors);
}

void BuiltEbm::load(const std::filesystem::path& file) {
  const torch::NoGradGuard no_gradient;
  const TensorFile tensors = read_safetensors(file);
  const auto take = [&](const std::string& name, const torch::Tensor& into) {
    take_tensor(file, tensors, name, into);
  };
  const Parameters parameters = this->parameters();
  for (std::size_t i = 0; i < energy_->layout().slots().size(); ++i)
    take(energy_->layout().slots()[i].name, parameters[i].squeeze(0));
  visit([&](const std::string& name, torch::Tensor& tensor) {
    if (name != "flat") take("state." + name, tensor);
  });
}

BuiltEbm open_ebm(const std::filesystem::path& folder, torch::Device device) {
  if (!std::filesystem::exists(folder / "model.json"))
    throw Error(ErrorKind::missing_file,
                fmt::format("{}: holds no energy-based model (there is no model.json).", folder.string()),
                "Give the folder that 'kullback ebm' wrote.");
  if (!std::filesystem::exists(folder / "weights.safetensors"))
    throw Error(ErrorKind::missing_file,
                fmt::format("{}: has no weights: its training did not end.", folder.string()),
                "Go on with it with 'kullback ebm ... --resume'.");
  BuiltEbm built(read_ebm_model(folder / "model.json"), device);
  built.load(folder / "weights.safetensors");
  return built;
}

}  // namespace kullback::deep
