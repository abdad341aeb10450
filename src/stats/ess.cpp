// The effective sample size of M halves of N draws is M N / tau, tau = 1 + 2 sum_t rho_t, with
// rho_t = 1 - (W - s_t) / V: s_t the mean autocovariance at lag t, W the variance within halves, V the
// estimate of the marginal variance, W (N - 1) / N + variance of the means (Vehtari et al. 2021,
// section 3.2).
//
// Geyer (1992): sums of neighbours P_k = rho_2k + rho_2k+1 of a reversible chain are positive, decreasing and
// convex in k. The sum stops before the first P_k that is negative (initial positive sequence), and the ones
// kept are made to decrease (initial monotone sequence). The first even term after them is added when
// positive: it lowers the variance of the estimate for antithetic chains. tau is at least 1 / log10(M N).
#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/autocovariance.hpp"
#include "stats/chains.hpp"
#include "stats/halves.hpp"
#include "stats/ranks.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMinHalf = 3;
// In halves shorter than this only rho_0 and rho_1 could be summed. As `posterior`, we then say tau = 2.
constexpr std::size_t kMinHalfForPairs = 6;
constexpr double kTauOfShortHalves = 2;

// The correlations at even and odd lags, which Geyer's sequences sum in pairs.
class Autocorrelation final {
 public:
  explicit Autocorrelation(const Centred& of) : autocovariance_(of.halves), within_(of.variance_within) {
    const double n = static_cast<double>(of.halves.draws);
    marginal_ = within_ * (n - 1) / n + of.variance_of_means;
  }
  double operator()(std::size_t lag) {
    return lag == 0 ? 1.0 : 1 - (within_ - autocovariance_(lag)) / marginal_;
  }

 private:
  MeanAutocovariance autocovariance_;
  double within_;
  double marginal_;
};

double correlation_time(Autocorrelation& rho, std::size_t draws) {
  double tau = -1;
  double even = 1, odd = rho(1);
  double bound = even + odd;  // the smallest sum of neighbours so far
  std::size_t lag = 0;
  while (lag + 5 < draws && even + odd > 0) {
    bound = std::min(bound, even + odd);
    tau += 2 * bound;
    lag += 2;
    even = rho(lag);
    odd = rho(lag + 1);
  }
  const bool is_kept = even + odd >= 0;  // the chain ended before Geyer's criterion was met
  return tau + (is_kept ? even : std::max(even, 0.0));
}

}  // namespace

double ess_of(const Centred& of) {
  const std::size_t draws = of.halves.draws;
  if (draws < kMinHalf || !(of.variance_within > 0 || of.variance_of_means > 0)) return kNaN;
  const double count = static_cast<double>(of.halves.values.size());
  if (draws < kMinHalfForPairs) return count / kTauOfShortHalves;
  Autocorrelation rho(of);
  return count / std::max(correlation_time(rho, draws), 1 / std::log10(count));
}

double ess_mean(const Chains& chains) { return are_usable(chains) ? ess_of(center(cut(chains))) : kNaN; }

double ess_bulk(const Chains& chains) {
  return are_usable(chains) ? ess_of(center(rank_normalised(sorted(chains), Cut(chains)))) : kNaN;
}

// The sd is no mean, but to first order a function of the mean of the squared deviations.
double ess_sd(const Chains& chains) {
  if (!are_usable(chains)) return kNaN;
  const double center_of_all = mean(chains.values);
  return ess_of(center(cut(chains, [center_of_all](double value) {
    const double deviation = value - center_of_all;
    return deviation * deviation;
  })));
}

double ess_below(const Chains& chains, double bound) {
  return ess_of(center(cut(chains, [bound](double value) { return value <= bound ? 1.0 : 0.0; })));
}

double ess_quantile(const Chains& chains, double probability) {
  if (!are_usable(chains)) return kNaN;
  const double count = static_cast<double>(chains.values.size());
  // All draws are at or below the largest: the quantile of probability 1 is taken between the two largest.
  const double inside = probability == 1 ? (count - 0.5) / count : probability;
  const double bound = quantile(chains.values, inside);
  return std::isnan(bound) ? kNaN : ess_below(chains, bound);
}

double ess_tail(const Chains& chains) {
  return smaller(ess_quantile(chains, 0.05), ess_quantile(chains, 0.95));
}

double smaller(double a, double b) { return std::isnan(a) || std::isnan(b) ? kNaN : std::min(a, b); }

}  // namespace kullback::stats
