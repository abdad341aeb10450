// theta = m + L z sqrt((nu - 2) / g), z standard normal, g chi-square with nu degrees of freedom: covariance
// L L'. With s = |z|^2 (nu - 2) / g,
//   log q = lgamma((nu + d) / 2) - lgamma(nu / 2) - d/2 log(pi (nu - 2)) - log|L| - (nu + d)/2 log1p(s / (nu
//   - 2)).
#include "certify/student_draws.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "base/random.hpp"
#include "certify/lane_chains.hpp"
#include "infer/algorithm.hpp"

namespace kullback::certify {

namespace {

constexpr double kDegrees = 8;
constexpr std::uint32_t kFirstIndex = 1U << 30;  // below are transitions of chains

// scaling times z
std::vector<double> stretched(const Scaling& scaling, const std::vector<double>& z) {
  const std::size_t dim = z.size();
  std::vector<double> result(dim);
  for (std::size_t j = 0; j < dim; ++j) {
    if (scaling.lower.empty()) {
      result[j] = scaling.sd[j] * z[j];
      continue;
    }
    for (std::size_t i = j; i < dim; ++i) result[i] += scaling.lower[j * dim + i] * z[j];
  }
  return result;
}

double log_determinant(const Scaling& scaling) {
  const std::size_t dim = scaling.sd.size();
  double sum = 0;
  for (std::size_t i = 0; i < dim; ++i)
    sum += std::log(scaling.lower.empty() ? scaling.sd[i] : scaling.lower[i * dim + i]);
  return sum;
}

}  // namespace

infer::Draws student_draws(std::span<const double> theta, std::size_t dim, std::size_t count,
                           std::uint64_t seed) {
  const std::size_t points = theta.size() / dim;
  const std::vector<double> equal(points, 1 / static_cast<double>(points));
  const Scaling scaling = scaling_of(theta, dim, equal);
  std::vector<double> center(dim);
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t d = 0; d < dim; ++d) center[d] += theta[i * dim + d] / static_cast<double>(points);
  }
  const auto d = static_cast<double>(dim);
  const double constant = std::lgamma((kDegrees + d) / 2) - std::lgamma(kDegrees / 2) -
                          d / 2 * std::log(std::numbers::pi * (kDegrees - 2)) - log_determinant(scaling);
  infer::Draws draws;
  draws.dim = dim;
  std::vector<double> z(dim);
  for (std::size_t i = 0; i < count; ++i) {
    Random random(seed, 0, static_cast<std::uint32_t>(infer::Purpose::certificate),
                  kFirstIndex + static_cast<std::uint32_t>(i));
    double squares = 0;
    for (double& value : z) {
      value = random.normal();
      squares += value * value;
    }
    const double stretch = std::sqrt((kDegrees - 2) / (2 * random.gamma(kDegrees / 2)));
    const std::vector<double> move = stretched(scaling, z);
    for (std::size_t j = 0; j < dim; ++j) draws.theta.push_back(center[j] + stretch * move[j]);
    draws.log_q.push_back(constant -
                          (kDegrees + d) / 2 * std::log1p(squares * stretch * stretch / (kDegrees - 2)));
  }
  return draws;
}

}  // namespace kullback::certify
