// Options that several posteriors have.
#pragma once

#include "base/option.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep {

inline constexpr auto kAdamRate = NumberOption("rate", 0.005, "Rate of Adam").above(0);
inline constexpr auto kInitialSd =
    NumberOption("initial_sd", 0.02, "Sd of each parameter at the start").above(0);
inline constexpr auto kStepDraws =
    CountOption("step_draws", 1, "Draws of the parameters in each step").from(1).to(10'000);

// Of chains of minibatches.
inline constexpr auto kFriction =
    NumberOption("friction", 0.05, "The part of its velocity that a chain loses in a step").above(0).below(1);
inline constexpr auto kBurnIn =
    NumberOption("burn_in", 0.3, "The part of the epochs before draws are kept").above(0).below(1);
inline constexpr auto kDrawsKept =
    CountOption("draws_kept", 100,
                "The most draws that are kept of each chain, evenly spread over its epochs")
        .from(1)
        .to(100'000);
inline constexpr auto kTemperature =
    NumberOption("temperature", 1, "Of the posterior: the log density is divided by it").above(0);

}  // namespace kullback::deep
