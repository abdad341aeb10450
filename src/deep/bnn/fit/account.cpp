#include "deep/bnn/fit/account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "deep/part.hpp"

namespace kullback::deep {

namespace {

constexpr double kSmallestNoise = 0.005;  // of the target's sd
constexpr double kStillRising = 0.01;     // nats per row in the last tenth of the epochs
constexpr double kFall = 0.1;             // nats per row below the best epoch
constexpr std::size_t kFewHeldOut = 30;   // too few to judge calibration by
constexpr double kClear = 3;              // standard errors

std::string digits(double number, int count = 4) { return fmt::format("{:.{}g}", number, count); }

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string rows_text(const Account& account) {
  std::string text = counted(account.train_rows.size() + account.held_out_rows, "row");
  text +=
      account.held_out_rows == 0 ? ", none held out" : fmt::format(", {} held out", account.held_out_rows);
  if (account.table.without_target > 0)
    text += fmt::format("; {} without a target left out", account.table.without_target);
  return text;
}

std::string columns_text(const Preparation& preparation) {
  if (preparation.image.exists())
    return fmt::format("images of {} (standardised); {} inputs", preparation.image.text(),
                       preparation.inputs());
  std::size_t categories = 0;
  for (const InputColumn& column : preparation.columns) categories += column.levels.empty() ? 0 : 1;
  const std::size_t numbers = preparation.columns.size() - categories;
  std::string text;
  if (numbers > 0) text = counted(numbers, "number") + " (standardised)";
  if (categories > 0)
    text += (text.empty() ? "" : ", ") + fmt::format("{} {} (an input for each level)", categories,
                                                     categories == 1 ? "category" : "categories");
  return text + fmt::format("; {} inputs", preparation.inputs());
}

std::string missing_text(const Account& account) {
  const Preparation& preparation = account.built.network().preparation;
  std::string names;
  std::size_t cells = 0;
  for (std::size_t i = 0; i < preparation.columns.size(); ++i) {
    std::size_t here = 0;
    for (std::size_t row = 0; row < account.table.rows; ++row)
      here += std::isnan(account.table.at(row, i)) ? 1 : 0;
    cells += here;
    if (here > 0) names += (names.empty() ? "" : ", ") + preparation.columns[i].name;
  }
  if (cells == 0) return {};
  return fmt::format("{} in {}: the mean or commonest level instead, and an input that says so",
                     counted(cells, "cell"), names);
}

std::string target_text(const Preparation& preparation) {
  if (!preparation.is_classification())
    return fmt::format("{}, a number (standardised; sd {})", preparation.target,
                       digits(preparation.target_sd));
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(preparation.classes.size(), 8); ++i)
    names += (i == 0 ? "" : ", ") + preparation.classes[i];
  return fmt::format("{}, one of {} classes: {}{}", preparation.target, preparation.classes.size(), names,
                     preparation.classes.size() > 8 ? ", ..." : "");
}

std::string network_text(const BuiltNetwork& built) {
  const Network& network = built.network();
  std::string shape = std::to_string(network.preparation.inputs());
  if (network.architecture == NetworkShape::conv) {
    shape = network.preparation.image.text();
    for (const std::int64_t filters : network.filters)
      shape += fmt::format(", {} filters {} x {}", filters, network.kernel, network.kernel);
    shape += ", ";
  }
  const auto add = [&shape](std::int64_t units) {
    shape += (shape.ends_with(' ') ? "" : "-") + std::to_string(units);
  };
  for (const std::int64_t units : network.hidden) add(units);
  add(built.net().likelihood().outputs());
  return fmt::format("{}, {}, {} parameters; {} likelihood, {} prior", shape,
                     text_of(kReluActivation, network.activation), built.net().layout().size(),
                     network.likelihood, network.prior);
}

std::string epochs_text(const TrainOutcome& trained, const TrainOptions& options) {
  std::string text = fmt::format("{} of {}", trained.epochs.size(), options.epochs);
  if (trained.best_epoch != 0) text += fmt::format(", the best {}", trained.best_epoch);
  return text + (trained.stopped_early ? ", stopped early" : "");
}

// Of a learned noise that is the same everywhere, as a part of the target's sd; NaN where there is none.
double learned_noise(BuiltNetwork& built) {
  for (const Slot& slot : built.net().layout().slots()) {
    if (slot.name != "likelihood.log_noise") continue;
    const torch::Tensor log_noise = built.posterior().center().narrow(1, slot.first, 1);
    return 0.5 * std::exp(log_noise.mean().item<double>());
  }
  return std::nan("");
}

void add_training_findings(const Account& account, Findings& findings) {
  const std::vector<EpochFigures>& epochs = account.trained.epochs;
  if (!account.trained.failure.empty())
    findings.push_back({"not-finite", "T" + account.trained.failure.substr(1) + ".",
                        fmt::format("the state after epoch {} is kept", epochs.size()),
                        "Lower --rate, or look for extreme values in the data."});
  std::vector<EpochFigures> judged;
  std::copy_if(epochs.begin(), epochs.end(), std::back_inserter(judged),
               [](const EpochFigures& epoch) { return std::isfinite(epoch.held_out); });
  if (judged.size() < 10 || !account.trained.failure.empty()) return;
  const auto best = std::max_element(judged.begin(), judged.end(),
                                     [](const auto& a, const auto& b) { return a.held_out < b.held_out; });
  const double last = judged.back().held_out;
  const double rise = last - judged[judged.size() - 1 - judged.size() / 10].held_out;
  const bool is_last = judged.end() - best <= static_cast<std::ptrdiff_t>(judged.size() / 20 + 1);
  if (is_last && !account.trained.stopped_early && rise > kStillRising)
    findings.push_back(
        {"still-rising", "The held-out likelihood was still rising in the last epochs.",
         fmt::format("by {} nats per row in the last tenth of {} epochs", digits(rise, 2), epochs.size()),
         fmt::format("Train longer: --epochs {}.", 2 * epochs.size())});
  if (best->held_out - last > kFall && account.trained.best_epoch == 0)
    findings.push_back(
        {"overfits",
         fmt::format("The held-out likelihood was highest after epoch {} and has fallen since.", best->epoch),
         fmt::format("by {} nats per row", digits(best->held_out - last, 2)),
         "Give --patience, which keeps the best epoch, fewer --epochs or a smaller --prior-scale."});
}

void add_data_findings(const Account& account, Findings& findings) {
  const Preparation& preparation = account.built.network().preparation;
  std::string constant;
  for (std::size_t i = 0; i < preparation.columns.size(); ++i) {
    const InputColumn& column = preparation.columns[i];
    const bool varies =
        !column.levels.empty() ||
        std::any_of(account.train_rows.begin(), account.train_rows.end(), [&](std::size_t row) {
          const double cell = account.table.at(row, i);
          return !std::isnan(cell) && cell != column.mean;
        });
    if (!varies) constant += (constant.empty() ? "" : ", ") + column.name;
  }
  if (!constant.empty())
    findings.push_back({"constant-column",
                        fmt::format("Columns that never vary in the training rows: {}.", constant), "",
                        "Nothing is learned from them; --ignore leaves them out."});
}

void add_calibration_findings(const Account& account, Findings& findings) {
  const Evaluation& evaluation = account.evaluation;
  if (evaluation.known > 0 && !std::isfinite(evaluation.figure("log_likelihood")))
    findings.push_back({"predictions-not-finite", "Some held-out rows have no finite likelihood.", "",
                        "The training has gone astray: lower --rate."});
  if (evaluation.known < kFewHeldOut) return;
  const auto rows = static_cast<double>(evaluation.known);
  const bool is_classification = !evaluation.bins.empty();
  double said = 0.9, found = evaluation.figure("coverage_90");
  if (is_classification) {
    found = evaluation.figure("accuracy");
    said = 0;
    for (const ReliabilityBin& bin : evaluation.bins)
      said += bin.confidence * static_cast<double>(bin.rows) / rows;
  }
  const double error = std::sqrt(std::max(said * (1 - said), 0.25 / rows) / rows);
  if (std::fabs(found - said) < std::max(kClear * error, 0.03)) return;
  const bool is_overconfident = found < said;
  findings.push_back(
      {is_overconfident ? "overconfident" : "underconfident",
       is_classification
           ? fmt::format(
                 "On held-out rows the likeliest class is right in {}, with a mean probability of {}.",
                 percent(found), percent(said))
           : fmt::format("The 90 % band covers {} of the held-out rows.", percent(found)),
       fmt::format("{} rows", evaluation.known),
       is_overconfident
           ? "Predictions are too sure: try --posterior ensemble with more --members, or "
             "--likelihood heteroscedastic for numbers."
           : "Predictions are less sure than they could be: train longer, or try another posterior."});
}

void add_noise_findings(const Account& account, Findings& findings) {
  const double noise = learned_noise(account.built);
  if (noise < kSmallestNoise)
    findings.push_back(
        {"noise-vanishes", "The network passes through the training rows: its noise is nearly 0.",
         fmt::format("sd {} of the target's", percent(noise)),
         "Give fewer --hidden units, a smaller --prior-scale, or the --noise if you know it."});
  const double rmse = account.evaluation.figure("rmse"), sd = account.built.network().preparation.target_sd;
  if (account.evaluation.known >= kFewHeldOut && rmse > 0.98 * sd)
    findings.push_back(
        {"explains-nothing", "On held-out rows the network does no better than the target's mean.",
         fmt::format("RMSE {}, the target's sd {}", digits(rmse), digits(sd)),
         "The columns may not determine the target; or the training failed: see training.csv."});
}

}  // namespace

