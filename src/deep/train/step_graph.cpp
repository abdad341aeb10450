#include "deep/train/step_graph.hpp"

#include <utility>

#ifdef KULLBACK_CUDA
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/version.h>
#endif

namespace kullback::deep {

#ifdef KULLBACK_CUDA

// The first calls run as they are, on the stream of the capture: libraries set themselves up in them, which a
// capture does not allow.
struct StepGraph::Capture {
  static constexpr int kCallsBefore = 3;

  at::cuda::CUDAGraph graph;
  c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
  torch::Tensor result;
  bool is_beside_threads = false;

  void begin() {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
    if (is_beside_threads) return graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
#endif
    graph.capture_begin();
  }
};

StepGraph::StepGraph(std::function<torch::Tensor()> step, const torch::Device& device, Captured captured)
    : step_(std::move(step)) {
  if (captured == Captured::no || !device.is_cuda()) return;
  capture_ = std::make_unique<Capture>();
  capture_->is_beside_threads = captured == Captured::beside_threads;
}

torch::Tensor StepGraph::run() {
  if (!capture_) return step_();
  if (calls_ <= Capture::kCallsBefore) {
    // What was asked of the stream that the caller uses comes before, and what is asked of it next after.
    c10::cuda::device_synchronize();
    const c10::cuda::CUDAStreamGuard guard(capture_->stream);
    if (calls_++ < Capture::kCallsBefore) {
      torch::Tensor result = step_();
      capture_->stream.synchronize();
      return result;
    }
    capture_->begin();
    capture_->result = step_();
    capture_->graph.capture_end();
    capture_->stream.synchronize();
  }
  capture_->graph.replay();  // on the caller's stream
  return capture_->result;
}

#else

struct StepGraph::Capture {};

StepGraph::StepGraph(std::function<torch::Tensor()> step, const torch::Device&, Captured)
    : step_(std::move(step)) {}

torch::Tensor StepGraph::run() { return step_(); }

#endif

StepGraph::~StepGraph() = default;

}  // namespace kullback::deep
