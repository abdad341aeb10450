#include <fmt/format.h>

#include "base/interrupt.hpp"
#include "deep/cli/training.hpp"
#include "deep/cli/verb.hpp"
#include "deep/counts.hpp"
#include "deep/energy/fit/fit.hpp"
#include "deep/part.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep::cli {

namespace {

constexpr auto kEnergy =
    TextOption("energy", "", "What the energy is; auto: rbm of columns of 0 and 1, else net");
constexpr auto kSampler =
    TextOption("sampler", "", "How chains move; auto: mala of numbers, gibbs of 0 and 1");
constexpr auto kTrainingKind = TextOption("training", "weighted", "What stands in for draws of the model");
constexpr auto kEnergyDecay =
    NumberOption("energy_decay", 0,
                 "Times the mean squares of energies is added to the loss, which keeps them small")
        .from(0);
constexpr auto kBatch = option::batch_option(128, "Rows of a minibatch, and chains of cd and short-run");
constexpr auto kPatience = CountOption("patience", 0,
                                       "Epochs without a better held-out log likelihood after which training "
                                       "ends and the best is kept; 0: never. Where log Z is exact")
                               .to(1e8);

constexpr const OptionRecord* kData[] = {&option::kImage, &option::kIgnore, &option::kValidation};
constexpr const OptionRecord* kEnergies[] = {&kEnergy};
constexpr const OptionRecord* kChains[] = {&kSampler};
constexpr const OptionRecord* kTraining[] = {&kTrainingKind, &kEnergyDecay,        &option::kEpochs,
                                             &kBatch,        &option::kRate,       &kFallingRate,
                                             &kPatience,     &option::kJudgeEvery, &kPrecisionOfChains};

Usage usage() {
  return {.positionals = {{"DATA", "IDX images (gzipped too), CSV or .npy", true}},
          .groups = {{"Data", kData},
                     {"Energy", kEnergies},
                     {"Chains", kChains},
                     {"Training", kTraining},
                     {"Run", option::kRun}},
          .parts = {{"Energy", tables_of(energies())},
                    {"Chains", tables_of(chain_samplers())},
                    {"Training", tables_of(energy_trainings())}},
          .choices = {{&kEnergy, names_of(energies())},
                      {&kSampler, names_of(chain_samplers())},
                      {&kTrainingKind, names_of(energy_trainings())}}};
}

struct Chosen {
  OptionValues values;
  GivenTexts energy, sampler;  // as given: the data may choose them
  Part training;
};

Chosen choose(const Arguments& arguments) {
  Given given(arguments);
  const OptionValues& values = given.own();
  const std::string energy = values.text_of(kEnergy), sampler = values.text_of(kSampler);
  if (energy != "auto") energy_named(energy);
  if (sampler != "auto") chain_sampler_named(sampler);
  const EnergyTrainingRecord& training = energy_training_named(std::string(values[kTrainingKind]));
  Chosen chosen{
      .values = values,
      .energy = given.texts(kEnergy, energy, energies()),
      .sampler = given.texts(kSampler, sampler, chain_samplers()),
      .training = {std::string(training.name), given.of(kTrainingKind, training, energy_trainings())}};
  given.check();
  return chosen;
}

EbmFitRequest request_of(const Arguments& arguments, const Chosen& chosen) {
  const OptionValues& values = chosen.values;
  EbmFitRequest request;
  request.rows = rows_of(arguments, values);
  EbmModel& model = request.model;
  model.energy.name = values.text_of(kEnergy);
  model.sampler.name = values.text_of(kSampler);
  model.training = chosen.training;
  model.precision = values[kPrecisionOfChains];
  model.seed = seed_of(values, Ranks());
  request.energy_options = chosen.energy;
  request.sampler_options = chosen.sampler;
  request.training.rate = values[option::kRate];
  request.training.schedule = values[kFallingRate];
  request.training.energy_decay = values[kEnergyDecay];
  request.validation = values[option::kValidation];
  request.train = train_options(values, kBatch, model.seed);
  request.train.patience = count_of(values, kPatience);
  request.device = device_of(values[option::kDevice], Ranks());
  request.out = values[option::kOut];
  request.force = values[option::kForce];
  request.options = recorded_options(
      arguments, values,
      {chosen.energy, chosen.sampler,
       recorded(energy_training_named(chosen.training.name).options, chosen.training.options)});
  return request;
}

int run_on(const Ranks& ranks, const Arguments& given) {
  Arguments arguments = given;
  const std::string out = out_of(arguments, "ebm");
  const run::RunRecord before = resumed_record(arguments, "ebm", "an energy");
  const Chosen chosen = choose(arguments);
  use_threads(chosen.values, ranks);
  const bool prints = !chosen.values[option::kQuiet];
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
