#include <fmt/format.h>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "deep/bnn/fit/network.hpp"
#include "deep/cli/training.hpp"
#include "deep/cli/union.hpp"
#include "deep/cli/verb.hpp"
#include "deep/energy/fit/fit.hpp"
#include "run/progress_line.hpp"

namespace kullback::deep::cli {

namespace {

std::vector<OptionGroup> program_groups() {
  return {
      {"Data", {kImage, kIgnore, validation_option("")}},
      {"Energy", {{"energy", "auto", "what the energy is; auto: rbm of columns of 0 and 1, else net"}}},
      {"Chains", {{"sampler", "auto", "how chains move; auto: mala of numbers, gibbs of 0 and 1"}}},
      {"Training",
       {{"training", "weighted", "what stands in for draws of the model"},
        {"energy-decay", "0",
         "times the mean squares of energies is added to the loss, which keeps them small"},
        kEpochs,
        batch_option("128", ", and chains of cd and short-run"),
        kRate,
        schedule_option("cosine"),
        {"patience", "0",
         "epochs without a better held-out log likelihood after which training ends and the best is kept; "
         "0: never. Where log Z is exact"},
        judge_every_option("held-out log likelihoods"),
        precision_option(Precisions::floats)}},
      run_group("ebm")};
}

Usage usage() {
  Usage result{.positionals = {{"DATA", "IDX images (gzipped too), CSV or .npy", true}},
               .groups = program_groups(),
               .lists = {"ignore"}};
  result.groups[1].options[0].help += ": " + names_of(energies());
  result.groups[2].options[0].help += ": " + names_of(chain_samplers());
  result.groups[3].options[0].help += ": " + names_of(energy_trainings());
  append(result.groups[1], united(energies(), all_options(result)));
  append(result.groups[2], united(chain_samplers(), all_options(result)));
  append(result.groups[3], united(energy_trainings(), all_options(result)));
  return result;
}

struct Chosen {
  Settings program;
  Words energy, sampler, training;
};

Chosen choose(const Arguments& arguments) {
  Given given(program_groups(), arguments);
  Chosen chosen{given.program(), {}, {}, {}};
  const Settings& settings = chosen.program;
  const std::string &energy = settings.text("energy"), &sampler = settings.text("sampler");
  if (energy != "auto") energy_named(energy);
  if (sampler != "auto") chain_sampler_named(sampler);
  const EnergyTrainingRecord& training = energy_training_named(settings.text("training"));
  chosen.energy = given.of("energy", energy, energies());
  chosen.sampler = given.of("sampler", sampler, chain_samplers());
  chosen.training = given.of("training", training.name, energy_trainings());
  given.check();
  return chosen;
}

double decay_of(const Settings& settings) {
  const double decay = settings.number("energy-decay");
  if (!(decay >= 0))
    throw Error(ErrorKind::usage,
                fmt::format("--energy-decay is '{}'; it must be 0 or above.", settings.text("energy-decay")));
  return decay;
}

EbmFitRequest request_of(const Arguments& arguments, const Chosen& chosen) {
  const Settings& settings = chosen.program;
  EbmFitRequest request;
  request.rows = rows_of(arguments, settings);
  EbmModel& model = request.model;
  model.energy.name = settings.text("energy");
  model.sampler.name = settings.text("sampler");
  const EnergyTrainingRecord& training = energy_training_named(settings.text("training"));
  model.training = {std::string(training.name), Settings(training.options, chosen.training).values()};
  model.precision = precision_of(settings, Precisions::floats);
  model.seed = seed_of(settings, Ranks());
  request.energy_options = chosen.energy;
  request.sampler_options = chosen.sampler;
  request.training.rate = settings.positive("rate");
  request.training.schedule = schedule_of(settings);
  request.training.energy_decay = decay_of(settings);
  request.validation = validation_of(settings);
  request.train = train_options(settings, model.seed);
  request.device = device_of(settings, Ranks());
  request.out = settings.text("out");
  request.force = settings.flag("force");
  request.options = recorded_options(settings, {&chosen.energy, &chosen.sampler, &model.training.options},
                                     request.rows.ignored);
  return request;
}

int run_on(const Ranks& ranks, const Arguments& given) {
  Arguments arguments = given;
  const std::string out = out_of(arguments, "ebm");
  const run::RunRecord before = resumed_record(arguments, "ebm", "an energy");
  const Chosen chosen = choose(arguments);
  use_threads(chosen.program, ranks);
  const bool prints = !chosen.program.flag("quiet");
  if (before.status == "complete") return end_complete(before, out, prints);
  const EbmFitRequest request = request_of(arguments, chosen);
  const FitOutcome outcome =
      watched_fit(prints, [&](const run::Watch& watch) { return fit_ebm(request, ranks, watch); });
  return end_training(outcome.trained, outcome.record, outcome.folder.string(), "energy", prints, ranks,
                      "Lower --rate or --step-size, or take --sampler mala.");
}

}  // namespace

Run add_ebm(const Command& verb, const std::vector<std::string>&) {
  return add_training(verb, usage(), run_on);
}

}  // namespace kullback::deep::cli
