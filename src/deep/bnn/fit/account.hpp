// What is told of a trained network: facts for a table, findings in words.
#pragma once

#include "base/finding.hpp"
#include "deep/bnn/fit/evaluate.hpp"
#include "deep/bnn/fit/network.hpp"
#include "deep/train/train.hpp"

namespace kullback::deep {

using Facts = std::vector<std::pair<std::string, std::string>>;

struct Account {
  const Table& table;
  const std::vector<std::size_t>& train_rows;
  std::size_t held_out_rows = 0;
  BuiltNetwork& built;
  const TrainOptions& options;
  const TrainOutcome& trained;   // held-out figures in the units of the target
  const Evaluation& evaluation;  // of the held-out rows; may be empty
  int processes = 1;
  bool is_spread = false;  // members are divided among the processes, else rows
};

Facts facts_of(const Account& account);
Findings findings_of(const Account& account);

}  // namespace kullback::deep
