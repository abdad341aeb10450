// The training of networks that take noise away, as options: what continuous and discrete states share.
#pragma once

#include "deep/cli/options.hpp"
#include "deep/diffusion/score_net.hpp"

namespace kullback::deep::cli::option {

inline constexpr auto kDenoisingBatch = batch_option(256, "Rows of a minibatch");
inline constexpr auto kAveraging =
    NumberOption("averaging", 0.999,
                 "Of the running mean of the parameters, which is what is kept; 0: the last ones")
        .from(0)
        .below(1);

}  // namespace kullback::deep::cli::option
