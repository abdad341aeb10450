// One observed row as a likelihood of x in the model's units: y = A(center + scale x) + noise.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "deep/diffusion/conditioning/operator.hpp"

namespace kullback::deep::diffusion {

// A row in its own units is center + scale x; [1] or [dims] each, on the device and in the type of the model.
// What is computed here is in double precision: sums of many squares must be told apart.
struct Units {
  torch::Tensor center, scale;
};

class Measurement final {
 public:
  // `observed` [gives().size] in its own units; NaN: not seen. The operator must outlive it. Throws Error
  // bad_input where nothing is seen or the noise is not positive.
  Measurement(const Operator& operation, const Units& units, const torch::Tensor& observed, double noise_sd);

  std::int64_t dims() const { return operation_.takes().size; }
  std::int64_t seen() const { return observed_.size(0); }
  double noise_sd() const { return noise_sd_; }
  torch::TensorOptions options() const { return options_; }  // of states

  // What would be seen of x [rows, dims] without noise: double [rows, seen()].
  torch::Tensor forward(const torch::Tensor& x) const;
  // log N(y; A(x), noise^2 + spread J J^T) of each row, where J is the slope of A in x and `spread` the
  // variance of an x that is known so far only. Of an operator that is not linear, or that sees very much,
  // the largest eigenvalue of J J^T stands for the matrix: at a spread of 0 all is exact.
  torch::Tensor log_likelihood(const torch::Tensor& x, double spread = 0) const;
  // Its gradient in x.
  torch::Tensor gradient(const torch::Tensor& x, double spread = 0) const;

  // Powers of the matrix (prior I + J^T (noise^2 + spread J J^T)^-1 J)^-1, the covariance of x if its prior
  // were normal with that precision: times rows v [rows, dims], to the power 1, 1/2 or -1/2. Where the slope
  // is not known in full, of one number.
  struct Metric {
    double prior = 1;
    double spread = 0;
  };
  torch::Tensor times_covariance(const torch::Tensor& v, const Metric& metric, double power) const;

 private:
  void learn_slope();
  torch::Tensor variances(double spread) const;  // of y in the directions of left_, [1, k] or [1, 1]

  const Operator& operation_;
  torch::TensorOptions options_;
  Units units_;
  torch::Tensor index_;     // of what is seen
  torch::Tensor observed_;  // [seen]
  double noise_sd_;
  // J = left diag(values) right^T where it is known: [seen, k], [k], [dims, k].
  torch::Tensor left_, values_, right_;
  double largest_ = 0;  // eigenvalue of J J^T
};

}  // namespace kullback::deep::diffusion
