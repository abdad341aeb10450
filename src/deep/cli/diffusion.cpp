// diffusion and score: both train a score network; score has a ladder of noise levels and other objectives.
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
#include "deep/count_list.hpp"
#include "deep/diffusion/fit/fit.hpp"

namespace kullback::deep::cli {

namespace {

using diffusion::Words;

bool is_score(const std::string& kind) { return kind == "score"; }

// The SDEs of a verb.
std::vector<const diffusion::SdeRecord*> sdes_of(const std::string& kind) {
  std::vector<const diffusion::SdeRecord*> result;
  for (const diffusion::SdeRecord* record : diffusion::sdes())
    if ((record->name == "ladder") == is_score(kind)) result.push_back(record);
  return result;
}

std::vector<OptionGroup> program_groups(const std::string& kind) {
  std::vector<OptionGroup> groups = {
      {"Data",
       {{"labels", "", "IDX file of the images' labels, or column of a table"},
        {"conditional", "false", "give the label to the network"},
        {"label-dropout", "0.1", "part of the rows whose label it does not see, as guidance needs it"},
        {"image", "", "rows of a table are images: 28x28, or 32x32x3"},
        {"ignore", "", "column to leave out; may be given several times"},
        {"validation", "0.1", "part of the rows that is held out: to judge; 0: none"}}},
      {"Network",
       {{"architecture", "auto", "mlp or unet; auto: unet of images"},
        {"hidden", "128,128,128", "units of each hidden layer (mlp)"},
        {"filters", "32,64,64", "channels at each resolution, each half of the one before (unet)"},
        {"activation", "silu", "identity, relu, leaky-relu, elu, gelu, silu, softplus, tanh, sigmoid (mlp)"},
        {"parameterisation", "edm", "what the network's output stands for"}}},
      {"Noise", {}},
      {"Objective",
       {{"weighting", "noise", "of the errors at different levels of noise"},
        {"times", "auto",
         "at which the network is trained: uniform, log-ratio, lognormal; auto: lognormal of edm, else "
         "uniform"}}},
      {"Training",
       {{"epochs", "", "passes over the data (default: about 20,000 steps)"},
        {"batch", "256", "rows of a minibatch"},
        {"rate", "0.001", "rate of Adam"},
        {"schedule", "cosine", "of the rate: constant, or cosine (falls to 0)"},
        {"averaging", "0.999",
         "of the running mean of the parameters, which is what is kept; 0: the last ones"},
        {"judge-every", "1", "epochs between two held-out bounds"},
        {"precision", "float32", "float32, float64, or tf32 (a GPU's fast products of float32)"}}},
      {"Run",
       {{"out", "", filled("folder of the results (default: DATA-{})", kind)},
        {"seed", "", "seed of all random numbers (default: a random one, which is recorded)"},
        {"save-every", "30", "seconds between checkpoints"},
        {"resume", "false", "go on with an interrupted training in the folder"},
        {"force", "false", "replace what is there already"},
        {"quiet", "false", "print nothing but errors"}}}};
  if (is_score(kind)) {
    groups[3].options.insert(groups[3].options.begin(),
                             {"objective", "denoising", "how the score is learned"});
  } else {
    groups[2].options.push_back({"sde", "vp", "how data become noise"});
  }
  for (Option& option : device_options()) groups.back().options.push_back(std::move(option));
  return groups;
}

template <class Record>
std::string names_of(std::span<const Record* const> records) {
  std::string names;
  for (const Record* record : records) names += (names.empty() ? "" : ", ") + std::string(record->name);
  return names;
}

Grammar grammar(const std::string& kind) {
  Grammar result{.verb = kind,
                 .summary = is_score(kind)
                                ? "Learns the score of noised rows or images at a ladder of noise levels."
                                : "Learns to turn noise into rows or images with a diffusion model.",
                 .positionals = {{"DATA", "IDX images (gzipped too), CSV or .npy", true, true}},
                 .groups = program_groups(kind),
                 .lists = {"ignore"}};
  const std::vector<const diffusion::SdeRecord*> noises = sdes_of(kind);
  const std::span<const diffusion::SdeRecord* const> all(noises);
  result.groups[1].options.back().help += ": " + names_of(diffusion::parameterisations());
  if (!is_score(kind)) result.groups[2].options[0].help += ": " + names_of(all);
  for (Option& option : result.groups[3].options) {
    if (option.name == "weighting") option.help += ": " + names_of(diffusion::weightings());
    if (option.name == "objective") option.help += ": " + names_of(diffusion::objectives());
  }
  const auto add = [&](std::size_t group, std::vector<Option> options) {
    for (Option& option : options) result.groups[group].options.push_back(std::move(option));
  };
  add(2, united(all, all_options(result)));
  if (is_score(kind)) add(3, united(diffusion::objectives(), all_options(result)));
  return result;
}

struct Chosen {
  Settings program;
  diffusion::Part sde, objective;
};

Chosen choose(const Arguments& arguments, const std::string& kind) {
  std::vector<Option> program;
  for (const OptionGroup& group : program_groups(kind))
    program.insert(program.end(), group.options.begin(), group.options.end());
  Words own, rest;
  for (const auto& [name, value] : arguments.values) {
    const bool is_own =
        std::any_of(program.begin(), program.end(), [&](const Option& o) { return o.name == name; });
    (is_own ? own : rest)[name] = value;
  }
  Chosen chosen{Settings(program, own), {}, {}};
  const std::string sde = is_score(kind) ? "ladder" : chosen.program.text("sde");
  const std::string objective = is_score(kind) ? chosen.program.text("objective") : "denoising";
  if (!is_score(kind) && sde == "ladder")
    throw Error(ErrorKind::usage, "--sde ladder is what 'kullback score' has.", "Use 'kullback score'.");
  const diffusion::SdeRecord& noise = diffusion::sde_named(sde);
  const diffusion::ObjectiveRecord& by = diffusion::objective_named(objective);
  const Words of_sde = given_of(noise.options, rest), of_objective = given_of(by.options, rest);
  for (const auto& [name, value] : rest) {
    if (of_sde.count(name) + of_objective.count(name) != 0) continue;
    const bool is_objective = has_option(diffusion::objectives(), name);
    throw Error(ErrorKind::usage,
                filled("--{} is not an option of --{} {}.", name, is_objective ? "objective" : "sde",
                       is_objective ? objective : sde),
                "Leave it out, or choose another.");
  }
  chosen.sde = {sde, Settings(noise.options, of_sde).values()};
  chosen.objective = {objective, Settings(by.options, of_objective).values()};
  return chosen;
}

double part_of(const Settings& settings, const std::string& name) {
  const double part = settings.number(name);
  if (!(part >= 0 && part < 1))
    throw Error(ErrorKind::usage,
                filled("--{} is '{}'; it must be from 0 to below 1.", name, settings.text(name)));
  return part;
}

diffusion::Model model_of(const Chosen& chosen, const std::string& kind, const Ranks& ranks) {
  const Settings& settings = chosen.program;
  diffusion::Model model;
  model.kind = kind;
  model.is_conditional = settings.flag("conditional");
  model.sde = chosen.sde;
  model.objective = chosen.objective;
  model.parameterisation = settings.text("parameterisation");
  model.weighting = settings.text("weighting");
  // The bound that a learned schedule is learned by has no other weighting.
  if (chosen.sde.name == "learned") {
    if (model.weighting != "noise" && model.weighting != "likelihood")
      throw Error(
          ErrorKind::usage,
          filled("--sde learned is trained on the likelihood, not by --weighting {}.", model.weighting),
          "Leave out --weighting.");
    model.weighting = "likelihood";
  }
  model.times = settings.text("times");
  model.net.architecture = settings.text("architecture");
  if (model.net.architecture != "auto" && model.net.architecture != "mlp" && model.net.architecture != "unet")
    throw Error(ErrorKind::usage, filled("there is no --architecture '{}'.", model.net.architecture),
                "Known are: auto, mlp, unet.");
  model.net.hidden = count_list("hidden", settings.text("hidden"), "Write --hidden 128,128 for two layers.");
  model.net.filters =
      count_list("filters", settings.text("filters"), "Write --filters 32,64 for two resolutions.");
  model.net.activation = settings.text("activation");
  activation_named(model.net.activation);
  settings.choice("precision", {"float32", "float64", "tf32"});
  model.precision = settings.text("precision");
  model.seed = seed_of(settings, ranks);
  return model;
}

diffusion::FitRequest request_of(const Arguments& arguments, const Chosen& chosen, const std::string& kind,
                                 const Ranks& ranks) {
  const Settings& settings = chosen.program;
  diffusion::FitRequest request;
  request.rows.paths.assign(arguments.positionals.begin(), arguments.positionals.end());
  request.rows.labels = settings.text("labels");
  request.rows.image = settings.text("image");
  const auto ignored = arguments.lists.find("ignore");
  if (ignored != arguments.lists.end()) request.rows.ignored = ignored->second;
  request.model = model_of(chosen, kind, ranks);
  request.rate = settings.positive("rate");
  request.schedule =
      settings.choice("schedule", {"constant", "cosine"}) == 0 ? Schedule::constant : Schedule::cosine;
  request.label_dropout = part_of(settings, "label-dropout");
  request.averaging = part_of(settings, "averaging");
  request.validation = validation_of(settings);
  TrainOptions& train = request.train;
  if (settings.has("epochs"))
    train.epochs = static_cast<std::int64_t>(settings.count("epochs", 1, 100'000'000));
  if (!settings.has("epochs")) train.epochs = 0;
  train.batch = static_cast<std::int64_t>(settings.count("batch", 1, 1'000'000'000));
  train.judge_every = static_cast<std::int64_t>(settings.count("judge-every", 1, 100'000'000));
  train.save_every = settings.number("save-every");
  train.resume = settings.flag("resume");
  train.seed = request.model.seed;
  settings.choice("device", {"cpu", "cuda", "auto"});
  request.device = device_named(settings.text("device"), ranks);
  request.out = settings.text("out");
  request.force = settings.flag("force");
  request.options =
      recorded_options(settings, {&chosen.sde.options, &chosen.objective.options}, request.rows.ignored);
  return request;
}

int train_on(const Ranks& ranks, const Arguments& given, const std::string& kind) {
  Arguments arguments = given;
  const std::string out = out_of(arguments, kind);
  const posterior::RunRecord before =
      resumed_record(arguments, kind, is_score(kind) ? "a score" : "a diffusion model");
  const Chosen chosen = choose(arguments, kind);
  use_threads(chosen.program, ranks);
  const bool prints = ranks.is_first() && !chosen.program.flag("quiet");
  if (before.status == "complete") return end_complete(before, out, prints);
  const diffusion::FitRequest request = request_of(arguments, chosen, kind, ranks);
  EpochDisplay display(!prints, "held-out bound");
  const InterruptGuard guard;
  const FitOutcome outcome = fit_diffusion(
      request, ranks,
      {.on_epoch = [&](const EpochFigures& figures, std::int64_t epochs) { display.show(figures, epochs); },
       .should_stop = is_interrupted});
  display.clear();
  return end_training(outcome.trained, outcome.record, out, "model", prints, ranks);
}

int run_kind(const std::string& kind, const std::vector<std::string>& words,
             int (*work)(const Ranks& ranks, const Arguments& arguments)) {
  const Grammar known = grammar(kind);
  const Arguments arguments = parse(known, words);
  if (arguments.wants_help) {
    std::fputs(help_text(known).c_str(), stdout);
    return 0;
  }
  return run_on_ranks(work, arguments);
}

}  // namespace

int run_diffusion(const std::vector<std::string>& words) {
  return run_kind("diffusion", words, [](const Ranks& ranks, const Arguments& arguments) {
    return train_on(ranks, arguments, "diffusion");
  });
}

int run_score(const std::vector<std::string>& words) {
  return run_kind("score", words, [](const Ranks& ranks, const Arguments& arguments) {
    return train_on(ranks, arguments, "score");
  });
}

}  // namespace kullback::deep::cli
