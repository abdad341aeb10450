#include "deep/vae/conditional.hpp"

namespace kullback::deep {

ConditionalSlots add_conditional(Layout& layout, const std::string& name, const ConditionalSpec& spec) {
  constexpr double kFirstOutput = 0.1;  // log sds begin near 0
  ConditionalSlots slots;
  slots.straight =
      add_linear(layout, name + ".straight", {spec.inputs, 2 * spec.outputs, spec.inputs, kFirstOutput});
  slots.first = add_linear(layout, name + ".1", {spec.inputs, spec.hidden, spec.inputs});
  slots.second = add_linear(layout, name + ".2", {spec.hidden, 2 * spec.outputs, spec.hidden, kFirstOutput});
  return slots;
}

Conditional::Weights Conditional::of(const LinearSlots& slots, const Parameters& parameters) {
  return {parameters[slots.weight], parameters[slots.bias]};
}

Conditional::Conditional(const ConditionalSlots& slots, const Parameters& parameters)
    : straight_(of(slots.straight, parameters)),
      first_(of(slots.first, parameters)),
      second_(of(slots.second, parameters)) {}

Conditional::Normal Conditional::at(const torch::Tensor& y) const {
  const torch::Tensor input = y.unsqueeze(0);
  const torch::Tensor hidden = at::tanh(linear_of_nets(first_.weight, first_.bias, input));
  const torch::Tensor outputs = (linear_of_nets(straight_.weight, straight_.bias, input) +
                                 linear_of_nets(second_.weight, second_.bias, hidden))
                                    .squeeze(0);
  const std::vector<torch::Tensor> halves = outputs.chunk(2, -1);
  return {halves[0], halves[1]};
}

Conditional Conditional::stopped() const {
  Conditional result = *this;
  for (Weights* weights : {&result.straight_, &result.first_, &result.second_}) {
    weights->weight = weights->weight.detach();
    weights->bias = weights->bias.detach();
  }
  return result;
}

}  // namespace kullback::deep
