#include "deep/vae/fit/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/json_fields.hpp"
#include "base/json_value.hpp"
#include "base/random.hpp"
#include "deep/net/options.hpp"
#include "deep/part.hpp"
#include "deep/purpose.hpp"
#include "deep/train/weights_file.hpp"
#include "deep/vae/likelihoods/levels.hpp"
#include "deep/vae/pairs.hpp"
#include "run/json_text.hpp"

namespace kullback::deep {

namespace {

constexpr const char* kFormat = "kullback vae 1";
constexpr std::int64_t kRowsAtOnce = 4096;

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

std::string json_numbers(const std::vector<double>& numbers) {
  std::string text = "[";
  for (const double number : numbers) text += (text.size() == 1 ? "" : ", ") + run::json_number(number);
  return text + "]";
}

std::vector<double> read_numbers(const JsonValue& object, const std::string& name, const std::string& file) {
  std::vector<double> numbers;
  const JsonValue* value = object.find(name);
  if (value == nullptr || value->array() == nullptr)
    throw Error(ErrorKind::bad_input, fmt::format("{}: has no list '{}'.", file, name));
  for (const JsonValue& item : *value->array()) {
    if (item.number() == nullptr)
      throw Error(ErrorKind::bad_input, fmt::format("{}: '{}' is no list of numbers.", file, name));
    numbers.push_back(item.number()->value);
  }
  return numbers;
}

torch::Tensor tensor_of(const std::vector<double>& numbers) {
  return torch::tensor(numbers, torch::kFloat64);
}

}  // namespace

const LatentFamilyRecord& family_named(const std::string& name) {
  return named(latent_families(), name, "posterior");
}
const DecoderLikelihoodRecord& decoder_named(const std::string& name) {
  return named(decoder_likelihoods(), name, "decoder");
}
const LatentPriorRecord& latent_prior_named(const std::string& name) {
  return named(latent_priors(), name, "prior");
}
const VaeObjectiveRecord& objective_named(const std::string& name) {
  return named(vae_objectives(), name, "objective");
}

bool VaeModel::is_binarised_once() const { return decoder.options[kBinarise] == Binarise::fixed; }

std::string to_json(const VaeModel& model) {
  const VaeSpec& spec = model.spec;
  std::string text = fmt::format("{{\n  \"format\": \"{}\",\n  \"pixels\": {},\n  \"channels\": {},\n",
                                 kFormat, spec.pixels, spec.channels);
  text += fmt::format("  \"height\": {},\n  \"width\": {},\n  \"latent\": {},\n", spec.height, spec.width,
                      spec.latent);
  text += fmt::format("  \"is_conditional\": {},\n", spec.labels > 0 ? "true" : "false");
  text += fmt::format("  \"architecture\": \"{}\",\n", text_of(kArchitecture, spec.architecture));
  text += fmt::format("  \"hidden\": {},\n  \"filters\": {},\n", json_counts(spec.hidden),
                      json_counts(spec.filters));
  text += fmt::format("  \"activation\": {},\n", json_string(text_of(kReluActivation, spec.activation)));
  text += fmt::format("  \"columns\": {},\n", json_texts(model.names));
  text += fmt::format("  \"label_column\": {},\n", json_string(model.label_column));
  text += fmt::format("  \"labels\": {},\n", json_texts(model.label_names));
  text += fmt::format("  \"has_levels\": {},\n", model.has_levels ? "true" : "false");
  text +=
      fmt::format("  \"center\": {},\n  \"sd\": {},\n", json_numbers(model.center), json_numbers(model.sd));
  text +=
      fmt::format("  \"posterior\": {},\n", json_part(model.family, family_named(model.family.name).options));
  text += fmt::format("  \"decoder\": {},\n",
                      json_part(model.decoder, decoder_named(model.decoder.name).options));
  text +=
      fmt::format("  \"prior\": {},\n", json_part(model.prior, latent_prior_named(model.prior.name).options));
  text += fmt::format("  \"objective\": {},\n",
                      json_part(model.objective, objective_named(model.objective.name).options));
  text += fmt::format("  \"precision\": {},\n  \"seed\": {}\n}}\n",
                      json_string(text_of(kPrecision, model.precision)), model.seed);
  return text;
}

VaeModel read_model(const std::filesystem::path& file) {
  const JsonValue value = parse_json(read_file(file), file.string(),
                                     "The file was written by another program, or is damaged; train again.");
  const JsonFields json(value, file.string());
  if (json.text("format") != kFormat) json.refuse("format", fmt::format("'{}'", kFormat));
  VaeModel model;
  VaeSpec& spec = model.spec;
  const auto count = [&](const char* name) { return static_cast<std::int64_t>(json.count(name)); };
  spec.pixels = count("pixels");
  spec.channels = count("channels");
  spec.height = count("height");
  spec.width = count("width");
  spec.latent = count("latent");
  spec.architecture = read_choice(json, kArchitecture);
  spec.hidden = json.counts("hidden");
  spec.filters = json.counts("filters");
  spec.activation = read_choice(json, kReluActivation);
  model.names = json.texts("columns");
  model.label_column = json.text("label_column");
  model.label_names = json.texts("labels");
  if (json.flag("is_conditional")) spec.labels = static_cast<std::int64_t>(model.label_names.size());
  model.has_levels = json.flag("has_levels");
  model.center = read_numbers(value, "center", file.string());
  model.sd = read_numbers(value, "sd", file.string());
  model.family = read_part(json, "posterior", family_named);
  model.decoder = read_part(json, "decoder", decoder_named);
  model.prior = read_part(json, "prior", latent_prior_named);
  model.objective = read_part(json, "objective", objective_named);
  model.precision = read_choice(json, kPrecision);
  model.seed = json.count("seed");
  return model;
}

BuiltVae::BuiltVae(VaeModel model, torch::Device device)
    : model_(std::move(model)),
      options_(torch::TensorOptions().device(device).dtype(type_of_precision(model_.precision))) {
  use_products_of(model_.precision);
  model_.spec.is_brief = model_.precision == Precision::bf16;
  const LatentFamilyRecord& family = family_named(model_.family.name);
  const DecoderLikelihoodRecord& decoder = decoder_named(model_.decoder.name);
  const LatentPriorRecord& prior = latent_prior_named(model_.prior.name);
  const VaeObjectiveRecord& objective = objective_named(model_.objective.name);
  check_pairs(family.name, prior.name, objective.name);
  model_.spec.has_unit_range = decoder.needs_unit_range;
  vae_ = std::make_unique<Vae>(model_.spec, family.make(model_.family.options, model_.spec),
                               decoder.make(model_.decoder.options, model_.spec),
                               prior.make(model_.prior.options, model_.spec));
  objective_ = objective.make(model_.objective.options, model_.spec);
  const bool has_density = vae_->family().has_density();
  if (!has_density && (prior.needs_density || objective.needs_density)) {
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "--{} {} needs the density of the posterior anywhere, which --posterior {} has only at its "
            "own draws.",
            prior.needs_density ? "prior" : "objective", prior.needs_density ? prior.name : objective.name,
            family.name),
        "Choose --posterior gaussian, or another of the first.");
  }
  flat_ = torch::zeros({1, vae_->layout().size()}, options_);
}

