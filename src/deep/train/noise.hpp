// Random numbers inside a training step, from LibTorch's generator of the device. Numbers that belong to rows
// are drawn for all rows of the minibatch, of which a rank takes its own; where the nets of an ensemble are
// divided among ranks, for all nets: a run does not depend on the number of ranks.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace kullback::deep {

// Which of all nets a process has.
struct NetPart {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t all = 0;

  bool is_all() const { return count == all; }
};

class Noise final {
 public:
  // This process has the rows [first, first + rows) of `batch`.
  Noise(std::int64_t first, std::int64_t rows, std::int64_t batch)
      : first_(first), rows_(rows), batch_(batch) {}
  Noise() = default;  // all rows are here

  // Numbers whose first dimension counts `nets.count` nets (or a multiple: several draws of each).
  Noise of_nets(const NetPart& nets) const {
    Noise result = *this;
    result.nets_ = nets;
    return result;
  }

  // row_dim: the dimension of `shape` that counts rows of this process; -1: the numbers belong to no row.
  torch::Tensor normal(at::IntArrayRef shape, const torch::TensorOptions& options,
                       std::int64_t row_dim) const;
  torch::Tensor uniform(at::IntArrayRef shape, const torch::TensorOptions& options,
                        std::int64_t row_dim) const;

 private:
  template <class Draw>
  torch::Tensor draw(at::IntArrayRef shape, std::int64_t row_dim, const Draw& draw) const;

  std::int64_t first_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t batch_ = 0;
  NetPart nets_ = {};
};

}  // namespace kullback::deep
