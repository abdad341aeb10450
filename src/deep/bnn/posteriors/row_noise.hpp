// Affine layers with independent Gaussian weights whose noise differs from row to row, so that rows of a
// minibatch do not share their error.
#pragma once

#include "deep/net/net.hpp"
#include "deep/train/noise.hpp"

namespace kullback::deep {

// Flipout (Wen et al. 2018): y = x W' + ((x * s) D') * r for one draw D = sd * z of the weights' deviation
// and random signs s of inputs and r of outputs of each row. D is symmetric around 0 and its entries are
// independent, so D and r D s have one distribution: each row sees a draw of q. Exact of convolutions too,
// where signs belong to channels. `parameters` have the means of weights and the draws of all else.
class FlipoutRule final : public AffineRule {
 public:
  FlipoutRule(Parameters deviations, const Noise& noise)
      : deviations_(std::move(deviations)), noise_(noise) {}
  torch::Tensor apply(const Affine& layer, const Parameters& parameters, const torch::Tensor& x) override;

 private:
  Parameters deviations_;
  const Noise& noise_;
};

// Local reparameterisation (Kingma, Salimans, Welling 2015): a row's outputs are independent Gaussians with
// mean x W' + b and variance x^2 (sd_W^2)' + sd_b^2, which are drawn in place of the weights and the bias.
// Outputs of a convolution share weights within a row, so these layers take flipout. `parameters` have the
// means of linear layers and of all weights, and the draws of all else.
class LocalRule final : public AffineRule {
 public:
  LocalRule(Parameters variances, Parameters deviations, const Noise& noise)
      : variances_(std::move(variances)), flipout_(std::move(deviations), noise), noise_(noise) {}
  torch::Tensor apply(const Affine& layer, const Parameters& parameters, const torch::Tensor& x) override;

 private:
  Parameters variances_;
  FlipoutRule flipout_;
  const Noise& noise_;
};

}  // namespace kullback::deep
