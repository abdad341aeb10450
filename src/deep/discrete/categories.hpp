// Rows of categories as tensors: one-hot for networks, chances from their outputs, draws.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "deep/discrete/process.hpp"

namespace kullback::deep::discrete {

class Categories final {
 public:
  explicit Categories(const Setting& setting);

  std::int64_t dims() const { return dims_; }
  std::int64_t most() const { return most_; }
  // No value of any column: a state that hides a column has it there.
  std::int64_t hidden() const { return most_; }
  torch::TensorOptions number() const { return number_; }
  // How many values each column has, int64 [dims].
  const torch::Tensor& values() const { return values_; }

  // [rows, most, dims]; a hidden column is all 0.
  torch::Tensor one_hot(const torch::Tensor& state) const;
  // raw [rows, dims, most]: logarithms of chances that sum to 1; of values that a column does not have almost
  // -infinity.
  torch::Tensor log_chances(const torch::Tensor& raw) const;
  // Those of the values x, [rows, dims].
  static torch::Tensor at(const torch::Tensor& log_chances, const torch::Tensor& x);
  // One value of each column by its chances, int64 [rows, dims]; uniform [rows, dims].
  torch::Tensor draw(const torch::Tensor& log_chances, const torch::Tensor& uniform) const;
  // Values that are equally likely, int64 [rows, dims].
  torch::Tensor draw_uniform(const torch::Tensor& uniform) const;

 private:
  std::int64_t dims_, most_;
  torch::TensorOptions number_;
  torch::Tensor values_, index_, absent_;
};

}  // namespace kullback::deep::discrete
