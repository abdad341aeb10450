// What the training loop sees of a model: steps on minibatches, a held-out figure, a state of named tensors.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "deep/train/members_over_ranks.hpp"
#include "deep/train/noise.hpp"
#include "deep/train/row_feed.hpp"
#include "deep/train/sum_over_ranks.hpp"

namespace kullback::deep {

// One minibatch. On a GPU a step is captured once and replayed: everything that changes between steps is a
// tensor on the device, and nothing in a step may wait for the device (item(), sizes that depend on values,
// copies from the host).
struct StepContext {
  torch::Tensor rows;  // int64 [groups, rows]: of each group of data (of one data set: 1), this rank's part
  std::int64_t batch = 0;  // rows of the minibatch on all ranks together
  double share =
      1;  // 1 / ranks: what belongs to no row (a prior, a KL of weights) counts with it in the loss
  torch::Tensor count;     // one number: steps with this one, from 1
  torch::Tensor progress;  // one number: the part of the training that is done, from 0 to 1
  Noise noise;
  const SumOverRanks* sum =
      nullptr;  // of gradients; a loss is a sum over local rows / batch, plus share * the rest
};

// Called with the name of each tensor of a state and the tensor, which may be replaced only by copy_ into it.
using VisitTensor = std::function<void(const std::string& name, torch::Tensor& tensor)>;

class Trainee {
 public:
  virtual ~Trainee() = default;

  virtual std::int64_t groups() const { return 1; }
  virtual std::int64_t rows() const = 0;  // of each group
  virtual torch::Device device() const = 0;
  // Not null: its members are spread over the processes, each of which has all rows of a minibatch.
  virtual const MembersOverRanks* spread() const { return nullptr; }

  // Where steps get their rows from, for the loop to keep it going; null: they take them themselves.
  virtual RowFeed* feed() { return nullptr; }

  // Moves the parameters; returns the loss before the move, one number, detached.
  virtual torch::Tensor step(const StepContext& context) = 0;
  // After each epoch, before the state is saved. Not captured.
  virtual void end_epoch(std::int64_t /*epoch*/) {}
  // Larger is better; NaN where there are no held-out data. The same on all ranks, which ask at once.
  virtual double held_out() { return std::numeric_limits<double>::quiet_NaN(); }
  // All that a resumed run needs. The same tensors in the same order at every call.
  virtual void visit(const VisitTensor& visit) = 0;
  // Whether a step may be captured on a GPU.
  virtual bool is_capturable() const { return true; }
  // Where numbers cease to be finite, for people: "layer net.2"; empty where all are finite.
  virtual std::string first_not_finite() { return {}; }
};

}  // namespace kullback::deep
