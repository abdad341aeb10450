#include "infer/start.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

TEST(FindStart, IsUniformWithinItsRadiusAndDependsOnSeedAndChain) {
  Target target = autoregression(400, 0.5);
  const FoundStart found = find_start(target, {.seed = 1, .chain = 0});
  ASSERT_TRUE(found.is_ok);
  EXPECT_EQ(found.tries, 1U);
  const auto [least, most] = std::minmax_element(found.theta.begin(), found.theta.end());
  EXPECT_GE(*least, -2);
  EXPECT_LE(*most, 2);
  EXPECT_LT(*least, -1.9);
  EXPECT_GT(*most, 1.9);
  EXPECT_LT(estimate(found.theta).errors_from(0), kErrors);
  EXPECT_EQ(found.theta, find_start(target, {.seed = 1, .chain = 0}).theta);
  EXPECT_NE(found.theta, find_start(target, {.seed = 1, .chain = 1}).theta);
  EXPECT_NE(found.theta, find_start(target, {.seed = 2, .chain = 0}).theta);
  EXPECT_EQ(find_start(target, {.radius = 0}).theta, std::vector<double>(400, 0.0));
}

TEST(FindStart, TriesAgainOutsideTheSupport) {
  Target target(1, [](const double* theta, double* gradient) {
    gradient[0] = 0;
    return theta[0] > 1.6 ? 0.0 : -std::numeric_limits<double>::infinity();
  });
  const FoundStart found = find_start(target, {.seed = 3});
  EXPECT_TRUE(found.is_ok);
  EXPECT_GT(found.tries, 1U);
  EXPECT_GT(found.theta[0], 1.6);
}

TEST(FindStart, GivesUpWithTheDensitysMessage) {
  Target nowhere(1, [](const double*, double*) { return std::nan(""); });
  const FoundStart found = find_start(nowhere, {});
  EXPECT_FALSE(found.is_ok);
  EXPECT_EQ(found.tries, 100U);
  EXPECT_EQ(found.message, nowhere.message());
  EXPECT_EQ(find_start(nowhere, {.radius = 0}).tries, 1U);

  Target steep(1, [](const double*, double* gradient) {
    gradient[0] = std::numeric_limits<double>::infinity();
    return 0.0;
  });
  EXPECT_EQ(find_start(steep, {.tries = 3}).message, "the gradient is not finite");
}

TEST(CheckGradient, AgreesOnSmoothDensities) {
  for (const std::size_t dim : {10U, 200U}) {
    Target target = autoregression(dim, 0.9);
    EXPECT_FALSE(check_gradient_at(target, std::vector<double>(dim, 0.7), 1));
  }
  Target narrow = gaussian({100, 1e-4}, {1e-3, 1e-5});
  EXPECT_FALSE(check_gradient_at(narrow, {99, 0}, 1));
  Target bent = banana(3);
  EXPECT_FALSE(check_gradient_at(bent, {1.9, -1.9}, 1));
}

Target with_wrong_coordinate(std::size_t dim, std::size_t wrong) {
  return {dim, [dim, wrong](const double* theta, double* gradient) {
            double sum = 0;
            for (std::size_t i = 0; i < dim; ++i) {
              sum -= 0.5 * theta[i] * theta[i];
              gradient[i] = -theta[i] * (i == wrong ? 1.5 : 1.0);
            }
            return sum;
          }};
}

TEST(CheckGradient, NamesAWrongCoordinate) {
  Target target = with_wrong_coordinate(5, 3);
  const auto finding = check_gradient_at(target, std::vector<double>(5, 1.0), 1);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->code, "gradient");
  EXPECT_EQ(finding->evidence, "for coordinate 4: gradient -1.5, differences -1");
}

TEST(CheckGradient, NoticesAWrongCoordinateAmongMany) {
  Target target = with_wrong_coordinate(100, 3);
  EXPECT_TRUE(check_gradient_at(target, std::vector<double>(100, 1.0), 1));
}

TEST(CheckGradient, SaysNothingAtTheEdgeOfASupport) {
  Target target(1, [](const double* theta, double* gradient) {
    gradient[0] = 7;
    return theta[0] > 0 ? 0.0 : -std::numeric_limits<double>::infinity();
  });
  EXPECT_FALSE(check_gradient_at(target, {1e-9}, 1));
}

}  // namespace
}  // namespace kullback::infer
