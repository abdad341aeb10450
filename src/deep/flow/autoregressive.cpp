// Inverse autoregressive flow (Kingma, Salimans, Jozefowicz, Chen, Sutskever and Welling 2016) in its stable
// form: with (m, s) of a masked net, coordinate i of which sees those before it and the context,
//   y = g z + (1 - g) m,  g = sigmoid(s + 1),  log det = sum log g.
// Masks as in MADE (Germain, Gregor, Murray and Larochelle 2015): hidden unit h has a degree from 1 to
// dim - 1 and sees coordinates up to its degree, output i the units of degree < i. Every other layer counts
// coordinates from the end. The inverse goes coordinate by coordinate.
#include <algorithm>

#include "deep/flow/flow.hpp"
#include "deep/flow/linear.hpp"

namespace kullback::deep {

namespace {

constexpr double kForget = 1;  // g is near 1 at first: near the identity
constexpr double kFirstOutput = 0.1;

class Autoregressive final : public FlowLayer {
 public:
  Autoregressive(Layout& layout, const std::string& prefix, const NeuralFlowSpec& spec, bool is_reversed)
      : spec_(spec), is_reversed_(is_reversed) {
    const std::int64_t dim = spec.dim, hidden = spec.hidden;
    // Units see half of the coordinates on average.
    first_ = add_linear(layout, prefix + ".1", {dim, hidden, std::max<std::int64_t>(dim / 2, 1)});
    second_ = add_linear(layout, prefix + ".2", {hidden, hidden, std::max<std::int64_t>(hidden / 2, 1)});
    last_ = add_linear(layout, prefix + ".3",
                       {hidden, 2 * dim, std::max<std::int64_t>(hidden / 2, 1), kFirstOutput});
    if (spec.context > 0)
      context_ = add_linear(layout, prefix + ".context", {spec.context, hidden, spec.context});
  }

  std::int64_t context() const override { return spec_.context; }

  Flowed forward(const Parameters& parameters, const torch::Tensor& z,
                 const torch::Tensor& context) const override {
    const Gates gates = gates_of(parameters, z, context);
    return {gates.gate * z + (1 - gates.gate) * gates.mean, gates.log_gate.sum(-1)};
  }

  bool has_inverse() const override { return true; }

  // After pass i the first i coordinates of the order are right, and pass i + 1 reads only those.
  Flowed inverse(const Parameters& parameters, const torch::Tensor& z,
                 const torch::Tensor& context) const override {
    torch::Tensor x = torch::zeros_like(z);
    Gates gates;
    for (std::int64_t i = 0; i < spec_.dim; ++i) {
      gates = gates_of(parameters, x, context);
      x = (z - (1 - gates.gate) * gates.mean) / gates.gate;
    }
    gates = gates_of(parameters, x, context);
    return {x, -gates.log_gate.sum(-1)};
  }

 private:
  struct Gates {
    torch::Tensor mean, gate, log_gate;
  };

  Gates gates_of(const Parameters& parameters, const torch::Tensor& z, const torch::Tensor& context) const {
    const auto degrees = torch::TensorOptions().device(z.device()).dtype(torch::kInt64);
    torch::Tensor of_inputs = torch::arange(1, spec_.dim + 1, degrees);
    if (is_reversed_) of_inputs = of_inputs.flip(0);
    const torch::Tensor of_hidden =
        torch::arange(spec_.hidden, degrees).remainder(std::max<std::int64_t>(spec_.dim - 1, 1)) + 1;
    torch::Tensor h = masked(parameters, first_, of_hidden.unsqueeze(1) >= of_inputs, z);
    if (spec_.context > 0) h = h + apply_linear(context_, parameters, context);
    h = masked(parameters, second_, of_hidden.unsqueeze(1) >= of_hidden, at::elu(h));
    const torch::Tensor of_outputs = at::cat({of_inputs, of_inputs}).unsqueeze(1);
    const std::vector<torch::Tensor> outputs =
        masked(parameters, last_, of_outputs > of_hidden, at::elu(h)).chunk(2, -1);
    const torch::Tensor s = outputs[1] + kForget;
    return {outputs[0], at::sigmoid(s), at::log_sigmoid(s)};
  }

  static torch::Tensor masked(const Parameters& parameters, const LinearSlots& slots,
                              const torch::Tensor& mask, const torch::Tensor& x) {
    const torch::Tensor& weight = parameters[slots.weight];
    return linear_of_nets(weight * mask.to(weight.dtype()), parameters[slots.bias], x);
  }

  NeuralFlowSpec spec_;
  bool is_reversed_;
  LinearSlots first_, second_, last_, context_;
};

}  // namespace

Flow autoregressive_flow(Layout& layout, const std::string& prefix, const NeuralFlowSpec& spec) {
  std::vector<std::unique_ptr<FlowLayer>> all;
  for (std::int64_t i = 0; i < spec.layers; ++i)
    all.push_back(
        std::make_unique<Autoregressive>(layout, prefix + "." + std::to_string(i + 1), spec, i % 2 == 1));
  return Flow(std::move(all), Flow::ContextUse::shared);
}

}  // namespace kullback::deep
