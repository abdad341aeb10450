// Scores by a network.
#pragma once

#include <torch/types.h>

#include "deep/diffusion/parameterisation.hpp"
#include "deep/diffusion/score.hpp"
#include "deep/diffusion/score_net.hpp"

namespace kullback::deep::diffusion {

struct Network {
  const Sde& sde;
  const ScoreNet& net;
  const ParameterisationRecord& parameterisation;  // with a velocity: not used
};

// log(sigma / alpha) / 4 of the coordinate, [n].
torch::Tensor noise_feature(const Coefficients& at);

// The mean of the data given states of an SDE without a velocity, [rows, dims]. `at` is of each row.
torch::Tensor predicted_data(const Network& network, const Parameters& parameters, const Coefficients& at,
                             const torch::Tensor& state, const torch::Tensor& label);
// With a velocity: the second half of the noise of z = mean x + root(variance) n, [rows, dims]; the score of
// the velocity is that noise over -root_vv. For data that are standard normal it is known, and the network
// adds to that.
torch::Tensor predicted_noise(const Network& network, const Parameters& parameters, const Coefficients& at,
                              const torch::Tensor& state, const torch::Tensor& label);
// The score itself, by either.
torch::Tensor predicted_score(const Network& network, const Parameters& parameters, const Coefficients& at,
                              const torch::Tensor& state, const torch::Tensor& label);

// Classifier-free guidance (Ho, Salimans 2021): (1 + w) times the score given the label, less w times that
// without.
class LearnedScore final : public Score {
 public:
  // label [rows, labels] of the rows of states, or undefined; guidance needs one.
  LearnedScore(Network network, Parameters parameters, std::int64_t dims, torch::Tensor label = {},
               double guidance = 0);

  std::int64_t dims() const override { return dims_; }
  torch::Tensor at(const torch::Tensor& state, const torch::Tensor& t) const override;

 private:
  Network network_;
  Parameters parameters_;
  std::int64_t dims_;
  torch::Tensor label_;
  double guidance_;
};

}  // namespace kullback::deep::diffusion
