// Gains: He et al. 2015 for rectifiers; 5/3 for tanh, as LibTorch has it; 1 for the others.
#include <array>
#include <cmath>
#include <string_view>

#include "base/error.hpp"
#include "deep/net/net.hpp"

namespace kullback::deep {

namespace {

constexpr std::array<std::string_view, 9> kNames = {"identity", "relu",     "leaky-relu", "elu",    "gelu",
                                                    "silu",     "softplus", "tanh",       "sigmoid"};

}  // namespace

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

Activation activation_named(const std::string& name) {
  std::string all;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Activation>(i);
    all += (i == 0 ? "" : ", ") + std::string(kNames[i]);
  }
  throw Error(ErrorKind::usage, "there is no activation '" + name + "'.", "Known are: " + all + ".");
}

}  // namespace kullback::deep
