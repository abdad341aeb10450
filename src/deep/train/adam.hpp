// Adam (Kingma & Ba 2015) on one flat tensor, with the step count and the rate as tensors: nothing is read
// back.
#pragma once

#include <torch/types.h>

#include <string>

#include "deep/train/trainee.hpp"

namespace kullback::deep {

struct AdamOptions {
  double rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

class Adam final {
 public:
  Adam(const torch::Tensor& like, AdamOptions options);

  // Downhill along the gradient. `scale` multiplies the rate: one number, as of a schedule.
  void step(torch::Tensor& parameters, const torch::Tensor& gradient, const torch::Tensor& count,
            const torch::Tensor& scale);
  void visit(const std::string& prefix, const VisitTensor& visit);

 private:
  AdamOptions options_;
  torch::Tensor mean_;
  torch::Tensor square_;
};

// Of progress (one number from 0 to 1): 1 for a constant rate; (1 + cos(pi p)) / 2, from 1 to 0.
enum class Schedule { constant, cosine };
torch::Tensor rate_scale(Schedule schedule, const torch::Tensor& progress);

}  // namespace kullback::deep
