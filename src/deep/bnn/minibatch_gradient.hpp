// The loss per row of training data that a minibatch estimates, -log p(data, parameters) / all_rows, and its
// gradient.
#pragma once

#include <torch/types.h>

#include "deep/bnn/posterior.hpp"

namespace kullback::deep {

struct LossAndGradient {
  torch::Tensor loss;      // [nets], this rank's part
  torch::Tensor gradient;  // [nets, size], of all ranks
};

// Without the prior where has_prior is false.
LossAndGradient minibatch_gradient(const BayesNet& net, const torch::Tensor& flat, const Minibatch& batch,
                                   AffineRule& rule, bool has_prior = true);

}  // namespace kullback::deep
