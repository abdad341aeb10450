// States on the way from noise to data, for a picture.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace kullback::deep::diffusion {

// About equally many steps apart, of the first rows; states with a velocity without it.
class Strip final {
 public:
  Strip(std::int64_t states, std::int64_t dims) : states_(states), dims_(dims) {}

  // After a step; state [rows, dims or more].
  void see(std::int64_t done, std::int64_t steps, const torch::Tensor& state);
  // [states, rows, dims]; undefined: none.
  torch::Tensor states() const;

 private:
  std::int64_t states_, dims_;
  std::vector<torch::Tensor> kept_;
};

}  // namespace kullback::deep::diffusion
