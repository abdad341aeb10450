#include "infer/vi/objectives/weighted_score.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "infer/vi/power_mean.hpp"

namespace kullback::infer {

namespace {

std::vector<double> ratios(std::span<const double> log_p, std::span<const double> log_q) {
  std::vector<double> result(log_p.size());
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = log_p[k] - log_q[k];
  return result;
}

}  // namespace

void require_score(const Family& family, std::string_view objective) {
  const Abilities abilities = family.abilities();
  if (abilities.log_q && abilities.log_q_at) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("--objective {} needs log q at points that q did not draw, and this family has none.",
                  objective),
      abilities.log_q ? "A Gaussian family or a flow with a cheap inverse has it; `--objective elbo` does "
                        "without."
                      : "A Gaussian family has it; `--objective stein` needs no log q at all.");
}

std::vector<double> normalised_weights(std::span<const double> log_p, std::span<const double> log_q) {
  std::vector<double> weights(log_p.size());
  log_power_mean(ratios(log_p, log_q), 1, weights);
  return weights;
}

// The standard error is that of the ratio of means, by the delta method.
void set_forward_bound(const DrawLogs& logs, Sampling sampling, Estimate& estimate) {
  const std::vector<double> x = ratios(logs.log_p, logs.log_q);
  std::vector<double> weights(x.size());
  const double log_evidence = log_power_mean(x, 1, weights);
  double mean = 0;
  for (std::size_t k = 0; k < x.size(); ++k) mean += weights[k] == 0 ? 0 : weights[k] * x[k];
  for (std::size_t k = 0; k < x.size(); ++k)
    weights[k] *= weights[k] == 0 ? 0 : static_cast<double>(x.size()) * (x[k] - mean);
  estimate.bound = log_evidence - mean;
  estimate.bound_error = error_of_mean(weights, sampling);
}

}  // namespace kullback::infer