void BuiltVae::start(const VaeRows& rows) {
  const std::int64_t some = std::min<std::int64_t>(rows.size(), 10'000);
  flat_.copy_(
      vae_->fresh(rows_as_numbers(rows.x.narrow(0, 0, some).to(options_.device()), options_), model_.seed));
}

VaeRows BuiltVae::prepared(const RawRows& rows, const torch::Device& place) const {
  torch::Tensor x = rows.x;
  if (model_.is_binarised_once()) x = binarised_once(x, model_.seed);
  if (!model_.center.empty()) x = (x - tensor_of(model_.center)) / tensor_of(model_.sd);
  if (x.scalar_type() != torch::kUInt8) x = x.to(options_.dtype());
  VaeRows result{.x = x.to(place)};
  if (rows.label.defined()) result.label = rows.label.to(place);
  return result;
}

torch::Tensor BuiltVae::in_own_units(const torch::Tensor& x) const {
  const torch::Tensor here = x.to(torch::TensorOptions().device(torch::kCPU).dtype(torch::kFloat64));
  if (!model_.center.empty()) return here * tensor_of(model_.sd) + tensor_of(model_.center);
  return model_.has_levels ? here * 255 : here;
}

std::vector<std::string> BuiltVae::column_names() const {
  if (!model_.names.empty()) return model_.names;
  std::vector<std::string> names;
  for (std::int64_t i = 1; i <= model_.spec.pixels; ++i) names.push_back(fmt::format("pixel_{}", i));
  return names;
}

Moments BuiltVae::encode(const VaeRows& rows) const {
  const torch::NoGradGuard no_gradient;
  const Parameters parameters = this->parameters();
  std::vector<torch::Tensor> means, sds;
  for (std::int64_t first = 0; first < rows.size(); first += kRowsAtOnce) {
    const std::int64_t count = std::min(kRowsAtOnce, rows.size() - first);
    // Levels between 0 and 1 are not drawn: the encoder gets their means.
    const torch::Tensor x = rows_as_numbers(rows.x.narrow(0, first, count), options_);
    const torch::Tensor label =
        rows.label.defined() ? one_hot(rows.label.narrow(0, first, count), model_.spec.labels, options_)
                             : torch::Tensor();
    const Moments moments = vae_->posterior(parameters, x, label, Mode::evaluate)->moments();
    means.push_back(moments.mean.to(torch::kCPU, torch::kFloat64));
    sds.push_back(moments.sd.to(torch::kCPU, torch::kFloat64));
  }
  return {.mean = at::cat(means), .sd = at::cat(sds)};
}

torch::Tensor BuiltVae::decode(const torch::Tensor& z, const torch::Tensor& label) const {
  const torch::NoGradGuard no_gradient;
  const Parameters parameters = this->parameters();
  std::vector<torch::Tensor> means;
  for (std::int64_t first = 0; first < z.size(0); first += kRowsAtOnce) {
    const std::int64_t count = std::min(kRowsAtOnce, z.size(0) - first);
    const torch::Tensor some = z.narrow(0, first, count).to(options_).unsqueeze(0);
    const torch::Tensor of_rows = label.defined()
                                      ? one_hot(label.narrow(0, first, count), model_.spec.labels, options_)
                                      : torch::Tensor();
    means.push_back(
        vae_->likelihood().mean(parameters, vae_->decode(parameters, some, of_rows)).squeeze(0).cpu());
  }
  return at::cat(means);
}

void BuiltVae::save(const std::filesystem::path& file) const {
  TensorFile tensors;
  tensors.metadata = {{"format", kFormat}};
  const Parameters parameters = this->parameters();
  for (std::size_t i = 0; i < vae_->layout().slots().size(); ++i)
    tensors.tensors.emplace_back(vae_->layout().slots()[i].name, parameters[i].squeeze(0));
  vae_->family().visit([&](const std::string& name, torch::Tensor& tensor) {
    tensors.tensors.emplace_back("state." + name, tensor);
  });
  write_safetensors(file, tensors);
}

void BuiltVae::load(const std::filesystem::path& file) {
  const torch::NoGradGuard no_gradient;
  const TensorFile tensors = read_safetensors(file);
  const Parameters parameters = this->parameters();
  const auto take = [&](const std::string& name, const torch::Tensor& into) {
    take_tensor(file, tensors, name, into);
  };
  for (std::size_t i = 0; i < vae_->layout().slots().size(); ++i)
    take(vae_->layout().slots()[i].name, parameters[i].squeeze(0));
  vae_->family().visit(
      [&](const std::string& name, torch::Tensor& tensor) { take("state." + name, tensor); });
}

torch::Tensor sample_vae(const BuiltVae& built, std::int64_t count, std::optional<std::int64_t> label,
                         std::uint64_t more) {
  const torch::NoGradGuard no_gradient;
  Random random(built.model().seed, 0, static_cast<std::uint32_t>(Purpose::prediction),
                static_cast<std::uint32_t>(more));
  at::manual_seed(random());
  const torch::Tensor z = built.vae().prior().sample(built.vae(), built.parameters(), count, Noise());
  const std::int64_t labels = built.model().spec.labels;
  if (labels == 0) return built.decode(z, {});
  const auto options = built.options().dtype(torch::kInt64);
  return built.decode(
      z, label ? torch::full({count}, *label, options) : torch::arange(count, options).remainder(labels));
}

BuiltVae open_vae(const std::filesystem::path& folder, torch::Device device) {
  if (!std::filesystem::exists(folder / "model.json")) {
    throw Error(ErrorKind::missing_file,
                fmt::format("{}: holds no autoencoder (there is no model.json).", folder.string()),
                "Give the folder that 'kullback vae' wrote.");
  }
  VaeModel model = read_model(folder / "model.json");
  if (model.precision == Precision::bf16)
    model.precision = Precision::float32;  // what was trained so is evaluated exactly
  BuiltVae built(std::move(model), device);
  built.load(folder / "weights.safetensors");
  return built;
}

}  // namespace kullback::deep
