// Options of several methods with trajectories.
#pragma once

#include "infer/options.hpp"

namespace kullback::infer::option {

inline constexpr auto kTargetAccept =
    NumberOption("target_accept", 0.8, "Mean acceptance that the step size is adapted to, in (0, 1)")
        .above(0)
        .below(1)
        .hinted("0.8 suits most models; 0.95 difficult ones.");
inline constexpr auto kMaxDepth = CountOption("max_depth", 10, "Doublings of a trajectory at most")
                                      .from(1)
                                      .to(30)
                                      .hinted("10 allows trajectories of 1023 steps.");
inline constexpr auto kStepSize =
    NumberOption("step_size", 1, "Step size before adaptation; with --warmup 0, the step size")
        .above(0)
        .hinted("Leave it at 1 where warm-up adapts it.");
inline constexpr auto kStepSizeJitter =
    NumberOption("step_size_jitter", 0, "Relative uniform jitter of the step size, in [0, 1)")
        .from(0)
        .below(1)
        .hinted("Use 0 for none.");

}  // namespace kullback::infer::option
