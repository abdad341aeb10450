// Sums of tensors over the processes of a run.
#pragma once

#include <torch/types.h>

#include "base/ranks.hpp"

namespace kullback::deep {

class SumOverRanks final {
 public:
  explicit SumOverRanks(const Ranks& ranks) : ranks_(ranks.size() == 1 ? nullptr : &ranks) {}
  SumOverRanks() = default;  // of one process: nothing to add

  bool is_alone() const { return ranks_ == nullptr; }
  // In place, in double precision: the order of the ranks does not show.
  void add_up(torch::Tensor& tensor) const;

 private:
  const Ranks* ranks_ = nullptr;
};

}  // namespace kullback::deep
