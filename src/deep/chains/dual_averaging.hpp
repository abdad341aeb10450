// Step sizes of chains by dual averaging (Hoffman, Gelman 2014), as tensors that a checkpoint holds.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "deep/train/trainee.hpp"

namespace kullback::deep {

class DualAveraging final {
 public:
  // Of `chains` chains; `target`: mean acceptance to reach.
  DualAveraging(const torch::TensorOptions& options, std::int64_t chains, double target);

  torch::Tensor step_sizes() const { return log_step_.exp(); }  // [chains, 1]
  void update(const torch::Tensor& acceptance);                 // [chains, 1]
  void restart();                                               // from the present step sizes
  void finish();                                                // to the averaged ones
  void visit(const VisitTensor& visit);

 private:
  double target_;
  torch::Tensor log_step_, goal_, error_, averaged_, updates_;
};

}  // namespace kullback::deep
