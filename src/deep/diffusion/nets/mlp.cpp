// A perceptron that gets the state, the embedded noise level and the label beside each other; hidden layers
// of equal size become x + f(x).
#include "deep/diffusion/score_net.hpp"

namespace kullback::deep::diffusion {

namespace {

class Mlp final : public ScoreNet {
 public:
  Mlp(Layout& layout, const NetSpec& spec)
      : net_(mlp(layout, "net",
                 {.inputs = spec.inputs + 2 * kFrequencies + 1 + spec.labels,
                  .hidden = spec.hidden,
                  .outputs = spec.outputs,
                  .activation = spec.activation,
                  .is_residual = true})) {}

  torch::Tensor forward(const Parameters& parameters, const torch::Tensor& x, const torch::Tensor& c,
                        const torch::Tensor& label) const override {
    std::vector<torch::Tensor> parts = {x, c.unsqueeze(1), embed(c)};
    if (label.defined()) parts.push_back(label);
    return net_.forward(parameters, at::cat(parts, 1).unsqueeze(0)).squeeze(0);
  }

 private:
  Net net_;
};

}  // namespace

std::unique_ptr<ScoreNet> make_mlp(Layout& layout, const NetSpec& spec) {
  return std::make_unique<Mlp>(layout, spec);
}

}  // namespace kullback::deep::diffusion
