// What constructors take: tensors, or numbers that become tensors like the others.
#pragma once

#include <torch/types.h>

#include <initializer_list>
#include <utility>

namespace kullback::dist {

class Parameter final {
 public:
  Parameter(at::Tensor tensor) : tensor_(std::move(tensor)) {}  // NOLINT: tensors are parameters
  Parameter(double number) : number_(number) {}                 // NOLINT: and so are numbers

  const at::Tensor& tensor() const { return tensor_; }  // undefined when a number was given
  double number() const { return number_; }

 private:
  at::Tensor tensor_;
  double number_ = 0;
};

// Sets each tensor to its parameter. Numbers take type and device of the first tensor with a floating type,
// and the default type where all are numbers; tensors of whole numbers take the floating type.
void take(std::initializer_list<std::pair<at::Tensor*, const Parameter*>> parameters);

// Names for the ways to say the same thing: Bernoulli(Logits{x}), MultivariateNormal(loc, Covariance{s}).
struct Probs {
  Parameter value;
};
struct Logits {
  Parameter value;
};
struct ScaleTril {
  at::Tensor value;
};
struct Covariance {
  at::Tensor value;
};
struct Precision {
  at::Tensor value;
};

}  // namespace kullback::dist
