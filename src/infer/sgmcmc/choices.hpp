// What can be chosen of stochastic-gradient MCMC; the texts of options are in infer/option_text.cpp.
#pragma once

namespace kullback::infer {

enum class SgSchedule : unsigned char { constant, decaying, cyclical };
// Where control variates are: `chosen` is the mode where there are minibatches.
enum class SgAnchor : unsigned char { chosen, mode, none };
enum class SgPreconditioner : unsigned char { none, rmsprop, rmsprop_biased };
// The noise that is added: as the diffusion has it, or less by what minibatches bring themselves.
enum class SgNoise : unsigned char { plain, corrected };
// lp__ of draws: an evaluation with all rows for each, or NaN.
enum class SgLogDensity : unsigned char { full, none };

}  // namespace kullback::infer
