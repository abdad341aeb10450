// Rows changed at random before the encoder sees them.
#pragma once

#include <torch/types.h>

#include "deep/train/noise.hpp"
#include "deep/vae/spec.hpp"

namespace kullback::deep {

// Pixels in [0, 1] become 0 or 1, at random, with probability `strength`; other numbers get normal noise of
// that sd.
torch::Tensor corrupt(const torch::Tensor& x, const VaeSpec& spec, double strength, const Noise& noise);
// Images move by at most `pixels` to each side, what is uncovered is 0; other rows get normal noise of sd
// 0.1.
torch::Tensor shift(const torch::Tensor& x, const VaeSpec& spec, std::int64_t pixels, const Noise& noise);

}  // namespace kullback::deep
