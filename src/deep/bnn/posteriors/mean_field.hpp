// An independent Gaussian for each parameter: lambda holds the means, then the logs of the sds.
#pragma once

#include "deep/bnn/posteriors/variational.hpp"

namespace kullback::deep {

class MeanField final : public GaussianFamily {
 public:
  MeanField(const BayesNet& net, const torch::TensorOptions& tensors);

  std::int64_t size() const override { return 2 * net_.layout().size(); }
  torch::Tensor start(const torch::Tensor& fresh, double sd, std::uint64_t seed,
                      std::int64_t first_net = 0) const override;
  torch::Tensor mean(const torch::Tensor& lambda) const override;
  torch::Tensor log_sd(const torch::Tensor& lambda) const;
  torch::Tensor second_moments(const torch::Tensor& lambda) const override;
  torch::Tensor entropy(const torch::Tensor& lambda) const override;
  WeightDraws draw(const torch::Tensor& lambda, std::int64_t draws, const Noise& noise,
                   Density density) const override;
  NoisyNet noisy_net(const torch::Tensor& lambda, std::int64_t draws, RowNoise kind,
                     const Noise& noise) const override;

 private:
  const BayesNet& net_;
  // 1 where a parameter is drawn, not left to the rule: all but weights of affine layers; of local
  // reparameterisation all but weights and the biases of linear layers.
  torch::Tensor drawn_of_flipout_, drawn_of_local_;
};

}  // namespace kullback::deep
