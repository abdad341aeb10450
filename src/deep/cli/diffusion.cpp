// diffusion and score: both train a score network; score has a ladder of noise levels and other objectives.
#include <fmt/format.h>

#include <array>

#include "base/error.hpp"
#include "deep/bnn/fit/network.hpp"
#include "deep/cli/denoising_net.hpp"
#include "deep/cli/discrete.hpp"
#include "deep/cli/training.hpp"
#include "deep/cli/union.hpp"
#include "deep/cli/verb.hpp"
#include "deep/diffusion/fit/fit.hpp"
#include "shell/description.hpp"

namespace kullback::deep::cli {

namespace {

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
        kImage,
        kIgnore,
        validation_option(": to judge")}},
      {"Network", network_options()},
      {"Noise", {}},
      {"Objective",
       {{"weighting", "auto",
         "of the errors at different levels of noise (auto: edm of rows, noise of images)"},
        {"times", "auto",
         "at which the network is trained: uniform, log-ratio, lognormal; auto: lognormal of rows and of "
         "edm, uniform of images, log-ratio with --weighting likelihood"}}},
      {"Training", diffusion_training_options(
                       {"rate", "",
                        is_score(kind) ? "rate of Adam (default: 0.001)"
                                       : "rate of Adam (default: 0.003 of rows, 0.001 of images)"})},
      run_group(kind)};
  groups[1].options.push_back({"parameterisation", "edm", "what the network's output stands for"});
  if (is_score(kind)) {
    groups[3].options.insert(groups[3].options.begin(),
                             {"objective", "denoising", "how the score is learned"});
  } else {
    groups[2].options = {{"sde", "vp", "how data become noise"}, states_option()};
  }
  return groups;
}

Usage usage_of(const std::string& kind) {
  Usage result{.positionals = {{"DATA", "IDX images (gzipped too), CSV or .npy", true}},
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
  append(result.groups[2], united(all, all_options(result)));
  if (is_score(kind)) append(result.groups[3], united(diffusion::objectives(), all_options(result)));
  return result;
}

struct Chosen {
  Settings program;
  diffusion::Part sde, objective;
};

Chosen choose(const Arguments& arguments, const std::string& kind) {
  Given given(program_groups(kind), arguments);
  const Settings& settings = given.program();
  const std::string sde = is_score(kind) ? "ladder" : settings.text("sde");
  const std::string objective = is_score(kind) ? settings.text("objective") : "denoising";
  if (!is_score(kind) && sde == "ladder")
    throw Error(ErrorKind::usage, "--sde ladder is what 'kullback score' has.", "Use 'kullback score'.");
  const diffusion::SdeRecord& noise = diffusion::sde_named(sde);
  const diffusion::ObjectiveRecord& by = diffusion::objective_named(objective);
  const Words of_objective = given.of("objective", objective, diffusion::objectives());
  const Words of_sde = given.of("sde", sde, diffusion::sdes());
  given.check();
  return {.program = settings,
          .sde = {sde, Settings(noise.options, of_sde).values()},
          .objective = {objective, Settings(by.options, of_objective).values()}};
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
    if (model.weighting != "auto" && model.weighting != "likelihood")
      throw Error(
          ErrorKind::usage,
          fmt::format("--sde learned is trained on the likelihood, not by --weighting {}.", model.weighting),
          "Leave out --weighting.");
    model.weighting = "likelihood";
  }
  model.times = settings.text("times");
  model.net = net_of(settings);
  model.precision = precision_of(settings, Precisions::floats_tf32);
  model.seed = seed_of(settings, ranks);
  return model;
}

diffusion::FitRequest request_of(const Arguments& arguments, const Chosen& chosen, const std::string& kind,
                                 const Ranks& ranks) {
  const Settings& settings = chosen.program;
  diffusion::FitRequest request;
  request.rows = rows_of(arguments, settings);
  request.rows.labels = settings.text("labels");
  request.model = model_of(chosen, kind, ranks);
  if (settings.has("rate")) request.rate = settings.positive("rate");
  request.schedule = schedule_of(settings);
  request.label_dropout = part_of(settings, "label-dropout");
  request.averaging = part_of(settings, "averaging");
  request.validation = validation_of(settings);
  request.train = train_options(settings, request.model.seed);
  request.device = device_of(settings, ranks);
  request.out = settings.text("out");
  request.force = settings.flag("force");
  request.options =
      recorded_options(settings, {&chosen.sde.options, &chosen.objective.options}, request.rows.ignored);
  return request;
}

int train_on(const Ranks& ranks, const Arguments& given, const std::string& kind) {
  Arguments arguments = given;
  const std::string out = out_of(arguments, kind);
  const run::RunRecord before =
      resumed_record(arguments, kind, is_score(kind) ? "a score" : "a diffusion model");
  const Chosen chosen = choose(arguments, kind);
  use_threads(chosen.program, ranks);
  const bool prints = ranks.is_first() && !chosen.program.flag("quiet");
  if (before.status == "complete") return end_complete(before, out, prints);
  const diffusion::FitRequest request = request_of(arguments, chosen, kind, ranks);
  const FitOutcome outcome =
      watched_fit(prints, [&](const run::Watch& watch) { return fit_diffusion(request, ranks, watch); });
  return end_training(outcome.trained, outcome.record, outcome.folder.string(), "model", prints, ranks);
}

}  // namespace

Run add_diffusion(const Command& verb, const std::vector<std::string>& words) {
  const Usage usage = usage_of("diffusion");
  if (asks_for_discrete(words)) return add_discrete(verb, words, all_options(usage));
  if (shell::asks_for_help(words)) {
    const std::array<shell::Part, 2> parts{
        {{"continuous states", [&](const Command& part) { add_usage(part, usage); }},
         {"discrete states", [](const Command& part) { add_discrete(part, {}, {}); }}}};
    add_help_of_parts(verb, parts);
    return {};
  }
  return add_training(verb, usage, [](const Ranks& ranks, const Arguments& arguments) {
    return train_on(ranks, arguments, "diffusion");
  });
}

Run add_score(const Command& verb, const std::vector<std::string>&) {
  return add_training(verb, usage_of("score"), [](const Ranks& ranks, const Arguments& arguments) {
    return train_on(ranks, arguments, "score");
  });
}

}  // namespace kullback::deep::cli
