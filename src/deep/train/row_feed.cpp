// Two minibatches are under way: one in the buffers that the step reads, one that is copied meanwhile. Events
// keep their order: a copy to the device waits until the step has taken what was there, the step until the
// copy has arrived, the host until its pinned memory is free again.
#include "deep/train/row_feed.hpp"

#include <utility>

#include "base/error.hpp"

#ifdef KULLBACK_CUDA
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#endif

namespace kullback::deep {

namespace {

// Rows [groups, batch] of a tensor [groups, rows, ...].
torch::Tensor take_rows(const torch::Tensor& from, const torch::Tensor& rows) {
  if (from.size(0) == 1) return from.squeeze(0).index_select(0, rows.squeeze(0)).unsqueeze(0);
  const torch::Tensor group = torch::arange(from.size(0), rows.options()).unsqueeze(1) * from.size(1);
  std::vector<std::int64_t> shape = from.sizes().vec();
  shape[1] = rows.size(1);
  return from.flatten(0, 1).index_select(0, (rows + group).flatten()).view(shape);
}

}  // namespace

#ifdef KULLBACK_CUDA
struct RowFeed::Stream {
  c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
  at::cuda::CUDAEvent copied[2], taken[2];
};
#else
struct RowFeed::Stream {};
#endif

RowFeed::RowFeed(std::vector<torch::Tensor> tensors, const torch::Device& device, bool streams)
    : tensors_(std::move(tensors)),
      device_(device),
      is_streamed_(streams || tensors_.front().device().type() != device.type()) {
#ifdef KULLBACK_CUDA
  if (is_streamed_ && device.is_cuda()) {
    for (torch::Tensor& tensor : tensors_) tensor = tensor.cpu();
    stream_ = std::make_unique<Stream>();
  }
#endif
}

RowFeed::~RowFeed() = default;

torch::Tensor RowFeed::take(std::size_t tensor, const torch::Tensor& rows) const {
  return is_streamed_ ? buffers_[tensor] : take_rows(tensors_[tensor], rows);
}

void RowFeed::begin_epoch(const torch::Tensor& rows) {
  if (!is_streamed_) return;
  rows_ = rows;
  next_ = 0;
  if (buffers_.empty()) {
    for (const torch::Tensor& tensor : tensors_) {
      std::vector<std::int64_t> shape = tensor.sizes().vec();
      shape[1] = rows.size(2);
      const auto here = torch::TensorOptions().dtype(tensor.dtype());
      buffers_.push_back(torch::empty(shape, here.device(device_)));
      for (int i = 0; i < 2; ++i) {
        staged_[i].push_back(torch::empty(shape, here.device(device_)));
        pinned_[i].push_back(stream_ ? torch::empty(shape, here.pinned_memory(true)) : torch::Tensor());
      }
    }
  }
  copy(0);
}

void RowFeed::copy(std::int64_t step) {
  if (step >= rows_.size(1)) return;
  const torch::NoGradGuard no_gradient;
  const torch::Tensor rows = rows_.select(1, step);
  const auto slot = static_cast<std::size_t>(step % 2);
#ifdef KULLBACK_CUDA
  if (stream_) {
    stream_->copied[slot].synchronize();  // its pinned memory; nothing where nothing was recorded
    for (std::size_t i = 0; i < tensors_.size(); ++i) pinned_[slot][i].copy_(take_rows(tensors_[i], rows));
    const c10::cuda::CUDAStreamGuard guard(stream_->stream);
    stream_->taken[slot].block(stream_->stream);
    for (std::size_t i = 0; i < tensors_.size(); ++i)
      staged_[slot][i].copy_(pinned_[slot][i], /*non_blocking=*/true);
    stream_->copied[slot].record(stream_->stream);
    return;
  }
#endif
  for (std::size_t i = 0; i < tensors_.size(); ++i) staged_[slot][i].copy_(take_rows(tensors_[i], rows));
}

void RowFeed::ready() {
  if (!is_streamed_) return;
  const torch::NoGradGuard no_gradient;
  const auto slot = static_cast<std::size_t>(next_ % 2);
#ifdef KULLBACK_CUDA
  if (stream_) stream_->copied[slot].block(c10::cuda::getCurrentCUDAStream());
#endif
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    buffers_[i].copy_(staged_[slot][i], /*non_blocking=*/true);
#ifdef KULLBACK_CUDA
  if (stream_) stream_->taken[slot].record(c10::cuda::getCurrentCUDAStream());
#endif
  ++next_;
}

void RowFeed::prefetch() {
  if (is_streamed_) copy(next_);
}

torch::Device place_of_rows(std::int64_t bytes, const torch::Device& device,
                            std::optional<std::int64_t> memory) {
  if (memory) return bytes <= *memory ? device : torch::Device(torch::kCPU);
#ifdef KULLBACK_CUDA
  if (device.is_cuda()) {
    const c10::cuda::CUDAGuard guard(device);
    std::size_t free = 0, all = 0;
    if (cudaMemGetInfo(&free, &all) != cudaSuccess)
      throw Error(ErrorKind::internal, "the GPU does not say how much of its memory is free.");
    return static_cast<std::size_t>(bytes) <= free / 2 ? device : torch::Device(torch::kCPU);
  }
#endif
  return device;
}

}  // namespace kullback::deep
