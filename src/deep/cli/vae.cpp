#include <algorithm>
#include <cstdio>

#include "base/error.hpp"
#include "base/filled.hpp"
#include "base/interrupt.hpp"
#include "deep/bnn/fit/network.hpp"
#include "deep/cli/display.hpp"
#include "deep/cli/training.hpp"
#include "deep/cli/union.hpp"
#include "deep/cli/verb.hpp"
#include "deep/json_fields.hpp"
#include "deep/vae/fit/fit.hpp"

namespace kullback::deep::cli {

namespace {

std::vector<OptionGroup> program_groups() {
  std::vector<OptionGroup> groups = {
      {"Data",
       {{"labels", "",
         "IDX file of the images' labels, or column of a table: colours of the map of latent variables"},
        {"conditional", "false", "give the label to both networks"},
        {"image", "", "rows of a table are images: 28x28, or 32x32x3"},
        {"ignore", "", "column to leave out; may be given several times"},
        {"validation", "0.1", "part of the rows that is held out: to judge, and to stop by; 0: none"}}},
      {"Networks",
       {{"latent", "20", "latent variables"},
        {"hidden", "400",
         "units of each hidden layer of the encoder, in reverse of the decoder: 200,200; none: linear"},
        {"architecture", "mlp", "mlp, conv or residual"},
        {"filters", "32,64", "of the convolutions, each of which halves the image (conv, residual)"},
        {"activation", "relu", "identity, relu, leaky-relu, elu, gelu, silu, softplus, tanh, sigmoid"}}},
      {"Model",
       {{"decoder", "auto",
         "bernoulli, gaussian, categorical, discretised-logistic; auto: bernoulli of images and of "
         "columns of 0 and 1, else gaussian"},
        {"prior", "gaussian", "of the latent variables"},
        {"posterior", "gaussian", "family of the latent variables given a row"}}},
      {"Objective", {{"objective", "vae", "what is made large"}}},
      {"Training",
       {{"epochs", "", "passes over the data (default: about 20,000 steps)"},
        {"batch", "128", "rows of a minibatch"},
        {"rate", "0.001", "rate of Adam"},
        {"schedule", "constant", "of the rate: constant, or cosine (falls to 0)"},
        {"patience", "",
         "epochs without a better held-out bound after which training ends; the best epoch is kept; 0: never "
         "(default: a fifth of the epochs)"},
        {"judge-every", "1", "epochs between two held-out bounds"},
        {"precision", "float32",
         "float32, float64, tf32 (a GPU's fast products of float32), or bf16 (products of training steps in "
         "bfloat16)"}}},
      {"Run",
       {{"out", "", "folder of the results (default: DATA-vae)"},
        {"seed", "", "seed of all random numbers (default: a random one, which is recorded)"},
        {"save-every", "30", "seconds between checkpoints"},
        {"resume", "false", "go on with an interrupted training in the folder"},
        {"force", "false", "replace what is there already"},
        {"quiet", "false", "print nothing but errors"}}}};
  for (Option& option : device_options()) groups.back().options.push_back(std::move(option));
  groups.back().options.push_back(kDeviceMemory);
  return groups;
}

template <class Record>
std::string names_of(std::span<const Record* const> records) {
  std::string names;
  for (const Record* record : records) names += (names.empty() ? "" : ", ") + std::string(record->name);
  return names;
}

Grammar grammar() {
  Grammar result{.verb = "vae",
                 .summary = "Learns latent variables of images or rows with a variational autoencoder.",
                 .positionals = {{"DATA", "IDX images (gzipped too), CSV or .npy", true, true}},
                 .groups = program_groups(),
                 .lists = {"ignore"}};
  result.groups[2].options[1].help += ": " + names_of(latent_priors());
  result.groups[2].options[2].help += ": " + names_of(latent_families());
  result.groups[3].options[0].help += ": " + names_of(vae_objectives());
  const auto add = [&](std::size_t group, std::vector<Option> options) {
    for (Option& option : options) result.groups[group].options.push_back(std::move(option));
  };
  add(2, united(decoder_likelihoods(), all_options(result)));
  add(2, united(latent_priors(), all_options(result)));
  add(2, united(latent_families(), all_options(result)));
  add(3, united(vae_objectives(), all_options(result)));
  return result;
}

struct Chosen {
  Settings program;
  Words decoder, prior, family, objective;
};

// Splits what was given among the program and the parts of the model.
Chosen choose(const Arguments& arguments) {
  std::vector<Option> program;
  for (const OptionGroup& group : program_groups())
    program.insert(program.end(), group.options.begin(), group.options.end());
  Words own, rest;
  for (const auto& [name, value] : arguments.values) {
    const bool is_own =
        std::any_of(program.begin(), program.end(), [&](const Option& o) { return o.name == name; });
    (is_own ? own : rest)[name] = value;
  }
  Chosen chosen{Settings(program, own), {}, {}, {}, {}};
  const Settings& settings = chosen.program;
  const VaeObjectiveRecord& objective = objective_named(settings.text("objective"));
  const LatentPriorRecord& prior = latent_prior_named(settings.text("prior"));
  const LatentFamilyRecord& family = family_named(settings.text("posterior"));
  chosen.objective = given_of(objective.options, rest);
  chosen.prior = given_of(prior.options, rest);
  chosen.family = given_of(family.options, rest);
  // Which decoder "auto" is, the data say: those options are checked then.
  if (settings.text("decoder") != "auto") {
    chosen.decoder = given_of(decoder_named(settings.text("decoder")).options, rest);
  } else {
    for (const DecoderLikelihoodRecord* record : decoder_likelihoods())
      chosen.decoder.merge(given_of(record->options, rest));
  }
  for (const auto& [name, value] : rest) {
    if (chosen.objective.count(name) + chosen.prior.count(name) + chosen.family.count(name) +
            chosen.decoder.count(name) !=
        0)
      continue;
    const auto refuse = [&](const char* part, std::string_view which) {
      throw Error(ErrorKind::usage, filled("--{} is not an option of --{} {}.", name, part, which),
                  "Leave it out, or choose another.");
    };
    if (has_option(vae_objectives(), name)) refuse("objective", objective.name);
    if (has_option(latent_priors(), name)) refuse("prior", prior.name);
    if (has_option(latent_families(), name)) refuse("posterior", family.name);
    refuse("decoder", settings.text("decoder"));
  }
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
  settings.choice("precision", {"float32", "float64", "tf32", "bf16"});
  model.precision = settings.text("precision");
  model.seed = seed_of(settings, ranks);
  return model;
}

TrainOptions train_of(const Settings& settings) {
  TrainOptions train;
  train.epochs =
      settings.has("epochs") ? static_cast<std::int64_t>(settings.count("epochs", 1, 100'000'000)) : 0;
  train.batch = static_cast<std::int64_t>(settings.count("batch", 1, 1'000'000'000));
  train.judge_every = static_cast<std::int64_t>(settings.count("judge-every", 1, 100'000'000));
  if (settings.has("patience"))
    train.patience = static_cast<std::int64_t>(settings.count("patience", 0, 100'000'000));
  train.save_every = settings.number("save-every");
  train.resume = settings.flag("resume");
  return train;
}

VaeFitRequest request_of(const Arguments& arguments, const Chosen& chosen, const Ranks& ranks) {
  const Settings& settings = chosen.program;
  VaeFitRequest request;
  request.rows.paths.assign(arguments.positionals.begin(), arguments.positionals.end());
  request.rows.labels = settings.text("labels");
  request.rows.image = settings.text("image");
  const auto ignored = arguments.lists.find("ignore");
  if (ignored != arguments.lists.end()) request.rows.ignored = ignored->second;
  request.is_conditional = settings.flag("conditional");
  request.model = model_of(chosen, ranks);
  request.decoder_options = chosen.decoder;
  request.rate = settings.positive("rate");
  request.schedule =
      settings.choice("schedule", {"constant", "cosine"}) == 0 ? Schedule::constant : Schedule::cosine;
  request.validation = validation_of(settings);
  request.train = train_of(settings);
  request.train.seed = request.model.seed;
  request.has_patience = settings.has("patience");
  settings.choice("device", {"cpu", "cuda", "auto"});
  request.device = device_named(settings.text("device"), ranks);
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
  const posterior::RunRecord before = resumed_record(arguments, "vae", "an autoencoder");
  const Chosen chosen = choose(arguments);
  use_threads(chosen.program, ranks);
  const bool prints = ranks.is_first() && !chosen.program.flag("quiet");
  if (before.status == "complete") return end_complete(before, out, prints);
  const VaeFitRequest request = request_of(arguments, chosen, ranks);
  EpochDisplay display(!prints, "held-out bound");
  const InterruptGuard guard;
  const FitOutcome outcome = fit_vae(
      request, ranks,
      {.on_epoch = [&](const EpochFigures& figures, std::int64_t epochs) { display.show(figures, epochs); },
       .should_stop = is_interrupted});
  display.clear();
  return end_training(outcome.trained, outcome.record, out, "model", prints, ranks);
}

}  // namespace

int run_vae(const std::vector<std::string>& words) {
  const Grammar known = grammar();
  const Arguments arguments = parse(known, words);
  if (arguments.wants_help) {
    std::fputs(help_text(known).c_str(), stdout);
    return 0;
  }
  return run_on_ranks(run_on, arguments);
}

}  // namespace kullback::deep::cli
