// Pareto-smoothed importance sampling (Vehtari, Simpson, Gelman, Yao, Gabry 2024).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kullback::stats {

struct Psis {
  std::vector<double> log_weights;  // smoothed and normalised: their exponentials sum to 1
  double khat = 0;                  // shape of the tail; infinite where it cannot be fitted
  double ess = 0;                   // 1 / sum of squared weights, times the relative efficiency
};

// `relative_efficiency`: of the draws behind the weights (ESS over their number; 1: independent).
Psis smooth_weights(std::span<const double> log_weights, double relative_efficiency = 1.0);

// Below it the estimate is reliable for this many draws: min(1 - 1 / log10(count), 0.7).
double khat_threshold(std::size_t count);

// The heavier tail's shape of a quantity's own draws: at or above 0.5 its variance may be infinite.
double tail_khat(std::span<const double> values);

// Shape and scale of a generalised Pareto distribution (Zhang and Stephens 2009), of ascending exceedances.
struct ParetoFit {
  double k = 0;
  double sigma = 0;
};
ParetoFit fit_pareto(std::span<const double> exceedances, bool weakly_informative_prior = true);

}  // namespace kullback::stats
