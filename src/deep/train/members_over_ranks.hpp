// The members of an ensemble (or chains) divided among the processes of a run, where there is at least one
// for each: every process trains its own on all rows. States are those of a run on one process, cut by the
// first dimension of tensors of real numbers; whole numbers (counts) are the same on all.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "deep/train/noise.hpp"

namespace kullback::deep {

class MembersOverRanks final {
 public:
  MembersOverRanks(const Ranks& ranks, std::int64_t members) : ranks_(ranks), members_(members) {}

  // Otherwise all processes have all members, and each a part of every minibatch.
  bool is_spread() const { return ranks_.size() > 1 && members_ >= ranks_.size(); }
  NetPart part() const { return is_spread() ? part_of(ranks_.rank()) : part_of_all(); }

  // The following, of members that are spread, are called by all processes at once.

  // The states of all members, on the first process; empty on the others.
  std::vector<torch::Tensor> gather(const std::vector<torch::Tensor>& here) const;
  // This process's part of the state of all members.
  torch::Tensor own_part(const torch::Tensor& whole) const;
  // Of a figure that is a mean over members.
  double mean(double here) const;
  // log of the mean over all members of exp, of each row: from that over the members here, [rows] in double
  // precision on the CPU.
  torch::Tensor log_mean_exp(const torch::Tensor& here) const;
  // On the first process, the first text of a process that is not empty.
  std::string first_text(const std::string& here) const;
  // Whether the first process says so.
  bool decided(bool by_first) const;

 private:
  NetPart part_of(int rank) const;
  NetPart part_of_all() const { return {.first = 0, .count = members_, .all = members_}; }

  const Ranks& ranks_;
  std::int64_t members_;
};

}  // namespace kullback::deep
