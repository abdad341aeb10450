// Moments of the parameters along a training, as SWAG takes them.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "deep/train/trainee.hpp"

namespace kullback::deep {

class SwagMoments final {
 public:
  // Keeps the last `rank` deviations.
  SwagMoments(const torch::Tensor& flat, std::int64_t rank);

  void collect(const torch::Tensor& flat);
  std::int64_t count() const { return count_.data_ptr<std::int64_t>()[0]; }
  const torch::Tensor& mean() const { return mean_; }
  // From standard normal numbers [nets, draws, size] and [nets, draws, rank]; the covariance is `scale` times
  // (diagonal + low rank) / 2. The mean where there are fewer than two collected.
  torch::Tensor draw(const torch::Tensor& normal, const torch::Tensor& low_rank_normal, double scale) const;
  void visit(const VisitTensor& visit);

 private:
  torch::Tensor mean_, squares_;
  torch::Tensor deviations_;  // [nets, rank, size], from the mean at the time
  torch::Tensor count_;
};

}  // namespace kullback::deep
