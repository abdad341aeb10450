// Sums over processes of tensors on GPUs: NCCL, by LibTorch's c10d. Each process has a GPU of its own.
#pragma once

#include <torch/types.h>

#include <memory>

#include "base/ranks.hpp"

namespace kullback::deep {

class DeviceSum final {
 public:
  // Called by all processes at once. Throws Error usage where this program was built without NCCL, or where
  // two processes share a GPU.
  DeviceSum(const Ranks& ranks, const torch::Device& device);
  ~DeviceSum();

  // In place, in the tensor's own type. What is asked of the current stream next waits for it, the host does
  // not.
  void add_up(torch::Tensor& tensor);

  // Whether this program was built with NCCL.
  static bool is_built();
  // Whether sums may be part of a captured step: LibTorch 2.1 and later, whose capture can leave the threads
  // that watch over NCCL alone.
  static bool is_capturable();

 private:
  struct Group;
  std::unique_ptr<Group> group_;
};

}  // namespace kullback::deep
