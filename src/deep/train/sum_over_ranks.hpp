// Sums of tensors over the processes of a run: of tensors on the CPU by MPI, on GPUs by NCCL.
#pragma once

#include <torch/types.h>

#include <memory>

#include "base/ranks.hpp"
#include "deep/train/device_sum.hpp"

namespace kullback::deep {

class SumOverRanks final {
 public:
  SumOverRanks() = default;  // of one process: nothing to add
  // Throws Error usage where the device is a GPU and several processes cannot sum there.
  explicit SumOverRanks(const Ranks& ranks, const torch::Device& device = torch::kCPU);

  bool is_alone() const { return ranks_ == nullptr; }
  // Whether it may be part of a captured step.
  bool is_capturable() const { return is_alone() || (on_device_ && DeviceSum::is_capturable()); }
  // In place; on the CPU in double precision: the order of the ranks does not show.
  void add_up(torch::Tensor& tensor) const;

 private:
  const Ranks* ranks_ = nullptr;
  std::shared_ptr<DeviceSum> on_device_;  // null: MPI
};

}  // namespace kullback::deep
