// Chains that have mixed (R-hat below 1.01) are off by their Monte Carlo error, which they know.
//
// With a tail of shape k the moment of order m is finite where m k < 1. The mean's standard error needs the
// second moment (k < 1/2), that of the sd the fourth (k < 1/4): beyond 1/4 it grows with the number of draws
// as fast as they make it fall, and no length of the chains would ever be enough. Quantiles have a standard
// error whatever the tail.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "certify/certify.hpp"
#include "certify/confidence.hpp"
#include "certify/verdict.hpp"
#include "posterior/posterior.hpp"
#include "stats/chains.hpp"
#include "stats/psis.hpp"

namespace kullback::certify {

namespace {

constexpr double kMaxRhat = 1.01;
constexpr double kMaxDivergent = 0.001;  // of the transitions
constexpr double kNoErrorOfSd = 0.25;    // tail shape from which on the fourth moment may be infinite
constexpr double kLeastFactor = 3.5;
constexpr double kNormalIqr = 1.3489795003921634;
constexpr double kLargeDof = 1e6;

Testimony around_zero(double half, bool supports) { return {{0, -half, half}, supports}; }

}  // namespace

double least_precision(std::size_t quantities, const Terms& terms) {
  return std::max(kLeastFactor, interval_factor(2 * quantities * terms.rungs, kLargeDof));
}

Certificate certify_chains(const ChainedValues& chains, const Terms& terms) {
  Certificate certificate;
  certificate.tolerance = terms.tolerance;
  certificate.certified = Certified::chains;
  const double factor = least_precision(chains.values.size(), terms);
  const auto transitions = static_cast<double>(chains.chains * chains.draws);
  const bool is_divergent = static_cast<double>(chains.divergences) > kMaxDivergent * transitions;
  ChainFacts facts{.chains = chains.chains, .transitions = chains.draws, .divergences = chains.divergences};
  std::vector<Verdict> verdicts;
  double widest = 0;
  for (std::size_t j = 0; j < chains.values.size(); ++j) {
    const stats::Chains values{chains.values[j], chains.chains, chains.draws};
    const auto [least, most] = std::minmax_element(values.values.begin(), values.values.end());
    if (*least == *most) continue;
    const double rhat = stats::rhat(values);
    facts.rhat = std::max(facts.rhat, rhat);
    const bool supports = rhat < kMaxRhat && !is_divergent;
    ParameterCertificate parameter{.name = posterior::display_name(chains.names[j]),
                                   .location = {},
                                   .scale = {},
                                   .khat = stats::tail_khat(values)};
    parameter.by_quantiles = parameter.khat >= kNoErrorOfSd;
    if (parameter.by_quantiles) {
      parameter.location.given = stats::quantile(values.values, 0.5);
      parameter.scale.given = stats::quantile(values.values, 0.75) - stats::quantile(values.values, 0.25);
      parameter.location.chains = around_zero(
          factor * stats::mcse_quantile(values, 0.5) * kNormalIqr / parameter.scale.given, supports);
      parameter.scale.chains = around_zero(
          factor * std::hypot(stats::mcse_quantile(values, 0.25), stats::mcse_quantile(values, 0.75)) /
              parameter.scale.given,
          supports);
    } else {
      parameter.location.given = stats::mean(values.values);
      parameter.scale.given = stats::sd(values.values);
      parameter.location.chains =
          around_zero(factor * stats::mcse_mean(values) / parameter.scale.given, supports);
      parameter.scale.chains = around_zero(factor * stats::mcse_sd(values) / parameter.scale.given, supports);
    }
    parameter.location.verdict = judge_chain_moment(parameter.location, terms.tolerance);
    parameter.scale.verdict = judge_chain_moment(parameter.scale, terms.tolerance);
    parameter.verdict = all_of({parameter.location.verdict, parameter.scale.verdict});
    widest = std::max({widest, parameter.location.chains->error.high, parameter.scale.chains->error.high});
    verdicts.push_back(parameter.verdict);
    certificate.parameters.push_back(std::move(parameter));
  }
  certificate.verdict = all_of(verdicts);
  certificate.chains = facts;
  if (!(facts.rhat < kMaxRhat))
    certificate.reasons.push_back(
        {ReasonCode::disagree, fmt::format("The chains disagree: R-hat {:.3f}.", facts.rhat)});
  if (is_divergent) {
    certificate.reasons.push_back(
        {ReasonCode::diverged,
         fmt::format("{} of {:.0f} transitions diverged: there is a region that the chains do not enter.",
                     chains.divergences, transitions)});
  }
  if (widest > terms.tolerance) {
    certificate.reasons.push_back(
        {ReasonCode::wide_intervals,
         fmt::format(
             "The chains are too short: the widest interval is {:.2g} standard deviations to each side.",
             widest)});
  }
  return certificate;
}

}  // namespace kullback::certify
