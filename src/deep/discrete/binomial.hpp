// Binomial draws from a fixed number of uniform numbers, without a loop over counts.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "deep/train/noise.hpp"

namespace kullback::deep::discrete {

// count int64 [rows, dims], from 0 to most; chance double [rows], of each row. int64 [rows, dims].
torch::Tensor draw_binomial(const torch::Tensor& count, const torch::Tensor& chance, std::int64_t most,
                            const Noise& noise);

}  // namespace kullback::deep::discrete
