// Vector quantisation (van den Oord, Vinyals and Kavukcuoglu 2017): the nearest code, and gradients past it.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace kullback::deep {

// points [count, dim], codes [codes, dim]: int64 [count].
torch::Tensor nearest_codes(const torch::Tensor& points, const torch::Tensor& codes);

// A tensor with the values of `codes` [..., dim] whose gradient goes on to `points`, of the same shape:
enum class PastCodes {
  straight,  // unchanged, as if points were codes
  rotation,  // through the rotation and scaling that takes each point to its code, as constants
};
torch::Tensor past_codes(PastCodes way, const torch::Tensor& points, const torch::Tensor& codes);

// Of how often each code is used, [codes].
struct CodeUse {
  double perplexity = 0;  // exp of the entropy of the shares
  std::int64_t dead = 0;  // codes never used
  std::int64_t codes = 0;
};
CodeUse code_use(const torch::Tensor& counts);

}  // namespace kullback::deep
