// A bound log(E_q[w^c]) / c is finite where the mean of w^c is. Beyond a threshold w^c has nearly a Pareto
// tail with a shape k, that of w times c, and its mean is finite for k < 1 (Vehtari et al. 2024 estimate the
// shape). A finite number of weights has a finite mean in any case: it says nothing.
// The bound of finitely many draws is an estimate: log is concave, and the mean of w^c misses what no draw
// has reached. For c > 1 it lies below the bound, for c < 0 above, by little while k < 0.7 and beyond by more
// than its standard error tells.
#include "infer/vi/judge_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "infer/optimize/importance.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kLeastDraws = 100;  // fewer have no tail to speak of
constexpr std::size_t kBatches = 25;
constexpr double kReliable = 0.7;  // k-hat up to which means of the weights may be believed

// Mean of F over groups of `size` draws, with its standard error, as people read it.
BoundJudgement mean_of_groups(const Objective& objective, std::span<const double> log_ratios,
                              std::size_t size) {
  const std::size_t count = log_ratios.size() / size;
  const std::vector<double> zeros(size, 0.0);
  BoundJudgement result;
  double squares = 0;
  for (std::size_t r = 0; r < count; ++r) {
    const double value = objective.value({log_ratios.subspan(r * size, size), zeros}, nullptr);
    const double gap = value - result.value;
    result.value += gap / static_cast<double>(r + 1);
    squares += gap * (value - result.value);
  }
  result.value *= objective.sign();
  result.error = std::sqrt(squares / static_cast<double>(count - 1) / static_cast<double>(count));
  return result;
}

// Else E[w^c] <= E[w]^c.
bool can_be_infinite(double power) { return power < 0 || power > 1; }

}  // namespace

// A bound that averages a power is that of all the draws at once, whose error that of its batches tells.
BoundJudgement judge_bound(const Objective& objective, std::span<const double> log_ratios) {
  const double power = objective.power();
  if (power == 0)
    return mean_of_groups(objective, log_ratios, std::min(objective.draws(), log_ratios.size()));
  BoundJudgement result =
      mean_of_groups(objective, log_ratios, std::max<std::size_t>(1, log_ratios.size() / kBatches));
  result.value = mean_of_groups(objective, log_ratios, log_ratios.size()).value;
  std::vector<double> powers(log_ratios.begin(), log_ratios.end());
  for (double& value : powers) value *= power;
  result.khat = importance_weights(powers).khat;
  result.is_infinite = can_be_infinite(power) && !(result.khat < 1) && log_ratios.size() >= kLeastDraws;
  return result;
}

std::string BoundJudgement::text() const { return is_infinite ? "infinite" : fmt::format("{:.6g}", value); }

std::optional<Finding> bound_finding(const BoundJudgement& judgement, const Objective& objective) {
  const double power = objective.power();
  if (!judgement.is_infinite && can_be_infinite(power) && judgement.khat > kReliable) {
    return Finding{
        "biased-bound",
        fmt::format("The bound of these draws is an estimate that lies {} the bound itself: few weights "
                    "decide it.",
                    power > 1 ? "below" : "above"),
        fmt::format("Pareto k-hat {:.2f} of the weights to the power {:.3g}; reliable below {}",
                    judgement.khat, power, kReliable),
        power > 1 ? "Do not read it as an upper bound of the evidence; more --draws raise it."
                  : "Take an --alpha below 1, or a family that is nearer to the density."};
  }
  if (!judgement.is_infinite) return std::nullopt;
  return Finding{
      "infinite-bound",
      "The bound is infinite for this approximation: its tails are too far from the density's.",
      fmt::format("Pareto k-hat {:.2f} of the weights to the power {:.3g}; below 1 their mean is finite",
                  judgement.khat, objective.power()),
      "Take a family with correlations (`--family fullrank`), or another objective."};
}

}  // namespace kullback::infer
