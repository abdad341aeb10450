#include "deep/train/adam.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kullback::deep {
namespace {

// By the formulas of the paper, one number at a time.
TEST(Adam, FollowsItsFormulas) {
  torch::manual_seed(1);
  const AdamOptions options{.rate = 0.1, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-3};
  torch::Tensor x = torch::randn({2, 3}, torch::kFloat64);
  double expected = x[1][2].item<double>(), m = 0, v = 0;
  Adam adam(x, options);
  for (int t = 1; t <= 5; ++t) {
    const torch::Tensor gradient = torch::randn({2, 3}, torch::kFloat64);
    const double g = gradient[1][2].item<double>(), scale = 1.0 / t;
    m = 0.8 * m + 0.2 * g;
    v = 0.95 * v + 0.05 * g * g;
    expected -= 0.1 * scale * (m / (1 - std::pow(0.8, t))) / (std::sqrt(v / (1 - std::pow(0.95, t))) + 1e-3);
    adam.step(x, gradient, torch::tensor(static_cast<double>(t), torch::kFloat64),
              torch::tensor(scale, torch::kFloat64));
  }
  EXPECT_NEAR(x[1][2].item<double>(), expected, 1e-14);
}

// The loop of a CPU and the operations of other devices (here: of tensors that are not contiguous) agree.
TEST(Adam, TheLoopAndTheOperationsAgree) {
  torch::manual_seed(2);
  torch::Tensor plain = torch::randn({300, 200}, torch::kFloat32);
  torch::Tensor turned = plain.t().contiguous().t();
  Adam first(plain, {}), second(turned, {});
  for (int t = 1; t <= 3; ++t) {
    const torch::Tensor gradient = torch::randn({300, 200}, torch::kFloat32),
                        count = torch::tensor(static_cast<double>(t), torch::kFloat64);
    first.step(plain, gradient, count, torch::ones({}, torch::kFloat64));
    second.step(turned, gradient, count, torch::ones({}, torch::kFloat64));
  }
  ASSERT_FALSE(turned.is_contiguous());
  EXPECT_LT((plain - turned).abs().max().item<double>(), 1e-6);
}

TEST(RateScale, FallsFromOneToZero) {
  const auto at_progress = [](double p) {
    return rate_scale(Schedule::cosine, torch::tensor(p, torch::kFloat64)).item<double>();
  };
  EXPECT_DOUBLE_EQ(at_progress(0), 1);
  EXPECT_NEAR(at_progress(0.5), 0.5, 1e-15);
  EXPECT_NEAR(at_progress(1), 0, 1e-15);
}

}  // namespace
}  // namespace kullback::deep
