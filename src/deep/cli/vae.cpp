#include "deep/cli/training.hpp"
#include "deep/cli/verb.hpp"
#include "deep/counts.hpp"
#include "deep/part.hpp"
#include "deep/train/options.hpp"
#include "deep/vae/fit/fit.hpp"

namespace kullback::deep::cli {

namespace {

constexpr auto kLabels = TextOption(
    "labels", "IDX file of the images' labels, or column of a table: colours of the map of latent variables");
constexpr auto kConditional = FlagOption("conditional", false, "Give the label to both networks");
constexpr auto kLatent = CountOption("latent", 20, "Latent variables").from(1).to(100'000);
constexpr auto kHidden =
    TextOption("hidden", "400",
               "Units of each hidden layer of the encoder, in reverse of the decoder: 200,200; none: linear")
        .shown_as("COUNTS");
constexpr auto kFilters =
    TextOption("filters", "32,64", "Of the convolutions, each of which halves the image (conv, residual)")
        .shown_as("COUNTS");
constexpr auto kDecoder = TextOption("decoder", "",
                                     "Of a row given the latent variables; auto: bernoulli of images and of "
                                     "columns of 0 and 1, else gaussian");
constexpr auto kPrior = TextOption("prior", "gaussian", "Of the latent variables");
constexpr auto kPosterior = TextOption("posterior", "gaussian", "Family of the latent variables given a row");
constexpr auto kObjective = TextOption("objective", "vae", "Objective to maximise");
constexpr auto kBatch = option::batch_option(128, "Rows of a minibatch");

constexpr const OptionRecord* kData[] = {&kLabels, &kConditional, &option::kImage, &option::kIgnore,
                                         &option::kValidation};
constexpr const OptionRecord* kNetworks[] = {&kLatent, &kHidden, &kArchitecture, &kFilters, &kReluActivation};
constexpr const OptionRecord* kModel[] = {&kDecoder, &kPrior, &kPosterior};
constexpr const OptionRecord* kObjectives[] = {&kObjective};
constexpr const OptionRecord* kTraining[] = {
    &option::kEpochs,     &kBatch,    &option::kRate, &kConstantRate, &option::kPatience,
    &option::kJudgeEvery, &kPrecision};

Usage usage() {
  return {.positionals = {{"DATA", "IDX images (gzipped too), CSV or .npy", true}},
          .groups = {{"Data", kData},
                     {"Networks", kNetworks},
                     {"Model", kModel},
                     {"Objective", kObjectives},
                     {"Training", kTraining},
                     {"Run", option::kRunWithMemory}},
          .parts = {{"Model", tables_of(decoder_likelihoods())},
                    {"Model", tables_of(latent_priors())},
                    {"Model", tables_of(latent_families())},
                    {"Objective", tables_of(vae_objectives())}},
          .choices = {{&kDecoder, names_of(decoder_likelihoods())},
                      {&kPrior, names_of(latent_priors())},
                      {&kPosterior, names_of(latent_families())},
                      {&kObjective, names_of(vae_objectives())}}};
}

struct Chosen {
  OptionValues values;
  GivenTexts decoder;  // as given: the data may choose the decoder
  Part prior, family, objective;
};

Chosen choose(const Arguments& arguments) {
  Given given(arguments);
  const OptionValues& values = given.own();
  const auto part = [&](const TextOption& option, const auto& named, const auto& records) {
    const std::string name(values[option]);
    return Part{name, given.of(option, named(name), records)};
  };
  const std::string decoder = values.text_of(kDecoder);
  if (decoder != "auto") decoder_named(decoder);
  Chosen chosen{.values = values,
                .decoder = {},
                .prior = {},
                .family = {},
                .objective = part(kObjective, objective_named, vae_objectives())};
  chosen.prior = part(kPrior, latent_prior_named, latent_priors());
  chosen.family = part(kPosterior, family_named, latent_families());
  chosen.decoder = given.texts(kDecoder, decoder, decoder_likelihoods());
  given.check();
  return chosen;
}

VaeModel model_of(const Chosen& chosen, const Ranks& ranks) {
  const OptionValues& values = chosen.values;
  VaeModel model;
  model.spec.latent = count_of(values, kLatent);
  model.spec.hidden = counts_of(values, kHidden);
  model.spec.filters = counts_of(values, kFilters);
  model.spec.architecture = values[kArchitecture];
  model.spec.activation = values[kReluActivation];
  model.objective = chosen.objective;
  model.prior = chosen.prior;
  model.family = chosen.family;
  model.decoder.name = values.text_of(kDecoder);
  model.precision = values[kPrecision];
  model.seed = seed_of(values, ranks);
  return model;
}

VaeFitRequest request_of(const Arguments& arguments, const Chosen& chosen, const Ranks& ranks) {
  const OptionValues& values = chosen.values;
  VaeFitRequest request;
  request.rows = rows_of(arguments, values);
  request.rows.labels = values[kLabels];
  request.is_conditional = values[kConditional];
  request.model = model_of(chosen, ranks);
  request.decoder_options = chosen.decoder;
  request.rate = values[option::kRate];
  request.schedule = values[kConstantRate];
  request.validation = values[option::kValidation];
  request.train = train_options(values, kBatch, request.model.seed);
  request.has_patience = values.is_given(option::kPatience);
  request.device = device_of(values[option::kDevice], ranks);
  request.device_memory = device_memory_of(values);
  request.out = values[option::kOut];
  request.force = values[option::kForce];
  request.options = recorded_options(
      arguments, values,
      {recorded(objective_named(chosen.objective.name).options, chosen.objective.options),
       recorded(latent_prior_named(chosen.prior.name).options, chosen.prior.options),
       recorded(family_named(chosen.family.name).options, chosen.family.options), chosen.decoder});
  return request;
}

int run_on(const Ranks& ranks, const Arguments& given) {
  Arguments arguments = given;
  const std::string out = out_of(arguments, "vae");
  const run::RunRecord before = resumed_record(arguments, "vae", "an autoencoder");
  const Chosen chosen = choose(arguments);
  use_threads(chosen.values, ranks);
  const bool prints = ranks.is_first() && !chosen.values[option::kQuiet];
  if (before.status == "complete") return end_complete(before, out, prints);
  const VaeFitRequest request = request_of(arguments, chosen, ranks);
  const FitOutcome outcome =
      watched_fit(prints, [&](const run::Watch& watch) { return fit_vae(request, ranks, watch); });
  return end_training(outcome.trained, outcome.record, outcome.folder.string(), "model", prints, ranks);
}

}  // namespace

Run add_vae(const Command& verb, const std::vector<std::string>&) {
  return add_training(verb, usage(), run_on);
}

}  // namespace kullback::deep::cli
