// Static Hamiltonian Monte Carlo, with Stan's adaptation.
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "infer/mcmc/fixed_trajectory.hpp"
#include "infer/mcmc/options.hpp"

namespace kullback::infer {

namespace option {
constexpr auto kIntTime =
    NumberOption("int_time", 6.283185307179586, "Integration time of a trajectory of static HMC")
        .above(0)
        .hinted("2 pi is a period of a standard normal coordinate; 1.5 is a quarter.");
}  // namespace option

namespace {

constexpr const OptionRecord* kOptions[] = {&option::kWarmup,       &option::kDraws,         &option::kThin,
                                            &option::kTargetAccept, &option::kIntTime,       &option::kMetric,
                                            &option::kStepSize,     &option::kStepSizeJitter};
constexpr std::array<std::string_view, 4> kStats{"accept_stat__", "stepsize__", "int_time__", "energy__"};

std::unique_ptr<Algorithm> make_hmc(density::LogDensity& density, const Options& options, Start start) {
  return std::make_unique<FixedTrajectory>(
      density, options, std::move(start),
      TrajectoryRule{.goal = {options[option::kTargetAccept]}, .int_time = options[option::kIntTime]});
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
