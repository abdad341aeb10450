// Derivatives along a line: analytic functions of very different scales come out to many digits.
#include "math/solvers/directional.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kullback::math {
namespace {

TEST(Directional, FindsItsStep) {
  for (const double scale : {1e-3, 0.1, 1.0, 10.0, 50.0}) {
    const auto g = [&](double t, double* out) {
      out[0] = std::exp(scale * t);
      out[1] = std::sin(scale * t + 0.5);
    };
    const std::vector<double> first = derivative_along(g, 2, 1);
    const std::vector<double> second = derivative_along(g, 2, 2);
    EXPECT_NEAR(first[0] / scale, 1, 2e-10) << scale;
    EXPECT_NEAR(first[1] / scale, std::cos(0.5), 2e-10) << scale;
    EXPECT_NEAR(second[0] / (scale * scale), 1, 2e-7) << scale;
    EXPECT_NEAR(second[1] / (scale * scale), -std::sin(0.5), 2e-7) << scale;
  }
}

TEST(Directional, StepsBackFromWhereTheFunctionEnds) {
  const auto g = [](double t, double* out) { out[0] = std::log(0.02 + t); };  // NaN below -0.02
  EXPECT_NEAR(derivative_along(g, 1, 1)[0], 50, 50 * 1e-8);
  EXPECT_NEAR(derivative_along(g, 1, 2)[0], -2500, 2500 * 1e-6);
}

}  // namespace
}  // namespace kullback::math
