// The Metropolis-adjusted Langevin algorithm: a proposal theta + e^2/2 C grad + e C^(1/2) z with the adapted
// covariance C, which is one leapfrog step from a new momentum; its acceptance goes to 0.574, the best in
// high dimensions (Roberts and Rosenthal 1998).
#include <array>

#include "infer/mcmc/fixed_trajectory.hpp"
#include "infer/mcmc/options.hpp"

namespace kullback::infer {

namespace {

constexpr AcceptanceGoal kGoal{.target = 0.574, .gamma = 0.15};  // with 0.05 acceptances end near 0.68
constexpr const OptionRecord* kOptions[] = {&option::kWarmup, &option::kDraws,    &option::kThin,
                                            &option::kMetric, &option::kStepSize, &option::kStepSizeJitter};
constexpr std::array<std::string_view, 2> kStats{"accept_stat__", "stepsize__"};

std::unique_ptr<Algorithm> make_mala(density::LogDensity& density, const Options& options, Start start) {
  return std::make_unique<FixedTrajectory>(
      density, options, std::move(start),
      TrajectoryRule{.goal = kGoal, .int_time = 0, .has_hmc_stats = false});
}

}  // namespace

const Method& mala_method() {
  static const Method method{
      .name = "mala",
      .summary = "Metropolis-adjusted Langevin: one gradient step with noise for each iteration",
      .use_when =
          "Iterations must cost one gradient each, such as many short chains; otherwise NUTS moves "
          "further for the same gradients.",
      .citation =
          "Roberts and Tweedie (1996), Exponential Convergence of Langevin Distributions; Roberts and "
          "Rosenthal (1998), Optimal Scaling of Discrete Approximations to Langevin Diffusions",
      .options = kOptions,
      .stats = kStats,
      .make = make_mala,
  };
  return method;
}

}  // namespace kullback::infer
