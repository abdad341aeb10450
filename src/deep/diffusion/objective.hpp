// What a score network learns by.
#pragma once

#include <torch/types.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "deep/diffusion/learned_score.hpp"
#include "deep/train/noise.hpp"

namespace kullback::deep::diffusion {

struct ObjectiveInput {
  const Network& network;
  const Parameters& parameters;
  const Coefficients& at;  // of each row
  torch::Tensor x;         // [rows, dims]
  torch::Tensor normal;    // [rows, blocks * dims]: of the state
  torch::Tensor label;     // [rows, labels] or undefined
  torch::Tensor weight;    // [rows]: of an error of the data |D - x|^2, or with a velocity of the noise
  const Noise& noise;
};

class Objective {
 public:
  virtual ~Objective() = default;
  // [rows]; all objectives have the same minimum, and differ by what does not depend on the network.
  virtual torch::Tensor loss(const ObjectiveInput& input) const = 0;
};

struct ObjectiveRecord {
  std::string_view name;
  std::string_view summary;
  OptionTable options;
  std::unique_ptr<Objective> (*make)(const OptionValues& values);
};
std::span<const ObjectiveRecord* const> objectives();
const ObjectiveRecord& objective_named(const std::string& name);
std::unique_ptr<Objective> make_objective(const std::string& name, const OptionValues& values = {});

}  // namespace kullback::deep::diffusion
