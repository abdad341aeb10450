// With exact scores of normals and mixtures: likelihoods, orders of convergence, moments.
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "base/error.hpp"
#include "deep/diffusion/likelihood.hpp"
#include "deep/diffusion/sampler.hpp"
#include "tests/diffusion/exact_checks.hpp"
#include "tests/diffusion/made.hpp"

namespace kullback::deep::diffusion {
namespace {

TEST(Exact, TheScoreIsTheGradient) {
  for (const SdeRecord* record : sdes()) {
    const auto sde = make_sde(std::string(record->name));
    const MixtureScore score(*sde, random_mixture(3, 4, 1));
    const torch::Tensor state = torch::randn({5, 4 * sde->blocks()}, torch::kFloat64).requires_grad_();
    const torch::Tensor density = score.log_density(state, at_time(0.3));
    const torch::Tensor gradient = torch::autograd::grad({density.sum()}, {state})[0];
    EXPECT_LT(largest(gradient - score.at(state, at_time(0.3))), 1e-9) << record->name;
  }
}

// log p_t by averaging the kernel over draws of the data.
TEST(Exact, TheDensityIsThatOfNoisedData) {
  const auto sde = make_sde("sub-vp");
  const MixtureScore score(*sde, random_mixture(3, 2, 1));
  const torch::Tensor x = score.draw(400'000), at = torch::zeros({1, 2}, torch::kFloat64);
  const Level here = level(*sde, at_time(0.4));
  const double variance = here.sigma.square().item<double>();
  const torch::Tensor kernel =
      at::exp((at - here.alpha * x).square().sum(1) / (-2 * variance)) / (2 * M_PI * variance);
  const double density = at::exp(score.log_density(at, at_time(0.4))).item<double>();
  const double error = kernel.std().item<double>() / std::sqrt(400'000.0);
  EXPECT_NEAR(kernel.mean().item<double>(), density, 5 * error);
}

struct Case {
  const char* sde;
  std::int64_t components, dims, exact_dims;
};

class FlowLikelihood : public testing::TestWithParam<Case> {};

TEST_P(FlowLikelihood, IsThatOfTheData) {
  const Case& c = GetParam();
  const auto sde = make_sde(c.sde);
  const MixtureScore score(*sde, random_mixture(c.components, c.dims, 7));
  const torch::Tensor x = score.draw(4);
  LikelihoodOptions options;
  options.t_min = std::min(1e-5, sde->t_min());
  options.exact_dims = c.exact_dims;
  options.probes = sde->blocks() > 1 ? 2 : 40;
  options.wants_ode_error = c.dims <= 2;
  options.ode = {.relative = 1e-6, .absolute = 1e-6};
  const Likelihood found = log_likelihood(*sde, score, x, options);
  const torch::Tensor error = (found.log_density - score.data_log_density(x)).abs();
  if (c.exact_dims > 0) {
    EXPECT_LT(largest(error), 0.05);
  } else {
    EXPECT_TRUE((error < 5 * found.standard_error + 0.05).all().item<bool>())
        << error << found.standard_error;
    EXPECT_GT(found.standard_error.min().item<double>(), 0);
  }
  if (options.wants_ode_error) {
    EXPECT_LT(found.ode_error, 0.01);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FlowLikelihood,
                         testing::Values(Case{"vp", 1, 2, 64}, Case{"vp", 3, 2, 64}, Case{"ve", 3, 2, 64},
                                         Case{"sub-vp", 3, 2, 64}, Case{"cld", 1, 2, 64},
                                         Case{"cld", 2, 2, 64}, Case{"ddpm", 3, 2, 64}, Case{"edm", 3, 2, 64},
                                         Case{"flow", 3, 2, 64}, Case{"vp", 3, 10, 64}, Case{"ve", 1, 10, 64},
                                         Case{"vp", 1, 50, 64}, Case{"vp", 3, 10, 0}),
                         [](const testing::TestParamInfo<Case>& info) {
                           std::string name = info.param.sde;
                           std::erase(name, '-');
                           return name + "_" + std::to_string(info.param.components) + "_in_" +
                                  std::to_string(info.param.dims) +
                                  (info.param.exact_dims > 0 ? "" : "_by_probes");
                         });

TEST(Exact, HeunHasOrderTwo) {
  const std::vector<double> steps = {40, 80, 160, 320};
  for (const char* sde : {"vp", "sub-vp", "cld"})
    EXPECT_NEAR(order(steps, flow_errors("heun", sde, 2, steps)), 2, 0.15) << sde;
}

TEST(Exact, DdimHasOrderOne) {
  const std::vector<double> steps = {80, 160, 320, 640};
  for (const char* sde : {"vp", "sub-vp", "flow"})
    EXPECT_NEAR(order(steps, flow_errors("ddim", sde, 2, steps)), 1, 0.15) << sde;
}

TEST(Exact, EulerMaruyamaHasWeakOrderOne) {
  const std::vector<double> steps = {100, 200, 400, 800};
  for (const char* sde : {"vp", "sub-vp", "cld"})
    EXPECT_NEAR(order(steps, euler_errors(sde, 2, steps)), 1, 0.1) << sde;
}

struct SamplerCase {
  const char* sampler;
  const char* sde;
  std::int64_t steps;
  Grid grid = Grid::uniform;
};

class SamplerMoments : public testing::TestWithParam<SamplerCase> {};

TEST_P(SamplerMoments, AreThoseOfTheData) {
  const SamplerCase& c = GetParam();
  const auto sde = make_sde(c.sde);
  const Mixture mixture = random_mixture(2, 2, 11);
  const MixtureScore score(*sde, mixture);
  at::manual_seed(3);
  constexpr std::int64_t kRows = 4000;
  const torch::Tensor start = draw_prior(*sde, kRows, 2, torch::kFloat64);
  const torch::Tensor state =
      make_sampler(c.sampler)->run(*sde, score, start, {.steps = c.steps, .grid = c.grid});
  EXPECT_LT(moment_error(state.narrow(1, 0, 2), mixture), 5);
}

INSTANTIATE_TEST_SUITE_P(
    All, SamplerMoments,
    testing::Values(SamplerCase{"euler", "vp", 500}, SamplerCase{"euler", "ve", 500},
                    SamplerCase{"euler", "sub-vp", 500}, SamplerCase{"euler", "cld", 500},
                    SamplerCase{"ancestral", "vp", 300}, SamplerCase{"ancestral", "ddpm", 1000},
                    SamplerCase{"ancestral", "ve", 300}, SamplerCase{"pc", "vp", 300},
                    SamplerCase{"pc", "ve", 300}, SamplerCase{"heun", "vp", 50, Grid::quadratic},
                    SamplerCase{"heun", "edm", 40, Grid::edm}, SamplerCase{"heun", "cld", 60},
                    SamplerCase{"heun", "flow", 40}, SamplerCase{"rk45", "vp", 1},
                    SamplerCase{"rk45", "sub-vp", 1}, SamplerCase{"rk45", "cld", 1},
                    SamplerCase{"ddim", "vp", 300, Grid::log_ratio},
                    SamplerCase{"ddim", "edm", 300, Grid::log_ratio},
                    SamplerCase{"langevin", "ve", 150, Grid::log_ratio}),
    [](const testing::TestParamInfo<SamplerCase>& info) {
      std::string name = std::string(info.param.sampler) + "_" + info.param.sde;
      std::erase(name, '-');
      return name;
    });

TEST(Exact, WhatASamplerCannotDoIsSaid) {
  const auto sde = make_sde("cld");
  const MixtureScore score(*sde, random_mixture(1, 2, 1));
  const torch::Tensor start = draw_prior(*sde, 2, 2, torch::kFloat64);
  for (const char* name : {"ancestral", "ddim", "pc", "langevin"})
    EXPECT_THROW(make_sampler(name)->run(*sde, score, start, {}), Error) << name;
  EXPECT_THROW(make_sampler("heun")->run(*sde, score, start, {.grid = Grid::edm}), Error);
  EXPECT_THROW(make_sampler("nuts"), Error);
  EXPECT_THROW(made_sampler("ddim", {{"eta", "2"}}), Error);
}

class Exploding final : public Score {
 public:
  std::int64_t dims() const override { return 2; }
  torch::Tensor at(const torch::Tensor& state, const torch::Tensor&) const override {
    return at::exp(state.square() * 100);
  }
};

TEST(Exact, AProcessThatDivergesIsStopped) {
  const auto sde = make_sde("vp");
  const torch::Tensor start = draw_prior(*sde, 2, 2, torch::kFloat64);
  try {
    make_sampler("euler")->run(*sde, Exploding(), start, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("ceased to be finite at time"), std::string::npos);
  }
}

}  // namespace
}  // namespace kullback::deep::diffusion
