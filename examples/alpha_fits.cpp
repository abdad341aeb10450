// Factorised Gaussians fitted to N(0, [[2, 1.5], [1.5, 1.6]]) by the alpha-divergence of p from q, for a
// range of alpha: from mode-seeking (alpha <= 0, where alpha = 0 is KL(q, p)) to mass-covering (alpha >= 1,
// KL(p, q)). Prints alpha, the variances of q and the divergence; docs/pictures/alpha_fits.py draws them.
#include <cmath>
#include <cstdio>

#include "stats/divergence.hpp"

using namespace kullback::stats;

namespace {

const Gaussian kTarget{.mean = {0, 0}, .covariance = {2, 1.5, 1.5, 1.6}};

Gaussian factorised(const double (&log_variance)[2]) {
  return {.mean = {0, 0}, .covariance = {std::exp(log_variance[0]), 0, 0, std::exp(log_variance[1])}};
}

// Golden-section search along one coordinate. An infinite divergence is larger than any other.
void minimise(double (&log_variance)[2], int coordinate, double alpha) {
  const double golden = 0.6180339887498949;
  double& at = log_variance[coordinate];
  double from = -4, to = 4;
  const auto divergence = [&](double place) {
    at = place;
    return alpha_divergence(kTarget, factorised(log_variance), alpha);
  };
  while (to - from > 1e-8) {
    const double left = to - golden * (to - from), right = from + golden * (to - from);
    const double at_left = divergence(left), at_right = divergence(right);
    // Where both are infinite the finite ones lie above for alpha > 1 (a wider q), below for alpha < 0.
    const bool go_left = std::isinf(at_left) && std::isinf(at_right) ? alpha < 0 : at_left < at_right;
    (go_left ? to : from) = go_left ? right : left;
  }
  at = (from + to) / 2;
}

}  // namespace

int main() {
  for (int i = -8; i <= 12; ++i) {
    const double alpha = i / 4.0;
    // From a wide q where alpha > 1, from a narrow one where alpha < 0: there the divergence is finite.
    double log_variance[2] = {alpha > 0.5 ? 3.0 : -3.0, alpha > 0.5 ? 3.0 : -3.0};
    for (int sweep = 0; sweep < 60; ++sweep)
      for (int coordinate : {0, 1}) minimise(log_variance, coordinate, alpha);
    const Gaussian fit = factorised(log_variance);
    std::printf("%.2f %.6f %.6f %.6f\n", alpha, fit.covariance[0], fit.covariance[3],
                alpha_divergence(kTarget, fit, alpha));
  }
}
