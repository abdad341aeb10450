// Variance-exploding SDEs: alpha = 1, and noise whose sd grows from --sigma-min to --sigma-max.
#pragma once

#include <memory>

#include "base/option.hpp"
#include "deep/diffusion/sdes/one_block.hpp"

namespace kullback::deep::diffusion {

struct SigmaRange {
  double low = 0, high = 0;
};

// Throws Error usage where they do not grow; the hint has the defaults.
SigmaRange sigma_range(const OptionValues& values, const NumberOption& low, const NumberOption& high);

class GrowingNoise : public Sde {
 public:
  explicit GrowingNoise(SigmaRange sigma) : sigma_(sigma) {}

  Coefficients at(const torch::Tensor& t) const final {
    return one_block(torch::zeros_like(t), variance_rate(t), torch::ones_like(t), variance(t));
  }
  // Of data of variance 1 and the noise.
  std::vector<double> prior_variance() const final { return {sigma_.high * sigma_.high + 1}; }

 protected:
  const SigmaRange& sigma() const { return sigma_; }

 private:
  virtual torch::Tensor variance(const torch::Tensor& t) const = 0;       // sigma^2
  virtual torch::Tensor variance_rate(const torch::Tensor& t) const = 0;  // d sigma^2 / dt

  SigmaRange sigma_;
};

}  // namespace kullback::deep::diffusion
