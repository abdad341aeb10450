// The posterior without observation n is the posterior weighted by 1 / p(y_n | theta). With these weights w,
// smoothed and normalised, elpd_n = log(sum_s w_s p(y_n | theta_s)) and p_loo is what it loses against
// log(mean_s p).
#include "stats/loo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "stats/psis.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void check_count(const char* what, std::size_t found, std::size_t needed) {
  if (found == needed) return;
  throw Error(ErrorKind::internal, std::string("stats: ") + what + " has " + std::to_string(found) +
                                       " values; observations, chains and draws ask for " +
                                       std::to_string(needed) + ".");
}

// Of the likelihood's chains. Efficiency has no scale: the largest likelihood is 1, so that none underflows
// for its scale alone. Constant or few draws: 1.
double relative_efficiency(std::span<const double> log_lik, std::size_t chains, std::size_t draws) {
  const double largest = *std::max_element(log_lik.begin(), log_lik.end());
  std::vector<double> likelihood(log_lik.size());
  for (std::size_t s = 0; s < log_lik.size(); ++s) likelihood[s] = std::exp(log_lik[s] - largest);
  const double efficiency = ess_mean({likelihood, chains, draws}) / static_cast<double>(log_lik.size());
  return std::isnan(efficiency) ? 1.0 : efficiency;
}

Psis weights_without(std::span<const double> log_lik, std::size_t chains, std::size_t draws) {
  std::vector<double> log_ratios(log_lik.begin(), log_lik.end());
  for (double& value : log_ratios) value = -value;
  return smooth_weights(log_ratios, relative_efficiency(log_lik, chains, draws));
}

double weighted_log_mean(std::span<const double> log_lik, const Psis& psis) {
  std::vector<double> terms(log_lik.begin(), log_lik.end());
  for (std::size_t s = 0; s < terms.size(); ++s) terms[s] += psis.log_weights[s];
  return log_sum_exp(terms);
}

// Standard error of a sum of independent terms.
double sum_se(std::span<const double> terms) {
  return std::sqrt(static_cast<double>(terms.size()) * variance(terms));
}

}  // namespace

Loo loo(std::span<const double> log_lik, std::size_t observations, std::size_t chains, std::size_t draws) {
  const std::size_t count = chains * draws;
  check_count("log_lik", log_lik.size(), observations * count);
  Loo result;
  std::vector<double> lost;
  for (std::size_t n = 0; n < observations; ++n) {
    const auto of = log_lik.subspan(n * count, count);
    const Psis psis = weights_without(of, chains, draws);
    const double elpd = weighted_log_mean(of, psis);
    result.pointwise.push_back(elpd);
    result.khat.push_back(psis.khat);
    lost.push_back(log_sum_exp(of) - std::log(static_cast<double>(count)) - elpd);
  }
  result.elpd = sum(result.pointwise);
  result.elpd_se = sum_se(result.pointwise);
  result.p_loo = sum(lost);
  result.p_loo_se = sum_se(lost);
  return result;
}

std::vector<double> loo_pit(std::span<const double> y, std::span<const double> predictive,
                            std::span<const double> log_lik, std::size_t chains, std::size_t draws) {
  const std::size_t count = chains * draws;
  check_count("log_lik", log_lik.size(), y.size() * count);
  check_count("predictive", predictive.size(), y.size() * count);
  std::vector<double> result;
  for (std::size_t n = 0; n < y.size(); ++n) {
    const Psis psis = weights_without(log_lik.subspan(n * count, count), chains, draws);
    double below = 0;
    for (std::size_t s = 0; s < count; ++s) {
      const double draw = predictive[n * count + s];
      const double part = draw < y[n] ? 1.0 : draw == y[n] ? 0.5 : draw > y[n] ? 0.0 : kNaN;
      below += part * std::exp(psis.log_weights[s]);
    }
    result.push_back(std::min(below, 1.0));
  }
  return result;
}

Difference compare(const Loo& a, const Loo& b) {
  if (a.pointwise.size() != b.pointwise.size())
    throw Error(ErrorKind::bad_input,
                "Two models are compared by their predictions of the same observations; one has " +
                    std::to_string(a.pointwise.size()) + " of them, the other " +
                    std::to_string(b.pointwise.size()) + ".",
                "Fit both to the same data, and give each one log_lik value for each observation.");
  std::vector<double> differences(a.pointwise);
  for (std::size_t n = 0; n < differences.size(); ++n) differences[n] -= b.pointwise[n];
  return {sum(differences), sum_se(differences)};
}

}  // namespace kullback::stats
