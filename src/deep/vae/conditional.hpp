// N(mean(y), sd(y)) with mean and log sd a linear map of y plus a perceptron: one stochastic layer above
// another.
#pragma once

#include <torch/types.h>

#include <string>

#include "deep/flow/linear.hpp"

namespace kullback::deep {

struct ConditionalSlots {
  LinearSlots straight, first, second;
};

struct ConditionalSpec {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t hidden = 0;
};

ConditionalSlots add_conditional(Layout& layout, const std::string& name, const ConditionalSpec& spec);

// With the weights at hand, so that they can be stopped.
class Conditional final {
 public:
  Conditional(const ConditionalSlots& slots, const Parameters& parameters);

  struct Normal {
    torch::Tensor mean, log_sd;
  };
  // y [samples, rows, inputs]
  Normal at(const torch::Tensor& y) const;
  Conditional stopped() const;

 private:
  struct Weights {
    torch::Tensor weight, bias;
  };
  static Weights of(const LinearSlots& slots, const Parameters& parameters);

  Weights straight_, first_, second_;
};

}  // namespace kullback::deep
