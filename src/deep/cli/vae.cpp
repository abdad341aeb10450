#include <fmt/format.h>

#include "base/error.hpp"
#include "base/json_fields.hpp"
#include "deep/bnn/fit/network.hpp"
#include "deep/cli/training.hpp"
#include "deep/cli/union.hpp"
#include "deep/cli/verb.hpp"
#include "deep/vae/fit/fit.hpp"

namespace kullback::deep::cli {

namespace {

std::vector<OptionGroup> program_groups() {
  return {
      {"Data",
       {{"labels", "",
         "IDX file of the images' labels, or column of a table: colours of the map of latent variables"},
        {"conditional", "false", "give the label to both networks"},
        kImage,
        kIgnore,
        validation_option(": to judge, and to stop by")}},
      {"Networks",
       {{"latent", "20", "latent variables"},
        {"hidden", "400",
         "units of each hidden layer of the encoder, in reverse of the decoder: 200,200; none: linear"},
        {"architecture", "mlp", "mlp, conv or residual"},
        {"filters", "32,64", "of the convolutions, each of which halves the image (conv, residual)"},
        activation_option("relu")}},
      {"Model",
       {{"decoder", "auto",
         "bernoulli, gaussian, categorical, discretised-logistic; auto: bernoulli of images and of "
         "columns of 0 and 1, else gaussian"},
        {"prior", "gaussian", "of the latent variables"},
        {"posterior", "gaussian", "family of the latent variables given a row"}}},
      {"Objective", {{"objective", "vae", "objective to maximise"}}},
      {"Training",
       {kEpochs,
        batch_option("128"),
        kRate,
        schedule_option("constant"),
        {"patience", "",
         "epochs without a better held-out bound after which training ends; the best epoch is kept; 0: never "
         "(default: a fifth of the epochs)"},
        judge_every_option("held-out bounds"),
        precision_option(Precisions::all)}},
      run_group("vae", {kDeviceMemory})};
}

Usage usage() {
  Usage result{.positionals = {{"DATA", "IDX images (gzipped too), CSV or .npy", true}},
               .groups = program_groups(),
               .lists = {"ignore"}};
  result.groups[2].options[1].help += ": " + names_of(latent_priors());
  result.groups[2].options[2].help += ": " + names_of(latent_families());
  result.groups[3].options[0].help += ": " + names_of(vae_objectives());
  append(result.groups[2], united(decoder_likelihoods(), all_options(result)));
  append(result.groups[2], united(latent_priors(), all_options(result)));
  append(result.groups[2], united(latent_families(), all_options(result)));
  append(result.groups[3], united(vae_objectives(), all_options(result)));
  return result;
}

struct Chosen {
  Settings program;
  Words decoder, prior, family, objective;
};

Chosen choose(const Arguments& arguments) {
  Given given(program_groups(), arguments);
  Chosen chosen{given.program(), {}, {}, {}, {}};
  const Settings& settings = chosen.program;
  const std::string& decoder = settings.text("decoder");
  if (decoder != "auto") decoder_named(decoder);
  chosen.objective =
      given.of("objective", objective_named(settings.text("objective")).name, vae_objectives());
  chosen.prior = given.of("prior", latent_prior_named(settings.text("prior")).name, latent_priors());
  chosen.family = given.of("posterior", family_named(settings.text("posterior")).name, latent_families());
  chosen.decoder = given.of("decoder", decoder, decoder_likelihoods());
  given.check();
  return chosen;
}

VaeModel model_of(const Chosen& chosen, const Ranks& ranks) {
  const Settings& settings = chosen.program;
  VaeModel model;
  model.spec.latent = static_cast<std::int64_t>(settings.count("latent", 1, 100'000));
  model.spec.hidden = counts_of("hidden", settings.text("hidden"), "Write --hidden 200,200 for two layers.");
  model.spec.filters =
      counts_of("filters", settings.text("filters"), "Write --filters 200,200 for two layers.");
  model.spec.architecture = architecture_named(settings.text("architecture"));
  model.activation = settings.text("activation");
  model.spec.activation = activation_named(model.activation);
  const auto part = [](const auto& record, const Words& given) {
    return Part{std::string(record.name), Settings(record.options, given).values()};
  };
  model.objective = part(objective_named(settings.text("objective")), chosen.objective);
  model.prior = part(latent_prior_named(settings.text("prior")), chosen.prior);
  model.family = part(family_named(settings.text("posterior")), chosen.family);
  model.decoder.name = settings.text("decoder");
  model.precision = precision_of(settings, Precisions::all);
  model.seed = seed_of(settings, ranks);
  return model;
}

VaeFitRequest request_of(const Arguments& arguments, const Chosen& chosen, const Ranks& ranks) {
  const Settings& settings = chosen.program;
  VaeFitRequest request;
  request.rows = rows_of(arguments, settings);
  request.rows.labels = settings.text("labels");
  request.is_conditional = settings.flag("conditional");
  request.model = model_of(chosen, ranks);
  request.decoder_options = chosen.decoder;
  request.rate = settings.positive("rate");
  request.schedule = schedule_of(settings);
  request.validation = validation_of(settings);
  request.train = train_options(settings, request.model.seed);
  request.has_patience = settings.has("patience");
  request.device = device_of(settings, ranks);
  request.device_memory = device_memory_of(settings);
  request.out = settings.text("out");
  request.force = settings.flag("force");
  const VaeModel& model = request.model;
  request.options = recorded_options(
      settings, {&model.objective.options, &model.prior.options, &model.family.options, &chosen.decoder},
      request.rows.ignored);
  return request;
}

int run_on(const Ranks& ranks, const Arguments& given) {
  Arguments arguments = given;
  const std::string out = out_of(arguments, "vae");
  const run::RunRecord before = resumed_record(arguments, "vae", "an autoencoder");
  const Chosen chosen = choose(arguments);
  use_threads(chosen.program, ranks);
  const bool prints = ranks.is_first() && !chosen.program.flag("quiet");
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
