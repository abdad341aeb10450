// Gains: He et al. 2015 for rectifiers; 5/3 for tanh, as LibTorch has it; 1 for the others.
#include <cmath>

#include "base/error.hpp"
#include "deep/net/net.hpp"

namespace kullback::deep {

torch::Tensor activate(Activation activation, const torch::Tensor& x) {
  switch (activation) {
    case Activation::identity: return x;
    case Activation::relu: return at::relu(x);
    case Activation::leaky_relu: return at::leaky_relu(x, 0.01);
    case Activation::elu: return at::elu(x);
    case Activation::gelu: return at::gelu(x);
    case Activation::silu: return at::silu(x);
    case Activation::softplus: return at::softplus(x);
    case Activation::tanh: return at::tanh(x);
    case Activation::sigmoid: return at::sigmoid(x);
  }
  throw Error(ErrorKind::internal, "an activation has no function.");
}

double gain_of(Activation activation) {
  switch (activation) {
    case Activation::relu:
    case Activation::leaky_relu:
    case Activation::elu:
    case Activation::gelu:
    case Activation::silu: return std::sqrt(2.0);
    case Activation::tanh: return 5.0 / 3.0;
    default: return 1;
  }
}

}  // namespace kullback::deep
