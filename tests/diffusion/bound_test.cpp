// The variational bound, with scores that are known.
#include "deep/diffusion/bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "deep/diffusion/objective.hpp"
#include "tests/diffusion/exact_checks.hpp"

namespace kullback::deep::diffusion {
namespace {

constexpr const char* kWithoutVelocity[] = {"vp", "ve", "sub-vp", "ddpm", "edm", "flow", "ladder", "learned"};

torch::Tensor at_rows(const torch::Tensor& x, const Coefficients& at) {
  return perturb(at, x, torch::randn_like(x));
}

// With the exact score the model's states are those of the data, but that it begins at the prior and ends
// with x around z / alpha. So the bound of a row is, over its states z at t_min and t_max,
//   E log p(z_min) + dims log alpha_min + E (log prior(z_max) - log p(z_max)).
TEST(Bound, OfAnExactScoreIsWhatTheEndsLeave) {
  constexpr std::int64_t kRows = 12, kTimes = 1000;
  for (const char* name : kWithoutVelocity) {
    const auto sde = make_sde(name);
    const MixtureScore score(*sde, random_mixture(3, 2, 1));
    at::manual_seed(4);
    const torch::Tensor each = score.draw(kRows), x = each.repeat_interleave(kTimes, 0);
    const BoundTerms terms = bound_terms(*sde, score, x, {}, 16);
    const torch::Tensor low = at_time(sde->t_min()), high = at_time(sde->t_max());
    const torch::Tensor first = at_rows(x, sde->at(low)), last = at_rows(x, sde->at(high));
    const torch::Tensor expected = score.log_density(first, low) + 2 * at::log(level(*sde, low).alpha) +
                                   prior_log_density(*sde, last) - score.log_density(last, high);
    const torch::Tensor gap = (terms.bound() - expected).view({kRows, kTimes});
    const torch::Tensor error = gap.std(1) / std::sqrt(static_cast<double>(kTimes));
    EXPECT_LT(largest(gap.mean(1) / error), 5) << name;
    EXPECT_LT(largest(error), 0.1) << name;
  }
}

TEST(Bound, OfAnExactScoreIsTight) {
  for (const char* name : {"vp", "ve", "edm", "flow"}) {
    const auto sde = make_sde(name);
    const MixtureScore score(*sde, random_mixture(3, 2, 1));
    at::manual_seed(4);
    const torch::Tensor x = score.draw(20'000);
    const torch::Tensor gap = score.data_log_density(x) - bound_terms(*sde, score, x, {}, 16).bound();
    const double error = gap.std().item<double>() / std::sqrt(20'000.0), mean = gap.mean().item<double>();
    EXPECT_GT(mean, -5 * error) << name;  // it is a bound
    EXPECT_LT(mean, 0.01 + 5 * error) << name;
    EXPECT_LT(error, 0.01) << name;
  }
}

// One pixel: the chances of its levels, by the formula.
TEST(Bound, ReconstructionOfALevelIsItsChance) {
  const auto sde = make_sde("vp");
  const DataUnits units{.has_levels = true, .center = 0.2, .sd = 0.3};
  const Level first = level(*sde, at_time(sde->t_min()));
  const double ratio = (first.sigma / first.alpha).item<double>(), seen = (77 / 255.0 - 0.2) / 0.3;
  const torch::Tensor found = reconstruction_term(*sde, torch::full({1, 1}, seen, torch::kFloat64),
                                                  torch::full({1, 1}, 0.7, torch::kFloat64), units);
  const auto weight = [&](int pixel) {
    const double away = seen + 0.7 * ratio - (pixel / 255.0 - 0.2) / 0.3;
    return std::exp(-away * away / (2 * ratio * ratio));
  };
  double sum = 0;
  for (int pixel = 0; pixel < 256; ++pixel) sum += weight(pixel);
  EXPECT_NEAR(found.item<double>(), -std::log(weight(77) / sum), 1e-10);
}

TEST(Bound, ReconstructionOfNumbersIsItsMean) {
  const auto sde = make_sde("edm");
  const double ratio = sde->t_min() * 80;
  const torch::Tensor x = torch::randn({3, 2}, torch::kFloat64);
  const torch::Tensor found = reconstruction_term(*sde, x, torch::randn_like(x), {});
  EXPECT_LT(largest(found - (std::log(2 * std::numbers::pi * ratio * ratio) + 1)), 1e-12);
}

// Of any network: the loss by likelihood is the bound's diffusion term, whatever times are drawn.
TEST(Bound, LossByLikelihoodIsItsDiffusionTerm) {
  constexpr std::int64_t kRows = 200'000;
  for (const char* name : {"vp", "sub-vp", "ve", "learned"}) {
    const auto sde = make_sde(name);
    Layout layout;
    NetSpec spec;
    spec.inputs = spec.outputs = 2;
    spec.hidden = {8};
    const auto net = make_score_net(layout, spec);
    const Parameters parameters(layout, fresh_parameters(layout, 1, 3, torch::kFloat64));
    const Network network{*sde, *net, parameterisation_named("edm")};
    const RatioTable table(*sde);
    at::manual_seed(5);
    const torch::Tensor x = MixtureScore(*sde, random_mixture(3, 2, 1)).draw(kRows);
    const torch::Tensor normal = torch::randn_like(x), uniform = torch::rand({kRows}, torch::kFloat64);
    const torch::NoGradGuard no_gradient;
    const torch::Tensor term =
        diffusion_term(*sde, LearnedScore(network, parameters, 2), table, x, uniform, normal);
    const Noise noise;
    for (const TimesKind kind : {TimesKind::uniform, TimesKind::log_ratio, TimesKind::lognormal}) {
      // Levels of noise far below those of the log-normal make it vary too much.
      if (kind == TimesKind::lognormal && table.low() < -4.8) continue;
      const DrawnTimes times = draw_times(*sde, kind, table, torch::rand({kRows}, torch::kFloat64));
      const Coefficients at = sde->at(times.t);
      const torch::Tensor weight =
          weighting_named("likelihood")
              .weight({.alpha = at.mean.flatten(), .sigma = at.variance.flatten().sqrt()},
                      at.diffusion.flatten());
      const torch::Tensor loss = make_objective("denoising")
                                     ->loss({.network = network,
                                             .parameters = parameters,
                                             .at = at,
                                             .x = x,
                                             .normal = torch::randn_like(x),
                                             .label = {},
                                             .weight = weight * times.inverse,
                                             .noise = noise});
      const double error = std::sqrt((loss.var() + term.var()).item<double>() / static_cast<double>(kRows));
      EXPECT_NEAR(loss.mean().item<double>(), term.mean().item<double>(), 5 * error)
          << name << " " << static_cast<int>(kind);
      EXPECT_LT(error, 0.02 * term.mean().item<double>()) << name << " " << static_cast<int>(kind);
    }
  }
}

}  // namespace
}  // namespace kullback::deep::diffusion
