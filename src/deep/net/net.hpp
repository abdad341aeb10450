// Networks as a list of layers over slots of a layout. Nothing here owns parameters: forward() takes them, of
// many nets at once, and a rule says how the affine layers are applied (plainly, with noisy weights, with
// dropout, recorded ...).
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "deep/net/layout.hpp"

namespace kullback::deep {

struct Affine {
  enum class Kind { linear, conv, conv_transpose };
  Kind kind = Kind::linear;
  std::string name = {};   // "net.1"
  std::size_t index = 0;   // among the affine layers of its net
  bool is_last = false;    // of its net
  std::size_t weight = 0;  // slots; a linear weight is [outputs, inputs]
  std::size_t bias = 0;
  std::int64_t inputs = 0;  // features or channels
  std::int64_t outputs = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t output_padding = 0;  // conv_transpose
  bool is_brief = false;            // products of training steps in bfloat16
};

// x is [nets, rows, inputs] or, of convolutions, [nets, rows, inputs, height, width]. Brief layers multiply
// in bfloat16 (8 digits in base 2, sums in float32) where gradients are taken, forward and backward: in
// training, not in predictions. Parameters, biases, and what goes in and out are of the type they were.
torch::Tensor apply_affine(const Affine& layer, const torch::Tensor& weight, const torch::Tensor& bias,
                           const torch::Tensor& x);

class AffineRule {
 public:
  virtual ~AffineRule() = default;
  virtual torch::Tensor apply(const Affine& layer, const Parameters& parameters, const torch::Tensor& x) = 0;
};

// As written.
class PlainRule final : public AffineRule {
 public:
  torch::Tensor apply(const Affine& layer, const Parameters& parameters, const torch::Tensor& x) override;
};

enum class Activation { identity, relu, leaky_relu, elu, gelu, silu, softplus, tanh, sigmoid };
torch::Tensor activate(Activation activation, const torch::Tensor& x);
// sd of weights that keeps the size of signals, times sqrt(fan_in).
double gain_of(Activation activation);

struct Layer {
  enum class Kind { affine, activation, max_pool, average_pool, reshape, residual };
  Kind kind = Kind::affine;
  Affine affine = {};
  Activation activation = Activation::identity;
  std::int64_t pool = 2;                 // window and stride
  std::vector<std::int64_t> shape = {};  // reshape: of one row
  std::vector<Layer> inner = {};         // residual: x + inner(x)
};

class Net final {
 public:
  // widest: see below; 0: that of the linear layers.
  explicit Net(std::vector<Layer> layers = {}, std::int64_t widest = 0);

  // x: [nets, rows, ...]; [1, rows, ...] is the same input for all nets. Result: [nets, rows, ...].
  torch::Tensor forward(const Parameters& parameters, const torch::Tensor& x, AffineRule& rule) const;
  torch::Tensor forward(const Parameters& parameters, const torch::Tensor& x) const;
  // What the last affine layer is applied to. Only of nets whose last layer is affine.
  torch::Tensor features(const Parameters& parameters, const torch::Tensor& x, AffineRule& rule) const;

  const std::vector<Layer>& layers() const { return layers_; }
  // Makes all layers brief but the last, whose outputs go straight into a likelihood.
  void use_bfloat16();
  // In order of application; pointers live as long as the net and its copies' own ones as long as these.
  std::vector<const Affine*> affines() const;
  // The most numbers that a layer needs of one row, the patches of convolutions included: how many rows fit
  // into memory at once.
  std::int64_t widest() const { return widest_; }
  // The layer in which the values of forward() first cease to be finite, as "net.1"; empty: all are finite.
  std::string first_not_finite(const Parameters& parameters, const torch::Tensor& x) const;

 private:
  std::vector<Layer> layers_;
  std::int64_t widest_ = 1;
};

// Adds a net's slots to a layout. Names begin with `prefix`.
struct MlpSpec {
  std::int64_t inputs = 0;
  std::vector<std::int64_t> hidden = {};
  std::int64_t outputs = 0;
  Activation activation = Activation::relu;
  bool is_residual = false;  // equal hidden layers become x + f(x)
};
Net mlp(Layout& layout, const std::string& prefix, const MlpSpec& spec);

// Convolutions with stride 1 and same padding, each followed by the activation and a pooling by 2, then the
// linear layers.
struct ConvSpec {
  std::int64_t channels = 1;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<std::int64_t> filters = {};  // of each convolution
  std::int64_t kernel = 3;
  std::vector<std::int64_t> hidden = {};
  std::int64_t outputs = 0;
  Activation activation = Activation::relu;
};
// Rows are flat: [nets, rows, channels * height * width].
Net conv_net(Layout& layout, const std::string& prefix, const ConvSpec& spec);

}  // namespace kullback::deep
