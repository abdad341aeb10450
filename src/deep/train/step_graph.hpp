// A step captured once as a CUDA graph and replayed; without CUDA, or before the capture, it is simply
// called.
#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>

namespace kullback::deep {

class StepGraph final {
 public:
  // beside_threads: other threads of the process use the device meanwhile, as those that watch over NCCL do.
  enum class Captured { no, yes, beside_threads };

  // `step` must read all that changes from tensors that stay in place, and return one of fixed size.
  StepGraph(std::function<torch::Tensor()> step, const torch::Device& device, Captured captured);
  ~StepGraph();

  // The step's result; its tensor is overwritten by the next run.
  torch::Tensor run();

 private:
  struct Capture;
  std::function<torch::Tensor()> step_;
  std::unique_ptr<Capture> capture_;  // null: called
  int calls_ = 0;
};

}  // namespace kullback::deep
