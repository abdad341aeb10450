// The generalised Pareto distribution of exceedances x has the distribution function 1 - (1 + k x /
// sigma)^(-1/k). With theta = -k / sigma the likelihood is largest for k = mean(log(1 - theta x)), and its
// profile is n (log(-theta / k) - k - 1). Zhang and Stephens (2009): theta is the mean of a grid of values,
// which are quantiles of a prior that depends on the data, weighted by the profile likelihood. (Their k is
// minus ours.)
//
// A weakly informative prior, as strong as 10 exceedances, draws k towards 0.5 (Vehtari et al. 2024, appendix
// G).
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/psis.hpp"
#include "stats/ranks.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMinGridPoints = 30;
constexpr double kGridSpread = 3;
constexpr double kPriorWeight = 10;
constexpr double kPriorShape = 0.5;
constexpr std::size_t kMinTail = 5;
constexpr double kEnoughForLongTail = 225;

// Mean of log(1 - theta x), x ascending. A logarithm is slow and a product is fast: blocks of factors are
// multiplied first, where even the outermost factor, to the power of the block's size, is far from overflow
// and underflow.
double mean_log_factor(std::span<const double> x, double theta) {
  constexpr std::size_t kBlock = 16;
  constexpr double kSafe = 0x1p60;
  const double outermost = 1 - theta * x.back();
  double total = 0;
  std::size_t i = 0;
  if (outermost < kSafe && outermost > 1 / kSafe)
    for (; i + kBlock <= x.size(); i += kBlock) {
      double products[4] = {1, 1, 1, 1};
      for (std::size_t j = 0; j < kBlock; j += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) products[lane] *= 1 - theta * x[i + j + lane];
      total += std::log((products[0] * products[1]) * (products[2] * products[3]));
    }
  for (; i < x.size(); ++i) total += std::log1p(-theta * x[i]);
  return total / static_cast<double>(x.size());
}

// theta_j = 1 / x_n + (1 - sqrt(m / (j - 1/2))) / (3 x_quartile), j = 1..m, all below 1 / x_n.
std::vector<double> grid(std::span<const double> x, double quartile) {
  const double points = kMinGridPoints + std::floor(std::sqrt(static_cast<double>(x.size())));
  std::vector<double> theta;
  for (double j = 1; j <= points; ++j)
    theta.push_back(1 / x.back() + (1 - std::sqrt(points / (j - 0.5))) / kGridSpread / quartile);
  return theta;
}

double posterior_mean(std::span<const double> theta, std::span<const double> log_likelihood) {
  const double largest = *std::max_element(log_likelihood.begin(), log_likelihood.end());
  double weights = 0, weighted = 0;
  for (std::size_t j = 0; j < theta.size(); ++j) {
    const double weight = std::exp(log_likelihood[j] - largest);
    weights += weight;
    weighted += weight * theta[j];
  }
  return weighted / weights;
}

// Tail of a quantity's own draws, as posterior::ps_tail_length.
std::size_t tail_length(double count, double relative_efficiency) {
  const bool is_long = count * relative_efficiency > kEnoughForLongTail;
  const double length = std::floor(is_long ? 3 * std::sqrt(count / relative_efficiency) : count / 5);
  return static_cast<std::size_t>(std::clamp(length, static_cast<double>(kMinTail), std::floor(count / 2)));
}

// Of the largest `length` of ascending values.
double upper_khat(std::span<const double> ascending, std::size_t length) {
  const double cutoff = ascending[ascending.size() - length - 1];
  std::vector<double> exceedances(ascending.end() - static_cast<std::ptrdiff_t>(length), ascending.end());
  for (double& value : exceedances) value -= cutoff;
  return fit_pareto(exceedances).k;
}

double larger_of_fitted(double a, double b) {
  if (std::isnan(a)) return b;
  return std::isnan(b) ? a : std::max(a, b);
}

}  // namespace

ParetoFit fit_pareto(std::span<const double> exceedances, bool weakly_informative_prior) {
  const double n = static_cast<double>(exceedances.size());
  const std::size_t quarter = static_cast<std::size_t>(std::floor(n / 4 + 0.5));
  if (quarter < 1 || !(exceedances[quarter - 1] > exceedances[0]) || !std::isfinite(exceedances.back()))
    return {kNaN, kNaN};

  const auto theta = grid(exceedances, exceedances[quarter - 1]);
  std::vector<double> log_likelihood;
  for (const double at : theta) {
    const double k = mean_log_factor(exceedances, at);
    log_likelihood.push_back(n * (std::log(-at / k) - k - 1));
  }
  const double mean_theta = posterior_mean(theta, log_likelihood);
  const double k = mean_log_factor(exceedances, mean_theta);
  if (std::isnan(k)) return {kInfinity, kNaN};
  const double adjusted = (n * k + kPriorWeight * kPriorShape) / (n + kPriorWeight);
  return {weakly_informative_prior ? adjusted : k, -k / mean_theta};
}

double khat_threshold(std::size_t count) {
  return std::min(1 - 1 / std::log10(static_cast<double>(count)), 0.7);
}

double tail_khat(std::span<const double> values) { return tail_khat(Chains{values, 1, values.size()}); }

double tail_khat(const Chains& chains) {
  const double count = static_cast<double>(chains.values.size());
  const double relative_efficiency = ess_tail(chains) / count;
  if (std::isnan(relative_efficiency) || count < 2 * kMinTail) return kNaN;
  const std::size_t length = tail_length(count, relative_efficiency);

  std::vector<double> ascending;
  for (const Ranked& item : sorted(chains)) ascending.push_back(item.value);
  const double upper = upper_khat(ascending, length);
  std::reverse(ascending.begin(), ascending.end());
  for (double& value : ascending) value = -value;
  return larger_of_fitted(upper, upper_khat(ascending, length));
}

}  // namespace kullback::stats
