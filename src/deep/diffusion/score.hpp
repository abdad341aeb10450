// Gradients of log densities of noised data, d log p_t(z) / dz: exact ones here, learned ones in
// learned_score.hpp. All are differentiable in the state.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "deep/diffusion/sde.hpp"

namespace kullback::deep::diffusion {

class Score {
 public:
  virtual ~Score() = default;

  virtual std::int64_t dims() const = 0;  // of the data
  // state [rows, blocks * dims]; t double [1] or [rows]. Of a learned score with a velocity only the block of
  // the velocity is known, and the other is 0: no reverse process asks for it.
  virtual torch::Tensor at(const torch::Tensor& state, const torch::Tensor& t) const = 0;
};

// The mean of the data given the state, (z + sigma^2 score) / alpha (Tweedie). Only of SDEs without a
// velocity.
torch::Tensor denoised(const Sde& sde, const Score& score, const torch::Tensor& state,
                       const torch::Tensor& t);

// Data from a mixture of normals: component k has weight weight[k], mean mean[k] and covariance
// covariance[k].
struct Mixture {
  torch::Tensor weight;      // [components], sums to 1
  torch::Tensor mean;        // [components, dims]
  torch::Tensor covariance;  // [components, dims, dims], positive definite
};

// The score of a mixture under an SDE, in closed form: each component stays normal.
class MixtureScore final : public Score {
 public:
  // The SDE must outlive it. Double precision.
  MixtureScore(const Sde& sde, Mixture mixture);

  std::int64_t dims() const override { return mixture_.mean.size(1); }
  torch::Tensor at(const torch::Tensor& state, const torch::Tensor& t) const override;
  // log p_t, [rows]
  torch::Tensor log_density(const torch::Tensor& state, const torch::Tensor& t) const;
  // Of the data: [rows, dims], by LibTorch's generator; [rows] of rows.
  torch::Tensor draw(std::int64_t rows) const;
  torch::Tensor data_log_density(const torch::Tensor& x) const;

 private:
  struct Parts;
  Parts parts(const torch::Tensor& state, const torch::Tensor& t) const;

  const Sde& sde_;
  Mixture mixture_;
  torch::Tensor values_, vectors_;  // eigenvalues [components, dims] and eigenvectors of the covariances
};

}  // namespace kullback::deep::diffusion
