// What is told of a trained energy: facts for a table, findings in words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/finding.hpp"
#include "deep/energy/fit/trainee.hpp"
#include "deep/train/train.hpp"

namespace kullback::deep {

struct EbmAccount {
  const BuiltEbm& built;
  const TrainOptions& options;
  const TrainOutcome& trained;
  const std::vector<EbmFigures>& figures;
  std::int64_t train_rows = 0;
  std::int64_t held_out_rows = 0;
};

std::vector<std::pair<std::string, std::string>> facts_of(const EbmAccount& account);
Findings findings_of(const EbmAccount& account);

}  // namespace kullback::deep
