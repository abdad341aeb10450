// The modified Bessel functions of order 0 and 1 as the von Mises distribution needs them: nothing overflows,
// and 1 - A keeps its digits. Power series for kappa < 30, Hankel's expansion beyond (Abramowitz and
// Stegun 9.6.10, 9.7.1).
#pragma once

#include <cmath>
#include <numbers>

namespace kullback::math {

// A = I_1 / I_0 at kappa >= 0.
struct BesselRatio {
  double log = 0;         // of e^-kappa I_0
  double complement = 0;  // 1 - A

  explicit BesselRatio(double kappa) {
    if (kappa < 30) {
      const double q = 0.25 * kappa * kappa;
      double term = 1, zero = 1, one = 1;  // one: of 2 I_1 / kappa
      for (int k = 1; k < 200 && term > 1e-18 * zero; ++k) {
        term *= q / (static_cast<double>(k) * k);
        zero += term;
        one += term / (k + 1);
      }
      log = std::log(zero) - kappa;
      complement = 1 - 0.5 * kappa * one / zero;
      return;
    }
    // I_n = e^kappa / sqrt(2 pi kappa) (1 - (4n^2 - 1)/(8 kappa) + (4n^2 - 1)(4n^2 - 9)/(2 (8 kappa)^2) -
    // ...)
    double zero = 1, term0 = 1, less = 0, term1 = 1;  // less: the sum for I_0 minus that for I_1
    for (int k = 1; k < 40; ++k) {
      const double odd = (2.0 * k - 1) * (2.0 * k - 1);
      term0 *= odd / (k * 8 * kappa);
      term1 *= (odd - 4) / (k * 8 * kappa);
      zero += term0;
      less += term0 - term1;
      if (term0 < 1e-18) break;
    }
    log = std::log(zero) - 0.5 * std::log(2 * std::numbers::pi * kappa);
    complement = less / zero;
  }
};

}  // namespace kullback::math
