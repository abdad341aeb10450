#include "infer/optimize/importance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kullback::infer {

namespace {

constexpr double kAllButEqual = 1e-3;  // of the largest log weight over their mean

}  // namespace

stats::Psis importance_weights(std::span<const double> log_ratios) {
  stats::Psis result = stats::smooth_weights(log_ratios);
  const double largest = *std::max_element(log_ratios.begin(), log_ratios.end());
  double sum = 0;
  for (const double ratio : log_ratios) sum += std::exp(ratio - largest);
  const bool are_equal = -std::log(sum / static_cast<double>(log_ratios.size())) < kAllButEqual;
  if (are_equal && log_ratios.size() > 1) result.khat = 0;
  return result;
}

std::optional<Finding> khat_finding(const stats::Psis& weights, std::string_view approximation) {
  const std::size_t count = weights.log_weights.size();
  const double threshold = std::max(stats::khat_threshold(count), 0.0);  // equal weights are no tail
  if (weights.khat <= threshold) return std::nullopt;
  if (!std::isfinite(weights.khat)) {
    return Finding{"khat",
                   fmt::format("How far {} is from the posterior could not be estimated.", approximation),
                   fmt::format("{} importance weights do not determine the shape of their tail", count),
                   "Raise --draws to 100 or more."};
  }
  return Finding{
      "khat",
      fmt::format("The importance weights of {} have a heavy tail: its means and intervals may be wrong.",
                  approximation),
      fmt::format("Pareto k-hat {:.2f}, reliable below {:.2f}; the weights of {} draws are worth {:.0f}",
                  weights.khat, threshold, count, weights.ess),
      "Use it to start or to check a sampler, not as the answer: run `--method nuts`."};
}

std::optional<Finding> outside_finding(std::span<const double> log_densities) {
  const auto outside = std::count_if(log_densities.begin(), log_densities.end(),
                                     [](double value) { return !std::isfinite(value); });
  if (outside == 0) return std::nullopt;
  return Finding{"outside-support",
                 fmt::format("At {} of {} draws of the approximation the log density is not finite.", outside,
                             log_densities.size()),
                 "they have weight 0: the approximation reaches beyond the support, or numerics fail there",
                 "Look at functions of parameters that are not defined everywhere, and at overflow."};
}

}  // namespace kullback::infer
