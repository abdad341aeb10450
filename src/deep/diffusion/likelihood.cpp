// d log p_t(z_t) / dt = -div f along dz/dt = f(z, t), so log p_0(z_0) = log p_1(z_1) + int_0^1 div f dt
// (Chen et al. 2018, Song et al. 2021). div f = tr F - tr(G G^T d score / dz) / 2. The trace of the Jacobian
// is exact, one backward pass for each number of a state, or Hutchinson's n^T J n with signs n, kept fixed
// along the way. Both are numbers added to the state, so that the solver watches their error too.
#include "deep/diffusion/likelihood.hpp"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "deep/diffusion/sampler.hpp"

namespace kullback::deep::diffusion {

namespace {

// [rows]: the divergence of the velocity at a state, and the velocity.
struct Flow {
  torch::Tensor velocity, divergence;
};

Flow exact_flow(const Sde& sde, const Score& score, const torch::Tensor& state, const torch::Tensor& t) {
  const torch::AutoGradMode with_gradient(true);
  const torch::Tensor here = state.detach().requires_grad_();
  const torch::Tensor velocity = flow_velocity(sde, score, here, t);
  torch::Tensor divergence = torch::zeros({state.size(0)}, state.options());
  for (std::int64_t i = 0; i < state.size(1); ++i)
    divergence =
        divergence +
        torch::autograd::grad({velocity.select(1, i).sum()}, {here}, {}, i + 1 < state.size(1))[0].select(1,
                                                                                                          i);
  return {.velocity = velocity.detach(), .divergence = divergence.detach()};
}

Flow probed_flow(const Sde& sde, const Score& score, const torch::Tensor& state, const torch::Tensor& t,
                 const torch::Tensor& signs) {
  const torch::AutoGradMode with_gradient(true);
  const torch::Tensor here = state.detach().requires_grad_();
  const torch::Tensor velocity = flow_velocity(sde, score, here, t);
  const torch::Tensor product = torch::autograd::grad({(velocity * signs).sum()}, {here})[0];
  return {.velocity = velocity.detach(), .divergence = (product * signs).sum(1).detach()};
}

struct Solved {
  torch::Tensor log_density;
  std::int64_t evaluations = 0;
};

// signs undefined: the exact divergence.
Solved solve(const Sde& sde, const Score& score, const torch::Tensor& start, const torch::Tensor& signs,
             double begin, const OdeOptions& ode) {
  const std::int64_t size = start.size(1);
  const auto velocity = [&](const torch::Tensor& both, double t) {
    const torch::Tensor state = both.narrow(1, 0, size).contiguous(), time = time_of(t, both);
    const Flow flow =
        signs.defined() ? probed_flow(sde, score, state, time, signs) : exact_flow(sde, score, state, time);
    return at::cat({flow.velocity, flow.divergence.unsqueeze(1)}, 1);
  };
  const torch::Tensor with_zero = at::cat({start, torch::zeros({start.size(0), 1}, start.options())}, 1);
  const OdeResult end = solve_ode(velocity, with_zero, begin, sde.t_max(), ode);
  return {.log_density = prior_log_density(sde, end.state.narrow(1, 0, size)) + end.state.select(1, size),
          .evaluations = end.evaluations};
}

// The draws of one replicate: a velocity where the SDE has one, signs where the divergence is estimated.
struct Draws {
  torch::Tensor state, signs;
  torch::Tensor log_velocity;  // [rows], its log density; 0 without one
};

Draws draw(const Sde& sde, const torch::Tensor& x, double begin, bool is_exact) {
  Draws result{.state = x, .signs = {}, .log_velocity = torch::zeros({x.size(0)}, x.options())};
  if (sde.blocks() > 1) {
    const double variance = sde.at(time_of(begin, x)).variance[0][1][1].item<double>();
    const torch::Tensor velocity = torch::randn_like(x) * std::sqrt(variance);
    result.state = at::cat({x, velocity}, 1);
    result.log_velocity = -velocity.square().sum(1) / (2 * variance) -
                          static_cast<double>(x.size(1)) / 2 * std::log(2 * std::numbers::pi * variance);
  }
  if (!is_exact) result.signs = torch::randint(0, 2, result.state.sizes(), x.options()).mul_(2).sub_(1);
  return result;
}

}  // namespace

Likelihood log_likelihood(const Sde& sde, const Score& score, const torch::Tensor& x,
                          const LikelihoodOptions& options) {
  const torch::NoGradGuard no_gradient;
  const double begin = options.t_min < 0 ? sde.t_min() : options.t_min;
  const bool is_exact = sde.blocks() * x.size(1) <= options.exact_dims;
  const std::int64_t replicates =
      is_exact && sde.blocks() == 1 ? 1 : std::max<std::int64_t>(2, options.probes);
  const std::int64_t solves = replicates + (options.wants_ode_error ? 1 : 0);
  const auto report = [&](std::int64_t done) {
    if (options.on_solve) options.on_solve(done, solves);
  };
  std::vector<torch::Tensor> figures;
  Likelihood result;
  result.ode_error = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t i = 0; i < replicates; ++i) {
    const Draws draws = draw(sde, x, begin, is_exact);
    const Solved fine = solve(sde, score, draws.state, draws.signs, begin, options.ode);
    figures.push_back(fine.log_density - draws.log_velocity);
    result.evaluations += fine.evaluations;
    report(i + 1);
    if (i > 0 || !options.wants_ode_error) continue;
    OdeOptions coarse = options.ode;
    coarse.relative *= 10;
    coarse.absolute *= 10;
    const Solved other = solve(sde, score, draws.state, draws.signs, begin, coarse);
    result.ode_error = (other.log_density - fine.log_density).abs().max().item<double>();
    result.evaluations += other.evaluations;
  }
  const torch::Tensor all = at::stack(figures);
  // Ratios of densities are averaged, estimates of one log density too, each in its own scale.
  result.log_density =
      sde.blocks() > 1 ? at::logsumexp(all, 0) - std::log(static_cast<double>(replicates)) : all.mean(0);
  result.standard_error = replicates > 1 ? all.std(0) / std::sqrt(static_cast<double>(replicates))
                                         : torch::zeros_like(result.log_density);
  report(solves);
  return result;
}

}  // namespace kullback::deep::diffusion
