// What tests and bench/deep/diffusion_tables measure of samplers with exact scores.
#pragma once

#include <cmath>
#include <vector>

#include "deep/diffusion/sampler.hpp"
#include "tests/diffusion/made.hpp"
#include "tests/diffusion/targets.hpp"

namespace kullback::deep::diffusion {

inline double largest(const torch::Tensor& x) { return x.abs().max().item<double>(); }

// The slope of log error against log steps, downhill.
inline double order(const std::vector<double>& steps, const std::vector<double>& errors) {
  double mx = 0, my = 0, xy = 0, xx = 0;
  const auto n = static_cast<double>(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    mx += std::log(steps[i]) / n;
    my += std::log(errors[i]) / n;
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    xy += (std::log(steps[i]) - mx) * (std::log(errors[i]) - my);
    xx += (std::log(steps[i]) - mx) * (std::log(steps[i]) - mx);
  }
  return -xy / xx;
}

constexpr double kOrderEnd = 0.05;  // orders are of the smooth part of the way

// Errors of a sampler of the flow, against a solution with a small tolerance.
inline std::vector<double> flow_errors(const char* name, const char* sde_name, std::int64_t dims,
                                       const std::vector<double>& steps) {
  const auto sde = make_sde(sde_name);
  const MixtureScore score(*sde, random_mixture(3, dims, 3));
  at::manual_seed(2);
  const torch::Tensor start = draw_prior(*sde, 50, dims, torch::kFloat64);
  const torch::Tensor exact =
      made_sampler("rk45", {{"tolerance", "1e-10"}})->run(*sde, score, start, {.t_min = kOrderEnd});
  std::vector<double> errors;
  for (const double count : steps) {
    const torch::Tensor found = make_sampler(name)->run(
        *sde, score, start, {.steps = static_cast<std::int64_t>(count), .t_min = kOrderEnd});
    errors.push_back((found - exact).square().mean().sqrt().item<double>());
  }
  return errors;
}

// Errors of the covariance that Euler-Maruyama gives normal data. A step with the score of a normal is
// linear: the covariance follows without a random number.
inline std::vector<double> euler_errors(const char* sde_name, std::int64_t dims,
                                        const std::vector<double>& steps) {
  const auto sde = make_sde(sde_name);
  const Mixture normal = random_mixture(1, dims, 4);
  const MixtureScore score(*sde, normal);
  const std::int64_t size = sde->blocks() * dims;
  const torch::Tensor basis =
      at::cat({torch::zeros({1, size}, torch::kFloat64), torch::eye(size, torch::kFloat64)});
  const auto spread = [&](const torch::Tensor& matrix) {  // of blocks, over the coordinates
    return at::kron(matrix.contiguous(), torch::eye(dims, torch::kFloat64));
  };
  const auto exact_covariance = [&](double t) {
    const Coefficients at = sde->at(at_time(t));
    const torch::Tensor first = at.mean.select(2, 0).view({-1, 1});
    return at::kron(first.mm(first.t()), normal.covariance[0]) + spread(at.variance[0]);
  };
  std::vector<double> errors;
  for (const double count : steps) {
    torch::Tensor covariance = exact_covariance(sde->t_max());  // no error of the prior in it
    const std::vector<double> times =
        time_grid(*sde, static_cast<std::int64_t>(count), Grid::uniform, kOrderEnd);
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      const Transition step = euler_transition(*sde, score, basis, times[i], times[i + 1]);
      const torch::Tensor map = (step.mean.narrow(0, 1, size) - step.mean.narrow(0, 0, 1)).t();
      covariance = map.mm(covariance).mm(map.t()) + spread(step.root[0].mm(step.root[0].t()));
    }
    errors.push_back(largest(covariance - exact_covariance(kOrderEnd)));
  }
  return errors;
}

// The largest error of the means and covariances of rows, in standard errors.
inline double moment_error(const torch::Tensor& x, const Mixture& mixture) {
  const double root = std::sqrt(static_cast<double>(x.size(0)));
  const torch::Tensor away = x - mean_of(mixture);
  const double of_mean = largest(away.mean(0) / (x.std(0) / root));
  const torch::Tensor products = away.unsqueeze(2) * away.unsqueeze(1);
  return std::max(of_mean, largest((products.mean(0) - covariance_of(mixture)) / (products.std(0) / root)));
}

}  // namespace kullback::deep::diffusion
