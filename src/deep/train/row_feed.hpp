// Rows of training data on their way to a device: there for good where they fit; else they stay in the host's
// (pinned) memory, and the next minibatch is copied on a stream of its own while the current one is computed
// with. A step reads both alike, and gives the same numbers.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace kullback::deep {

class RowFeed final {
 public:
  // tensors [groups, rows, ...]: streamed where they are not on the device, or where `streams` says so.
  RowFeed(std::vector<torch::Tensor> tensors, const torch::Device& device, bool streams = false);
  ~RowFeed();

  bool is_streamed() const { return is_streamed_; }

  // Inside a step: the rows [groups, batch] (int64, on the device) of a tensor, [groups, batch, ...].
  // Streamed: the rows that ready() brought, in a tensor that stays in place.
  torch::Tensor take(std::size_t tensor, const torch::Tensor& rows) const;

  // Of streamed feeds, in this order; nothing of others. The rows of all steps of an epoch, int64 [groups,
  // steps, batch] on the CPU.
  void begin_epoch(const torch::Tensor& rows);
  // Before a step: its rows are where take() finds them.
  void ready();
  // After a step was begun: copies the rows of the next one.
  void prefetch();

 private:
  struct Stream;
  void copy(std::int64_t step);

  std::vector<torch::Tensor> tensors_;
  torch::Device device_;
  bool is_streamed_;
  torch::Tensor rows_;                  // of the epoch
  std::int64_t next_ = 0;               // step
  std::vector<torch::Tensor> buffers_;  // what take() gives
  std::vector<torch::Tensor> staged_[2], pinned_[2];
  std::unique_ptr<Stream> stream_;  // null on the CPU
};

// Where rows of so many bytes are kept: on the device where they take no more than `memory` bytes, or where
// that is not given half of what is free there; else on the CPU.
torch::Device place_of_rows(std::int64_t bytes, const torch::Device& device,
                            std::optional<std::int64_t> memory);

}  // namespace kullback::deep
