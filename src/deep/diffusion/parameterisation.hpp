// What a network's output stands for. All are affine: the mean of the data given the state is
//   D(z) = skip z + out F(in z, c),   in = 1 / sqrt(alpha^2 + sigma^2),   c = log(sigma / alpha) / 4,
// for data with the variance 1.
#pragma once

#include <torch/types.h>

#include <span>
#include <string>
#include <string_view>

#include "deep/diffusion/sde.hpp"

namespace kullback::deep::diffusion {

struct Scaling {
  torch::Tensor skip, out;  // [n]
};

struct ParameterisationRecord {
  std::string_view name;
  std::string_view summary;
  Scaling (*scaling)(const Level& at);
};
std::span<const ParameterisationRecord* const> parameterisations();
const ParameterisationRecord& parameterisation_named(const std::string& name);

// What an error |D - x|^2 costs, [n].
struct WeightingRecord {
  std::string_view name;
  std::string_view summary;
  torch::Tensor (*weight)(const Level& at, const torch::Tensor& diffusion);
};
std::span<const WeightingRecord* const> weightings();
const WeightingRecord& weighting_named(const std::string& name);

}  // namespace kullback::deep::diffusion
