// Parameters that are trained by Adam, and their running mean over the steps, which is what is kept.
#pragma once

#include <torch/types.h>

#include <string>

#include "deep/net/layout.hpp"
#include "deep/train/adam.hpp"

namespace kullback::deep {

class Averaged final {
 public:
  // Begins at `mean` [1, size], which is then the running mean.
  Averaged(torch::Tensor mean, AdamOptions adam, double averaging);

  const torch::Tensor& flat() const { return flat_; }
  const torch::Tensor& mean() const { return mean_; }

  // The mean looks back over a tenth of the steps so far, and at most 1 / (1 - averaging) of them.
  void step(const torch::Tensor& gradient, const torch::Tensor& count, const torch::Tensor& scale);
  void visit(const VisitTensor& visit);
  // As Trainee::first_not_finite.
  std::string first_not_finite(const Layout& layout) const;

 private:
  torch::Tensor flat_, mean_;
  Adam adam_;
  double averaging_;
};

}  // namespace kullback::deep
