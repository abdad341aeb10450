// Options of stochastic-gradient MCMC.
#pragma once

#include "infer/options.hpp"

namespace kullback::infer {

enum class SgSchedule : unsigned char { constant, decaying, cyclical };
// Where control variates are: `chosen` is the mode where there are minibatches.
enum class SgAnchor : unsigned char { chosen, mode, none };
enum class SgPreconditioner : unsigned char { none, rmsprop, rmsprop_biased };
// The noise that is added: as the diffusion has it, or less by what minibatches bring themselves.
enum class SgNoise : unsigned char { plain, corrected };
// lp__ of draws: an evaluation with all rows for each, or NaN.
enum class SgLogDensity : unsigned char { full, none };

namespace option {

inline constexpr auto kSgStepSize = NumberOption("sg_step_size", 0,
                                                 "Step size of stochastic-gradient MCMC in coordinates of "
                                                 "the metric; auto: by the curvature at the mode")
                                        .above(0)
                                        .automatic();
inline constexpr auto kSgSchedule =
    ChoiceOption<SgSchedule>("sg_schedule", SgSchedule::constant, "constant|decaying|cyclical",
                             "Step sizes of stochastic-gradient MCMC from update to update");
inline constexpr auto kSgDecay =
    NumberOption(
        "sg_decay", 0.55,
        "Decaying: what multiplies the gradient falls as (delay + iteration)^-decay; Robbins-Monro above 0.5")
        .above(0)
        .to(1)
        .hinted("From 0.5 to 1 the conditions of Robbins and Monro hold; 0.55 is the default.");
inline constexpr auto kSgDelay =
    CountOption("sg_delay", 0,
                "Decaying: iterations before the step size has fallen much; auto: those of the warm-up")
        .automatic();
inline constexpr auto kSgCycles = CountOption("sg_cycles", 10, "Cyclical: cycles of the step size").from(1);
inline constexpr auto kSgExploration =
    NumberOption("sg_exploration", 0.8, "Cyclical: first part of each cycle that is not kept")
        .from(0)
        .to(0.99);
inline constexpr auto kSgAnchor =
    ChoiceOption<SgAnchor>("sg_anchor", SgAnchor::chosen, "chosen|mode|none",
                           "Control variates against the noise of minibatches: at the mode, or none; chosen: "
                           "where there are minibatches");
inline constexpr auto kSgPreconditioner = ChoiceOption<SgPreconditioner>(
    "sg_preconditioner", SgPreconditioner::none, "none|rmsprop|rmsprop-biased",
    "Preconditioner of sgld beside the metric; rmsprop-biased lacks its correction");
inline constexpr auto kSgRmsDecay =
    NumberOption("sg_rms_decay", 0.99,
                 "RMSProp: what is kept of the mean of squared gradients at each update")
        .from(0)
        .below(1);
inline constexpr auto kSgRmsFloor =
    NumberOption("sg_rms_floor", 1,
                 "RMSProp: added to the root of the mean square, in coordinates of the metric")
        .above(0);
inline constexpr auto kSgFriction =
    NumberOption(
        "sg_friction", 0,
        "Friction of momenta in coordinates of the metric; auto: one over the largest standard deviation")
        .above(0)
        .automatic();
inline constexpr auto kSgNoise = ChoiceOption<SgNoise>(
    "sg_noise", SgNoise::plain, "plain|corrected",
    "Injected noise: as in the diffusion, or less by the measured noise of minibatches");
inline constexpr auto kSgUpdates = CountOption("sg_updates", 0,
                                               "Updates of an iteration of stochastic-gradient MCMC; auto: "
                                               "until a coordinate has moved by its sd, 50 at most")
                                       .automatic();
inline constexpr auto kSgLogDensity = ChoiceOption<SgLogDensity>(
    "sg_log_density", SgLogDensity::full, "full|none", "lp__ of kept draws: with all rows, or none (NaN)");

}  // namespace option
}  // namespace kullback::infer
