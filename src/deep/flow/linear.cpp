#include "deep/flow/linear.hpp"

namespace kullback::deep {

LinearSlots add_linear(Layout& layout, const std::string& name, const LinearSpec& spec) {
  LinearSlots slots;
  slots.weight = layout.add({.name = name + ".weight",
                             .shape = {spec.outputs, spec.inputs},
                             .role = Role::weight,
                             .fan_in = spec.fan_in,
                             .gain = spec.gain});
  slots.bias = layout.add(
      {.name = name + ".bias", .shape = {spec.outputs}, .role = Role::bias, .fan_in = spec.fan_in});
  return slots;
}

torch::Tensor linear_of_nets(const torch::Tensor& weight, const torch::Tensor& bias, const torch::Tensor& x) {
  if (weight.size(0) == 1) return at::linear(x, weight.squeeze(0), bias.squeeze(0));
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(1);
  const torch::Tensor rows = x.reshape({x.size(0), -1, x.size(-1)});
  return at::baddbmm(bias.unsqueeze(1), rows, weight.transpose(1, 2)).view(shape);
}

torch::Tensor apply_linear(const LinearSlots& slots, const Parameters& parameters, const torch::Tensor& x) {
  return linear_of_nets(parameters[slots.weight], parameters[slots.bias], x);
}

}  // namespace kullback::deep
