// Options of L-BFGS, and of what draws from the Gaussians along its path.
#pragma once

#include "infer/options.hpp"

namespace kullback::infer::option {

inline constexpr std::string_view kZeroIsOff = "0 switches this test of convergence off.";

inline constexpr auto kHistory =
    CountOption("history", 6, "Updates that L-BFGS remembers").from(1).hinted("6 suit most models.");
inline constexpr auto kMaxIterations =
    CountOption("max_iterations", 2000, "Iterations of an optimiser at most").from(1);
inline constexpr auto kTolObj =
    NumberOption("tol_obj", 1e-12, "An optimiser stops where the log density changes by less; 0: never")
        .from(0)
        .hinted(kZeroIsOff);
inline constexpr auto kTolRelObj =
    NumberOption("tol_rel_obj", 1e4, "The same relative to the log density, in units of 2.2e-16")
        .from(0)
        .hinted(kZeroIsOff);
inline constexpr auto kTolGrad =
    NumberOption("tol_grad", 1e-8, "An optimiser stops where the norm of the gradient is below it")
        .from(0)
        .hinted(kZeroIsOff);
inline constexpr auto kTolRelGrad =
    NumberOption("tol_rel_grad", 1e7, "The same relative to curvature and log density, in units of 2.2e-16")
        .from(0)
        .hinted(kZeroIsOff);
inline constexpr auto kTolParam =
    NumberOption("tol_param", 1e-8, "An optimiser stops where the parameters move by less")
        .from(0)
        .hinted(kZeroIsOff);
inline constexpr auto kElboDraws =
    CountOption("elbo_draws", 25, "Draws for each ELBO estimate along a path of Pathfinder").from(1);
inline constexpr auto kPaths = CountOption("paths", 4, "Paths of Pathfinder").from(1);
inline constexpr auto kResample = FlagOption(
    "resample", true,
    "Resample Pathfinder's draws by their weights; 0: draws of the mixture of its paths, with log q");

}  // namespace kullback::infer::option
