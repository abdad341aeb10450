#include "deep/vae/fit/account.hpp"

#include <fmt/format.h>

#include <cmath>

#include "deep/net/options.hpp"
#include "deep/part.hpp"

namespace kullback::deep {

namespace {

constexpr double kActive = 0.01;
constexpr double kStillRising = 0.002;  // of the bound in the last tenth of the epochs

std::string counts_text(const std::vector<std::int64_t>& counts) {
  std::string text;
  for (const std::int64_t count : counts) text += (text.empty() ? "" : "-") + std::to_string(count);
  return text;
}

std::string rows_text(const VaeAccount& account) {
  const VaeSpec& spec = account.built.model().spec;
  std::string text =
      fmt::format("{} rows of {} numbers", account.train_rows + account.held_out_rows, spec.pixels);
  if (spec.is_image()) text += fmt::format(" (images {} x {})", spec.height, spec.width);
  return text + (account.held_out_rows == 0 ? ", none held out"
                                            : fmt::format(", {} held out", account.held_out_rows));
}

std::string network_text(const VaeAccount& account) {
  const VaeModel& model = account.built.model();
  const VaeSpec& spec = model.spec;
  std::string text = spec.architecture == Architecture::mlp    ? "perceptrons"
                     : spec.architecture == Architecture::conv ? "convolutional"
                                                               : "residual";
  if (!spec.hidden.empty()) text += ", hidden " + counts_text(spec.hidden);
  if (spec.architecture != Architecture::mlp && spec.is_image())
    text += ", filters " + counts_text(spec.filters);
  return text + fmt::format(", {}, {} latent variables, {} parameters",
                            text_of(kReluActivation, spec.activation), spec.latent,
                            account.built.vae().layout().size());
}

std::string training_text(const VaeAccount& account) {
  const TrainOutcome& trained = account.trained;
  std::string text = fmt::format("{} epochs of {} rows a step", trained.epochs.size(), account.options.batch);
  if (trained.stopped_early) text += ", stopped early";
  if (trained.best_epoch != 0) text += fmt::format(", epoch {} is kept", trained.best_epoch);
  return text;
}

bool is_still_rising(const VaeAccount& account) {
  const auto& epochs = account.trained.epochs;
  const std::size_t tenth = epochs.size() / 10;
  if (account.trained.stopped_early || tenth < 2) return false;
  const double before = epochs[epochs.size() - 1 - tenth].loss, now = epochs.back().loss;
  return before - now > kStillRising * std::abs(now);
}

}  // namespace

Activity activity_of(const torch::Tensor& means) {
  Activity activity{.variance = means.var(0, false)};
  activity.active = (activity.variance > kActive).sum().item<std::int64_t>();
  return activity;
}

Findings findings_of(const Activity& activity) {
  const std::int64_t latent = activity.latent(), active = activity.active;
  if (2 * active > latent) return {};
  const std::string evidence = fmt::format(
      "the variance over rows of the posterior means is above {} for {} of {}, the largest is {:.3g}",
      kActive, active, latent, activity.variance.max().item<double>());
  if (active == 0)
    return {
        {.code = "collapse",
         .message = "No latent variable is used: the posterior is the prior for every row, and the decoder "
                    "ignores it.",
         .evidence = evidence,
         .advice = "Try --objective annealed, --floor delta or --floor batch-norm, or a weaker decoder."}};
  return {{.code = "unused-latents",
           .message = fmt::format("Only {} of {} latent variables are used.", active, latent),
           .evidence = evidence,
           .advice = fmt::format(
               "Nothing is wrong with the bound; --latent {} would do, or --objective iwae or annealed "
               "may use more.",
               active)}};
}

std::vector<std::pair<std::string, std::string>> facts_of(const VaeAccount& account) {
  const VaeModel& model = account.built.model();
  std::vector<std::pair<std::string, std::string>> facts = {
      {"rows", rows_text(account)},
      {"networks", network_text(account)},
      {"model", fmt::format("{} decoder, {} prior, {} posterior{}", model.decoder.name, model.prior.name,
                            model.family.name, model.spec.labels > 0 ? ", given the label" : "")},
      {"objective",
       fmt::format("{}, {} draw{} of a row", model.objective.name, account.built.objective().samples(),
                   account.built.objective().samples() == 1 ? "" : "s")},
      {"training", training_text(account)}};
  if (!std::isnan(account.held_out_bound))
    facts.emplace_back("held-out bound",
                       fmt::format("{:.6g} nats a row ({} draw{})", account.held_out_bound,
                                   account.held_out_samples, account.held_out_samples == 1 ? "" : "s"));
  if (account.activity.variance.defined())
    facts.emplace_back("active units",
                       fmt::format("{} of {}", account.activity.active, account.activity.latent()));
  return facts;
}

Findings findings_of(const VaeAccount& account) {
  Findings findings;
  if (account.activity.variance.defined()) findings = findings_of(account.activity);
  if (!account.trained.failure.empty())
    findings.push_back(
        {.code = "not-finite",
         .message = account.trained.failure + ".",
         .evidence = fmt::format("the state after epoch {} was kept", account.trained.epochs.size()),
         .advice = "Lower --rate, or look for extreme values in the data."});
  if (is_still_rising(account))
    findings.push_back(
        {.code = "still-rising",
         .message = "The objective was still rising when the training ended.",
         .evidence = fmt::format("loss {:.6g} after {} epochs", account.trained.epochs.back().loss,
                                 account.trained.epochs.size()),
         .advice = "Give more --epochs."});
  return findings;
}

}  // namespace kullback::deep
