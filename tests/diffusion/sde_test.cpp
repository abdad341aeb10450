#include "deep/diffusion/sde.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/error.hpp"
#include "deep/diffusion/sampler.hpp"
#include "tests/diffusion/exact_checks.hpp"
#include "tests/diffusion/made.hpp"

namespace kullback::deep::diffusion {
namespace {

// d mean / dt = F mean and d variance / dt = F variance + variance F^T + G G^T, by differences.
TEST(Sde, CoefficientsBelongTogether) {
  for (const SdeRecord* record : sdes()) {
    const auto sde = make_sde(std::string(record->name));
    for (const double t : {0.0503, 0.3007, 0.8001}) {
      const double h = 1e-5;
      const Coefficients here = sde->at(at_time(t)), before = sde->at(at_time(t - h)),
                         after = sde->at(at_time(t + h));
      const torch::Tensor mean_rate = (after.mean - before.mean) / (2 * h);
      const torch::Tensor variance_rate = (after.variance - before.variance) / (2 * h);
      const torch::Tensor turned = at::matmul(here.drift, here.variance);
      const double scale = 1 + largest(variance_rate);
      EXPECT_LT(largest(mean_rate - at::matmul(here.drift, here.mean)), 1e-6 * scale) << record->name << t;
      EXPECT_LT(largest(variance_rate - turned - turned.transpose(1, 2) - here.diffusion), 1e-6 * scale)
          << record->name << t;
    }
  }
}

TEST(Sde, PriorIsTheEnd) {
  for (const SdeRecord* record : sdes()) {
    const auto sde = make_sde(std::string(record->name));
    const Coefficients end = sde->at(at_time(sde->t_max()));
    const torch::Tensor first = end.mean.select(2, 0).view({-1, 1});
    const torch::Tensor variance = (first.mm(first.t()) + end.variance[0]).diagonal();
    const torch::Tensor prior = torch::tensor(sde->prior_variance(), torch::kFloat64);
    EXPECT_LT(largest(variance / prior - 1), 1e-3) << record->name;
  }
}

TEST(Sde, DdpmIsTheProductOfItsSteps) {
  const auto sde = made_sde("ddpm", {{"noise_steps", "10"}, {"first_beta", "0.1"}, {"last_beta", "0.4"}});
  double share = 1;
  for (int i = 1; i <= 10; ++i) {
    share *= 1 - (0.1 + 0.3 * (i - 1) / 9);
    const Level here = level(*sde, at_time(i / 10.0));
    EXPECT_NEAR(here.alpha.item<double>(), std::sqrt(share), 1e-12);
    EXPECT_NEAR(here.sigma.item<double>(), std::sqrt(1 - share), 1e-12);
  }
}

// Ho et al. 2020, equations 6 and 7: the mean and the variance of a step back, written with their letters.
TEST(Sde, AncestralStepIsThatOfDdpm) {
  const auto sde = made_sde("ddpm", {{"noise_steps", "10"}, {"first_beta", "0.1"}, {"last_beta", "0.4"}});
  const MixtureScore score(*sde, random_mixture(2, 3, 5));
  const torch::Tensor state = torch::randn({4, 3}, torch::kFloat64);
  for (int i = 10; i >= 2; --i) {
    const Level now = level(*sde, at_time(i / 10.0)), next = level(*sde, at_time((i - 1) / 10.0));
    const torch::Tensor bar = now.alpha.square(), bar_before = next.alpha.square();
    const torch::Tensor alpha = bar / bar_before, beta = 1 - alpha;
    const torch::Tensor noise = -now.sigma * score.at(state, at_time(i / 10.0));
    const torch::Tensor mean = (state - beta / (1 - bar).sqrt() * noise) / alpha.sqrt();
    const Transition step = ancestral_transition(*sde, score, state, i / 10.0, (i - 1) / 10.0);
    EXPECT_LT(largest(step.mean - mean), 1e-10);
    EXPECT_NEAR(step.root.item<double>(), ((1 - bar_before) / (1 - bar) * beta).sqrt().item<double>(), 1e-10);
  }
}

TEST(Sde, TimeOfARatio) {
  for (const char* name : {"vp", "ve", "sub-vp", "ddpm", "edm", "flow"}) {
    const auto sde = make_sde(name);
    for (const double t : {0.1, 0.5, 0.9}) {
      const Level here = level(*sde, at_time(t));
      EXPECT_NEAR(time_of_ratio(*sde, (here.sigma / here.alpha).item<double>()), t, 1e-8) << name;
    }
  }
}

TEST(Sde, GridsFall) {
  for (const char* name : {"vp", "ve", "sub-vp", "ddpm", "edm", "flow"}) {
    const auto sde = make_sde(name);
    for (const Grid grid : {Grid::uniform, Grid::quadratic, Grid::edm, Grid::log_ratio}) {
      const std::vector<double> times = time_grid(*sde, 20, grid, sde->t_min());
      ASSERT_EQ(times.size(), 21U);
      for (std::size_t i = 1; i < times.size(); ++i)
        EXPECT_LT(times[i], times[i - 1]) << name << static_cast<int>(grid) << i;
    }
  }
}

std::string message_of(const std::map<std::string, std::string>& options, const char* sde = "vp") {
  try {
    made_sde(sde, options);
  } catch (const Error& error) {
    return error.message();
  }
  return {};
}

TEST(Sde, ASchedulesMustBeMonotone) {
  const std::string file = testing::TempDir() + "shares.txt";
  const auto write = [&](const char* text) { std::ofstream(file) << text; };
  write("0.9 0.5 0.6 0.1\n");
  EXPECT_NE(message_of({{"noise_schedule", file}}).find("share 3 of the schedule is 0.6 after 0.5"),
            std::string::npos);
  write("0.9, 0.5, 0.5, 0.1\n");
  EXPECT_NE(message_of({{"noise_schedule", file}}).find("must fall"), std::string::npos);
  write("0.9 x\n");
  EXPECT_NE(message_of({{"noise_schedule", file}}).find("'x' is no number"), std::string::npos);
  write("0.9 0.5 0.1 0.001\n");
  EXPECT_EQ(message_of({{"noise_schedule", file}}), "");
  const auto sde = made_sde("vp", {{"noise_schedule", file}});
  EXPECT_NEAR(level(*sde, at_time(0.5)).alpha.square().item<double>(), 0.5, 1e-12);
  EXPECT_NE(message_of({{"sigma_min", "3"}, {"sigma_max", "2"}}, "ve").find("not below"), std::string::npos);
  EXPECT_NE(message_of({{"first_beta", "0.3"}, {"last_beta", "0.2"}}, "ddpm").find("above"),
            std::string::npos);
  EXPECT_NE(message_of({{"beta_max", "0.2"}}).find("more than an eighth"), std::string::npos);
}

}  // namespace
}  // namespace kullback::deep::diffusion
