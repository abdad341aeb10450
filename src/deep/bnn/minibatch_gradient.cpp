#include "deep/bnn/minibatch_gradient.hpp"

#include <torch/csrc/autograd/autograd.h>

namespace kullback::deep {

LossAndGradient minibatch_gradient(const BayesNet& net, const torch::Tensor& flat, const Minibatch& batch,
                                   AffineRule& rule, bool has_prior) {
  const torch::Tensor leaf = flat.detach().requires_grad_();
  const Parameters parameters = net.split(leaf);
  torch::Tensor loss = -net.log_likelihood(parameters, batch.rows.x, batch.rows.y, rule).sum(1) /
                       static_cast<double>(batch.step.batch);
  if (has_prior)
    loss = loss - net.log_prior(parameters) * (batch.step.share / static_cast<double>(batch.all_rows));
  torch::Tensor gradient = torch::autograd::grad({loss.sum()}, {leaf})[0];
  batch.step.sum->add_up(gradient);
  return {loss.detach(), gradient};
}

}  // namespace kullback::deep
