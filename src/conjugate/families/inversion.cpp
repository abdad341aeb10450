// Each equation is solved in coordinates in which it is nearly linear, from a start with the right behaviour
// at both ends, with steps halved back into the domain.
#include "conjugate/families/inversion.hpp"

#include <algorithm>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <vector>

#include "math/bessel_ratio.hpp"
#include "math/functions/boost_policy.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {
namespace {

constexpr int kMaxSteps = 200;
constexpr double kTolerance = 4e-16;

// log(a) - digamma(a) without cancellation for large a: 1/(2a) + sum B_2k / (2k a^2k).
double log_minus_digamma(double a) {
  if (a < 20) return std::log(a) - math::digamma_positive(a);
  const double r = 1 / (a * a);
  return 0.5 / a + r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r / 132))));
}

double gap_of_shape(double a, std::size_t d) {
  double gap = 0;
  for (std::size_t j = 0; j < d; ++j) {
    const double below = a - 0.5 * static_cast<double>(j);
    gap += log_minus_digamma(below) - std::log1p((below - a) / a);
  }
  return gap;
}

double gap_slope(double a, std::size_t d) {
  double slope = 0;
  for (std::size_t j = 0; j < d; ++j) slope += 1 / a - trigamma(a - 0.5 * static_cast<double>(j));
  return slope;
}

}  // namespace

double trigamma(double x) { return boost::math::trigamma(x, math::functions::kPolicy); }

// Minka (2000), appendix C.
double inverse_digamma(double y) {
  double x = y >= -2.22 ? std::exp(y) + 0.5 : -1 / (y - math::digamma_positive(1));
  for (int step = 0; step < kMaxSteps; ++step) {
    const double next = x - (math::digamma_positive(x) - y) / trigamma(x);
    const double kept = next > 0 ? next : 0.5 * x;
    const bool done = std::abs(kept - x) <= kTolerance * x;
    x = kept;
    if (done) break;
  }
  return x;
}

// Newton for log gap in log(a - (d - 1)/2). The gap falls from infinity like 1/(a - (d-1)/2) to 0 like
// d (d + 1) / (4 a), so that the curve has slope between -1 and about -1 and Newton's steps do not overshoot
// by much.
double shape_of_gap(double gap, std::size_t d) {
  const double least = 0.5 * static_cast<double>(d - 1);
  const double dd = static_cast<double>(d);
  double excess = std::max(dd * (dd + 1) / (4 * gap), 1 / (1 + gap));
  double smallest = 0, largest = INFINITY;
  for (int step = 0; step < kMaxSteps; ++step) {
    const double a = least + excess;
    const double found = gap_of_shape(a, d);
    (found > gap ? smallest : largest) = excess;
    const double slope = gap_slope(a, d) * excess / found;
    double next = excess * std::exp(std::clamp((std::log(gap) - std::log(found)) / slope, -5.0, 5.0));
    if (!(next > smallest && next < largest) && largest < INFINITY) next = 0.5 * (smallest + largest);
    const bool done = std::abs(next - excess) <= kTolerance * excess;
    excess = next;
    if (done) break;
  }
  return least + excess;
}

// Newton with the inverse of diag(trigamma(alpha_i)) - trigamma(alpha_0) 1 1' by Sherman and Morrison (Minka
// 2000), after fixed-point steps alpha_i = inverse_digamma(digamma(alpha_0) + mean_i), which always lead
// towards the solution.
bool dirichlet_of_mean(const double* mean, std::size_t k, double* alpha) {
  // Means of logarithms of a point of the simplex: sum exp(mean) < 1 by Jensen.
  double total = 0;
  for (std::size_t i = 0; i < k; ++i) total += std::exp(mean[i]);
  if (!(total < 1)) return false;
  // Large alpha: sum exp(mean) = 1 - (k - 1) / (2 alpha_0) + ...
  double alpha0 = std::max(0.5 * static_cast<double>(k - 1) / (1 - total), 1e-3);
  const auto sum = [&] {
    double s = 0;
    for (std::size_t i = 0; i < k; ++i) s += alpha[i];
    return s;
  };
  for (int step = 0; step < 5; ++step) {
    const double shift = math::digamma_positive(step == 0 ? alpha0 : sum());
    for (std::size_t i = 0; i < k; ++i) alpha[i] = inverse_digamma(shift + mean[i]);
  }
  std::vector<double> move(k);
  for (int step = 0; step < kMaxSteps; ++step) {
    alpha0 = sum();
    const double all = trigamma(alpha0);
    const double shift = math::digamma_positive(alpha0);
    double inverses = 0, weighted = 0;
    for (std::size_t i = 0; i < k; ++i) {
      const double inverse = 1 / trigamma(alpha[i]);
      move[i] = (mean[i] - math::digamma_positive(alpha[i]) + shift);
      inverses += inverse;
      weighted += move[i] * inverse;
    }
    const double shared = weighted / (1 / all - inverses);
    double factor = 1, largest = 0;
    for (std::size_t i = 0; i < k; ++i) {
      move[i] = (move[i] + shared) / trigamma(alpha[i]);
      if (alpha[i] + move[i] <= 0) factor = std::min(factor, -0.9 * alpha[i] / move[i]);
      largest = std::max(largest, std::abs(move[i]) / alpha[i]);
    }
    for (std::size_t i = 0; i < k; ++i) alpha[i] += factor * move[i];
    if (!std::isfinite(largest)) return false;
    if (largest < 1e-14) break;
  }
  return true;
}

// Newton in log kappa for log(1 - A): A' = 1 - A/kappa - A^2 = (1 - A)(1 + A) - A/kappa. Starts: Best and
// Fisher (1981).
double concentration_of_length(double r) {
  if (r < 1e-3) return r * (2 + r * r * (1 + 5.0 / 6 * r * r));
  const double complement = 1 - r;
  double kappa = r < 0.53
                     ? 2 * r + r * r * r
                     : 1 / (2 * complement - complement * complement - complement * complement * complement);
  if (!(kappa > 0)) kappa = 0.5 / complement;
  for (int step = 0; step < kMaxSteps; ++step) {
    const math::BesselRatio bessel(kappa);
    const double a = 1 - bessel.complement;
    // For large kappa the slope is 1/(2 kappa^2) and its formula cancels.
    const double slope = kappa < 1e4 ? bessel.complement * (1 + a) - a / kappa : 0.5 / (kappa * kappa);
    const double residual = r < 0.5 ? a - r : complement - bessel.complement;
    const double next = kappa * std::exp(std::clamp(-residual / (slope * kappa), -2.0, 2.0));
    const bool done = std::abs(next - kappa) <= 1e-15 * kappa;
    kappa = next;
    if (done) break;
  }
  return kappa;
}

}  // namespace kullback::conjugate
