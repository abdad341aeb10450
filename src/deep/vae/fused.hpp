// Two functions of every step with gradients by hand, in fewer operations than autograd's: on a GPU a step's
// time is the number of its kernels.
#pragma once

#include <torch/types.h>

namespace kullback::deep {

// sum over pixels of x * outputs - softplus(outputs): outputs [samples, rows, pixels], x [rows, pixels];
// result [samples, rows]. x has no gradient.
torch::Tensor log_bernoulli(const torch::Tensor& outputs, const torch::Tensor& x);

// KL(N(mean, sd^2) || N(0, 1)) summed over the last dimension, sd = exp(log_sd). The gradient goes to mean
// and log_sd; sd is given because it is known.
torch::Tensor kl_to_standard_normal(const torch::Tensor& mean, const torch::Tensor& log_sd,
                                    const torch::Tensor& sd);

}  // namespace kullback::deep
