// Draws of the parameters that a chain leaves behind while it runs, as tensors that checkpoints hold.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "deep/train/trainee.hpp"

namespace kullback::deep {

class KeptDraws final {
 public:
  KeptDraws(const torch::Tensor& flat, std::int64_t most);

  // After an epoch: `clock` is the part of the sampling that is done, from 0 to 1 (negative before it
  // begins). The parameters are kept where the clock has passed the next of `most` equal parts: all epochs
  // where these are fewer, else every so many.
  void offer(const torch::Tensor& flat, double clock);
  std::int64_t count() const;
  // At most so many, evenly spread over those kept: [nets, draws, size]; `flat` as the only one where none
  // is.
  torch::Tensor take(const torch::Tensor& flat, std::int64_t draws) const;
  void visit(const VisitTensor& visit);

 private:
  std::int64_t most_;
  torch::Tensor draws_;  // [nets, most, size]
  torch::Tensor state_;  // int64: how many are kept; parts of the clock that have passed
};

}  // namespace kullback::deep
