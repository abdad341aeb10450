// In coordinates z = theta / sd of the draws the score is sd d log p / d theta; the kernel is
// (1 + |z - z'|^2 / h^2)^(-1/2) with h^2 the median of |z - z'|^2. See stats/ksd.cpp for the discrepancy, its
// test (wild bootstrap) and its interval.
#include "certify/stein_warning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "run/json_text.hpp"
#include "stats/chains.hpp"
#include "stats/ksd.hpp"

namespace kullback::certify {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLanes = 64;

struct Scored {
  std::vector<double> points;  // draw after draw
  std::vector<double> scores;
};

std::vector<std::size_t> evenly(std::size_t count, std::size_t wanted) {
  std::vector<std::size_t> chosen;
  const std::size_t kept = std::min(count, wanted);
  for (std::size_t i = 0; i < kept; ++i) chosen.push_back(i * count / kept);
  return chosen;
}

// Appends one lane where all of it is finite.
bool append(const density::Batch& batch, std::size_t dim, std::size_t lane, Scored& scored) {
  if (batch.status[lane] != density::Status::ok) return false;
  for (std::size_t i = 0; i < dim; ++i) {
    if (!std::isfinite(batch.gradient[i * batch.lanes + lane])) return false;
  }
  for (std::size_t i = 0; i < dim; ++i) {
    scored.points.push_back(batch.theta[i * batch.lanes + lane]);
    scored.scores.push_back(batch.gradient[i * batch.lanes + lane]);
  }
  return true;
}

Scored score(density::LogDensity& density, std::span<const double> theta,
             const std::vector<std::size_t>& chosen, SteinWarning& result) {
  const std::size_t dim = density.dim();
  Scored scored;
  for (std::size_t first = 0; first < chosen.size(); first += kLanes) {
    const std::size_t lanes = std::min(kLanes, chosen.size() - first);
    std::vector<double> points(dim * lanes), gradient(dim * lanes), log_density(lanes);
    std::vector<density::Status> status(lanes);
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) points[i * lanes + k] = theta[chosen[first + k] * dim + i];
    }
    const density::Batch batch{lanes, points.data(), log_density.data(), gradient.data(), status.data()};
    density.evaluate(batch);
    result.gradients += lanes;
    for (std::size_t k = 0; k < lanes; ++k) {
      if (!append(batch, dim, k, scored)) ++result.failed;
    }
  }
  return scored;
}

void standardise(std::size_t dim, Scored& scored) {
  const std::size_t count = scored.points.size() / dim;
  std::vector<double> values(count);
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t n = 0; n < count; ++n) values[n] = scored.points[n * dim + i];
    const double sd = stats::sd(values);
    if (!(sd > 0)) continue;
    for (std::size_t n = 0; n < count; ++n) {
      scored.points[n * dim + i] /= sd;
      scored.scores[n * dim + i] *= sd;
    }
  }
}

}  // namespace

SteinWarning stein_warning(density::LogDensity& density, std::span<const double> theta,
                           const SteinOptions& options) {
  const std::size_t dim = density.dim();
  SteinWarning result;
  Scored scored = score(density, theta, evenly(dim == 0 ? 0 : theta.size() / dim, options.max_draws), result);
  result.draws = dim == 0 ? 0 : scored.points.size() / dim;
  if (result.draws < 2) {
    result.ksd_squared = result.lower = result.upper = result.p_value = kNaN;
    result.is_warning = dim > 0;
    return result;
  }
  standardise(dim, scored);
  using Kind = stats::RadialKernel::Kind;
  const double median = stats::median_squared_distance(scored.points, dim);
  const stats::Ksd ksd = stats::kernel_stein_discrepancy(
      {scored.points, scored.scores, dim},
      {Kind::imq, stats::median_bandwidth(Kind::imq, median, result.draws)},
      {.replicates = options.replicates, .seed = options.seed, .level = options.level});
  result.ksd_squared = ksd.squared_u;
  result.lower = ksd.u_lower;
  result.upper = ksd.u_upper;
  result.p_value = ksd.p_value;
  result.is_warning = result.failed > 0 || !(ksd.p_value >= 1 - options.level);
  return result;
}

std::string to_json(const SteinWarning& warning) {
  const auto number = [](double value) { return run::json_number(value); };
  return fmt::format(
      "{{\"draws\": {}, \"gradients\": {}, \"failed\": {}, \"ksd_squared\": {}, \"lower\": {}, \"upper\": "
      "{}, "
      "\"p_value\": {}, \"is_warning\": {}}}",
      warning.draws, warning.gradients, warning.failed, number(warning.ksd_squared), number(warning.lower),
      number(warning.upper), number(warning.p_value), warning.is_warning);
}

}  // namespace kullback::certify
