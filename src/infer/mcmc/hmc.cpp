// Static Hamiltonian Monte Carlo, with Stan's adaptation.
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "infer/mcmc/fixed_trajectory.hpp"

namespace kullback::infer {

namespace {

constexpr std::array<std::string_view, 8> kOptions{"warmup",   "draws",  "thin",      "target_accept",
                                                   "int_time", "metric", "step_size", "step_size_jitter"};
constexpr std::array<std::string_view, 4> kStats{"accept_stat__", "stepsize__", "int_time__", "energy__"};

std::unique_ptr<Algorithm> make_hmc(density::LogDensity& density, const Options& options, Start start) {
  check_chain_options(options);
  if (!(options.int_time > 0) || !std::isfinite(options.int_time))
    throw Error(ErrorKind::usage, "--int-time must be a positive number.",
                "2 pi is a period of a standard normal coordinate; 1.5 is a quarter.");
  return std::make_unique<FixedTrajectory>(
      density, options, std::move(start),
      TrajectoryRule{.goal = {options.target_accept}, .int_time = options.int_time});
}

}  // namespace

const Method& hmc_method() {
  static const Method method{
      .name = "hmc",
      .summary = "Hamiltonian Monte Carlo with trajectories of a fixed length",
      .use_when = "You know the right integration time, or compare with NUTS, which finds it by itself.",
      .citation =
          "Duane, Kennedy, Pendleton, Roweth (1987), Hybrid Monte Carlo; Neal (2011), MCMC Using "
          "Hamiltonian Dynamics",
      .options = kOptions,
      .stats = kStats,
      .make = make_hmc,
  };
  return method;
}

}  // namespace kullback::infer