Facts facts_of(const Account& account) {
  const Network& network = account.built.network();
  Facts facts = {{"data", rows_text(account)}, {"columns", columns_text(network.preparation)}};
  const std::string missing = missing_text(account);
  if (!missing.empty()) facts.emplace_back("missing", missing);
  facts.emplace_back("target", target_text(network.preparation));
  facts.emplace_back("network", network_text(account.built));
  facts.emplace_back("posterior", network.members == 1
                                      ? network.posterior
                                      : fmt::format("{}, {} members", network.posterior, network.members));
  if (account.processes > 1)
    facts.emplace_back(
        "processes",
        fmt::format("{}; {}", account.processes,
                    account.is_spread ? "the members are divided among them, each on all rows"
                                      : "each has a part of every minibatch, gradients are summed"));
  facts.emplace_back("epochs", epochs_text(account.trained, account.options));
  const double noise = learned_noise(account.built);
  if (std::isfinite(noise)) facts.emplace_back("noise sd", digits(noise * network.preparation.target_sd));
  const Evaluation& held_out = account.evaluation;
  if (held_out.known == 0) return facts;
  facts.emplace_back("held-out log likelihood", digits(held_out.figure("log_likelihood"), 5) + " per row");
  if (network.preparation.is_classification()) {
    facts.emplace_back("held-out accuracy", percent(held_out.figure("accuracy")));
    facts.emplace_back("held-out calibration",
                       fmt::format("ECE {}, Brier score {}", digits(held_out.figure("ece"), 3),
                                   digits(held_out.figure("brier"), 3)));
  } else {
    facts.emplace_back("held-out RMSE", digits(held_out.figure("rmse")));
    facts.emplace_back("held-out calibration", fmt::format("50 % band covers {}, 90 % band {}",
                                                           percent(held_out.figure("coverage_50")),
                                                           percent(held_out.figure("coverage_90"))));
  }
  return facts;
}

Findings findings_of(const Account& account) {
  Findings findings;
  add_training_findings(account, findings);
  if (!account.trained.failure.empty()) return findings;  // what follows would be about its wreck
  add_data_findings(account, findings);
  add_calibration_findings(account, findings);
  add_noise_findings(account, findings);
  for (const Finding& finding : account.built.posterior().findings()) findings.push_back(finding);
  return findings;
}

}  // namespace kullback::deep
