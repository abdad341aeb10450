#include "deep/energy/fit/account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kullback::deep {

namespace {

constexpr double kLowAcceptance = 0.2;
constexpr double kWideGap = 1;  // nats

std::string rows_text(const EbmAccount& account) {
  const EbmModel& model = account.built.model();
  std::string text =
      fmt::format("{} rows of {} numbers", account.train_rows + account.held_out_rows, model.dim);
  if (model.is_image()) text += fmt::format(" (images {} x {})", model.image.height, model.image.width);
  return text + (account.held_out_rows == 0 ? ", none held out"
                                            : fmt::format(", {} held out", account.held_out_rows));
}

std::string training_text(const EbmAccount& account) {
  const TrainOutcome& trained = account.trained;
  std::string text = fmt::format("{}, {} epochs of {} rows a step", account.built.model().training.name,
                                 trained.epochs.size(), account.options.batch);
  if (trained.stopped_early) text += ", stopped early";
  if (trained.best_epoch != 0) text += fmt::format(", epoch {} is kept", trained.best_epoch);
  return text;
}

// Of the last tenth of the epochs.
EbmFigures last_figures(const EbmAccount& account) {
  const std::size_t count = std::max<std::size_t>(account.figures.size() / 10, 1);
  EbmFigures mean{.of_data = 0, .of_chains = 0, .acceptance = 0};
  for (std::size_t i = account.figures.size() - count; i < account.figures.size(); ++i) {
    mean.of_data += account.figures[i].of_data / static_cast<double>(count);
    mean.of_chains += account.figures[i].of_chains / static_cast<double>(count);
    mean.acceptance += account.figures[i].acceptance / static_cast<double>(count);
  }
  return mean;
}

double held_out_of(const TrainOutcome& trained) {
  if (trained.epochs.empty()) return std::nan("");
  const auto last = static_cast<std::int64_t>(trained.epochs.size());
  return trained.epochs[static_cast<std::size_t>((trained.best_epoch != 0 ? trained.best_epoch : last) - 1)]
      .held_out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> facts_of(const EbmAccount& account) {
  const EbmModel& model = account.built.model();
  const bool has_chains = model.training.name != "exact";
  std::vector<std::pair<std::string, std::string>> facts = {
      {"rows", rows_text(account)},
      {"energy", fmt::format("{}, {} parameters", model.energy.name, account.built.energy().layout().size())},
      {"training", training_text(account)}};
  if (has_chains) facts.emplace_back("sampler", model.sampler.name);
  if (account.figures.empty()) return facts;
  const EbmFigures last = last_figures(account);
  if (has_chains) {
    facts.emplace_back(
        "energy gap",
        fmt::format("{:.3g} nats between data and chains, in the last tenth of the epochs", last.gap()));
    if (chain_sampler_named(model.sampler.name).is_adjusted &&
        !chain_sampler_named(model.sampler.name).is_for_bits)
      facts.emplace_back("acceptance", fmt::format("{:.2g}", last.acceptance));
  }
  const double held_out = held_out_of(account.trained);
  if (!std::isnan(held_out))
    facts.emplace_back("held-out log likelihood", fmt::format("{:.6g} nats a row (log Z by {})", held_out,
                                                              account.built.energy().exact_partition_by()));
  return facts;
}

Findings findings_of(const EbmAccount& account) {
  Findings findings;
  if (!account.trained.failure.empty())
    findings.push_back(
        {.code = "not-finite",
         .message = account.trained.failure + ".",
         .evidence = fmt::format("the state after epoch {} was kept", account.trained.epochs.size()),
         .advice =
             "Lower --rate or --step-size, take --sampler mala, or look for extreme values in the data."});
  if (account.figures.empty() || account.built.model().training.name == "exact") return findings;
  const EbmFigures last = last_figures(account);
  if (last.acceptance < kLowAcceptance)
    findings.push_back({.code = "low-acceptance",
                        .message = fmt::format("The chains accepted few of their proposals: {} %.",
                                               static_cast<int>(100 * last.acceptance)),
                        .evidence = "the energy has become too steep for the step size",
                        .advice = "Lower --rate, or give --energy-decay 0.001."});
  if (account.built.training().chains().defined() && std::abs(last.gap()) > kWideGap)
    findings.push_back(
        {.code = "energy-gap",
         .message = "The chains do not follow the model: their energies are not those of the data.",
         .evidence = fmt::format("{:.3g} nats between data and chains", last.gap()),
         .advice = "Give more --chain-steps, or lower --rate."});
  if (account.built.model().training.name == "short-run")
    findings.push_back({.code = "short-run",
                        .message = "Short runs learn a sampler; the energy need not be that of a density.",
                        .evidence = "chains begin at the base in each step",
                        .advice = "For likelihoods take --training persistent."});
  return findings;
}

}  // namespace kullback::deep
