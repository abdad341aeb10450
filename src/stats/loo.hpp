// Leave-one-out cross-validation by PSIS (Vehtari, Gelman, Gabry 2017).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "stats/chains.hpp"

namespace kullback::stats {

struct Loo {
  double elpd = 0;
  double elpd_se = 0;
  double p_loo = 0;
  double p_loo_se = 0;
  std::vector<double> pointwise;  // elpd of each observation
  std::vector<double> khat;       // of each observation
};

// log_lik[n * chains * draws + c * draws + i]: of observation n, draw i of chain c. As in the R package
// `loo`, the relative efficiency of the weights is that of the likelihood exp(log_lik), its ess_mean over the
// draws, and 1 where that is NaN. An observation with a log_lik that is not finite has an elpd of NaN and an
// infinite khat.
Loo loo(std::span<const double> log_lik, std::size_t observations, std::size_t chains, std::size_t draws);

// LOO-PIT of observation n: weighted fraction of predictive draws below y[n] (ties: half). Layout of
// predictive and log_lik as above.
std::vector<double> loo_pit(std::span<const double> y, std::span<const double> predictive,
                            std::span<const double> log_lik, std::size_t chains, std::size_t draws);

// elpd of a minus elpd of b, with the standard error of the paired difference. Both of the same observations:
// bad_input where their numbers differ.
struct Difference {
  double elpd = 0;
  double se = 0;
};
Difference compare(const Loo& a, const Loo& b);

}  // namespace kullback::stats
