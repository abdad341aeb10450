#include <algorithm>
#include <cstdio>

#include "base/error.hpp"
#include "base/filled.hpp"
#include "base/interrupt.hpp"
#include "deep/bnn/fit/network.hpp"
#include "deep/cli/display.hpp"
#include "deep/cli/text.hpp"
#include "deep/cli/training.hpp"
#include "deep/cli/union.hpp"
#include "deep/cli/verb.hpp"
#include "deep/energy/fit/fit.hpp"

namespace kullback::deep::cli {

namespace {

using Words = std::map<std::string, std::string>;

std::vector<OptionGroup> program_groups() {
  std::vector<OptionGroup> groups = {
      {"Data",
       {{"image", "", "rows of a table are images: 28x28, or 32x32x3"},
        {"ignore", "", "column to leave out; may be given several times"},
        {"validation", "0.1", "part of the rows that is held out; 0: none"}}},
      {"Energy", {{"energy", "auto", "what the energy is; auto: rbm of columns of 0 and 1, else net"}}},
      {"Chains", {{"sampler", "auto", "how chains move; auto: mala of numbers, gibbs of 0 and 1"}}},
      {"Training",
       {{"training", "persistent", "what stands in for draws of the model"},
        {"energy-decay", "0",
         "times the mean squares of energies is added to the loss, which keeps them small"},
        {"epochs", "", "passes over the data (default: about 20,000 steps)"},
        {"batch", "128", "rows of a minibatch, and chains that move in a step"},
        {"rate", "0.001", "rate of Adam"},
        {"schedule", "cosine", "of the rate: constant, or cosine (falls to 0)"},
        {"patience", "0",
         "epochs without a better held-out log likelihood after which training ends and the best is kept; "
         "0: never. Where log Z is exact"},
        {"judge-every", "1", "epochs between two held-out log likelihoods"},
        {"precision", "float32", "float32 or float64"}}},
      {"Run",
       {{"out", "", "folder of the results (default: DATA-ebm)"},
        {"seed", "", "seed of all random numbers (default: a random one, which is recorded)"},
        {"save-every", "30", "seconds between checkpoints"},
        {"resume", "false", "go on with an interrupted training in the folder"},
        {"force", "false", "replace what is there already"},
        {"quiet", "false", "print nothing but errors"}}}};
  for (Option& option : device_options()) groups.back().options.push_back(std::move(option));
  return groups;
}

template <class Record>
std::string names_of(std::span<const Record* const> records) {
  std::string names;
  for (const Record* record : records) names += (names.empty() ? "" : ", ") + std::string(record->name);
  return names;
}

Grammar grammar() {
  Grammar result{.verb = "ebm",
                 .summary = "Learns the density of rows or images as an energy: p(x) = exp(-E(x)) / Z.",
                 .positionals = {{"DATA", "IDX images (gzipped too), CSV or .npy", true, true}},
                 .groups = program_groups(),
                 .lists = {"ignore"}};
  result.groups[1].options[0].help += ": " + names_of(energies());
  result.groups[2].options[0].help += ": " + names_of(chain_samplers());
  result.groups[3].options[0].help += ": " + names_of(energy_trainings());
  const auto add = [&](std::size_t group, std::vector<Option> options) {
    for (Option& option : options) result.groups[group].options.push_back(std::move(option));
  };
  add(1, united(energies(), all_options(result)));
  add(2, united(chain_samplers(), all_options(result)));
  add(3, united(energy_trainings(), all_options(result)));
  return result;
}

struct Chosen {
  Settings program;
  Words energy, sampler, training;
};

// Options of the part that was named; of all of its kind where the data choose, which checks them later.
template <class Record>
Words options_of(std::span<const Record* const> records, const std::string& name, const Words& rest) {
  Words result;
  for (const Record* record : records)
    if (name == "auto" || record->name == name) result.merge(given_of(record->options, rest));
  return result;
}

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
  Chosen chosen{Settings(program, own), {}, {}, {}};
  const Settings& settings = chosen.program;
  const std::string &energy = settings.text("energy"), &sampler = settings.text("sampler"),
                    &training = settings.text("training");
  if (energy != "auto") energy_named(energy);
  if (sampler != "auto") chain_sampler_named(sampler);
  energy_training_named(training);
  chosen.energy = options_of(energies(), energy, rest);
  chosen.sampler = options_of(chain_samplers(), sampler, rest);
  chosen.training = options_of(energy_trainings(), training, rest);
  for (const auto& [name, value] : rest) {
    if (chosen.energy.count(name) + chosen.sampler.count(name) + chosen.training.count(name) != 0) continue;
    const bool is_energy = has_option(energies(), name), is_sampler = has_option(chain_samplers(), name);
    throw Error(ErrorKind::usage,
                filled("--{} is not an option of --{} {}.", name,
                       is_energy    ? "energy"
                       : is_sampler ? "sampler"
                                    : "training",
                       is_energy    ? energy
                       : is_sampler ? sampler
                                    : training),
                "Leave it out, or choose another.");
  }
  return chosen;
}

TrainOptions train_of(const Settings& settings) {
  TrainOptions train;
  train.epochs =
      settings.has("epochs") ? static_cast<std::int64_t>(settings.count("epochs", 1, 100'000'000)) : 0;
  train.batch = static_cast<std::int64_t>(settings.count("batch", 1, 100'000'000));
  train.judge_every = static_cast<std::int64_t>(settings.count("judge-every", 1, 100'000'000));
  train.patience = static_cast<std::int64_t>(settings.count("patience", 0, 100'000'000));
  train.save_every = settings.number("save-every");
  train.resume = settings.flag("resume");
  return train;
}

double decay_of(const Settings& settings) {
  const double decay = settings.number("energy-decay");
  if (!(decay >= 0))
    throw Error(ErrorKind::usage,
                filled("--energy-decay is '{}'; it must be 0 or above.", settings.text("energy-decay")));
  return decay;
}

EbmFitRequest request_of(const Arguments& arguments, const Chosen& chosen) {
  const Settings& settings = chosen.program;
  EbmFitRequest request;
  request.rows.paths.assign(arguments.positionals.begin(), arguments.positionals.end());
  request.rows.image = settings.text("image");
  const auto ignored = arguments.lists.find("ignore");
  if (ignored != arguments.lists.end()) request.rows.ignored = ignored->second;
  EbmModel& model = request.model;
  model.energy.name = settings.text("energy");
  model.sampler.name = settings.text("sampler");
  const EnergyTrainingRecord& training = energy_training_named(settings.text("training"));
  model.training = {std::string(training.name), Settings(training.options, chosen.training).values()};
  settings.choice("precision", {"float32", "float64"});
  model.precision = settings.text("precision");
  model.seed = seed_of(settings, Ranks());
  request.energy_options = chosen.energy;
  request.sampler_options = chosen.sampler;
  request.training.rate = settings.positive("rate");
  request.training.schedule =
      settings.choice("schedule", {"constant", "cosine"}) == 0 ? Schedule::constant : Schedule::cosine;
  request.training.energy_decay = decay_of(settings);
  request.validation = validation_of(settings);
  request.train = train_of(settings);
  request.train.seed = model.seed;
  settings.choice("device", {"cpu", "cuda", "auto"});
  request.device = device_named(settings.text("device"), Ranks());
  request.out = settings.text("out");
  request.force = settings.flag("force");
  request.options = recorded_options(settings, {&chosen.energy, &chosen.sampler, &model.training.options},
                                     request.rows.ignored);
  return request;
}

std::string more_text(const EbmFigures& figures) {
  return filled(", energies {} (data) and {} (chains), acceptance {}", number_with_digits(figures.of_data, 4),
                number_with_digits(figures.of_chains, 4), number_with_digits(figures.acceptance, 2));
}

int run_on(const Ranks& ranks, const Arguments& given) {
  Arguments arguments = given;
  const std::string out = out_of(arguments, "ebm");
  const posterior::RunRecord before = resumed_record(arguments, "ebm", "an energy");
  const Chosen chosen = choose(arguments);
  use_threads(chosen.program, ranks);
  const bool prints = !chosen.program.flag("quiet");
  if (before.status == "complete") return end_complete(before, out, prints);
  const EbmFitRequest request = request_of(arguments, chosen);
  EpochDisplay display(!prints, "held-out log likelihood");
  const InterruptGuard guard;
  const FitOutcome outcome =
      fit_ebm(request, ranks,
              {.on_epoch = [&](const EpochFigures& epoch, const EbmFigures& figures,
                               std::int64_t epochs) { display.show(epoch, epochs, more_text(figures)); },
               .should_stop = is_interrupted});
  display.clear();
  const TrainOutcome& trained = outcome.trained;
  if (trained.failure.empty()) return end_training(trained, outcome.record, out, "energy", prints, ranks);
  if (prints) std::fputs(record_text(outcome.record, out).c_str(), stdout);
  print_error(trained.failure + ".",
              filled("{} holds the energy after epoch {}. Lower --rate or --step-size, or "
                     "take --sampler mala.",
                     out, trained.epochs.size()));
  return static_cast<int>(ErrorKind::bad_input);
}

}  // namespace

int run_ebm(const std::vector<std::string>& words) {
  const Grammar known = grammar();
  const Arguments arguments = parse(known, words);
  if (arguments.wants_help) {
    std::fputs(help_text(known).c_str(), stdout);
    return 0;
  }
  return run_on_ranks(run_on, arguments);
}

}  // namespace kullback::deep::cli
