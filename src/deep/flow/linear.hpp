// Linear maps of many nets on tensors with any number of dimensions between nets and features.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

#include "deep/net/layout.hpp"

namespace kullback::deep {

struct LinearSlots {
  std::size_t weight = 0;  // [outputs, inputs]
  std::size_t bias = 0;
};

struct LinearSpec {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t fan_in = 1;
  double gain = 1;
};

LinearSlots add_linear(Layout& layout, const std::string& name, const LinearSpec& spec);

// x [nets, ..., inputs], weight [nets, outputs, inputs], bias [nets, outputs]: [nets, ..., outputs].
torch::Tensor linear_of_nets(const torch::Tensor& weight, const torch::Tensor& bias, const torch::Tensor& x);
torch::Tensor apply_linear(const LinearSlots& slots, const Parameters& parameters, const torch::Tensor& x);

}  // namespace kullback::deep
