// Chains of all ranks on rank 0.
#pragma once

#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "fit/chain_run.hpp"
#include "posterior/posterior.hpp"

namespace kullback::fit {

struct FinishedChain {
  std::uint32_t number = 0;
  ChainResult result;  // its draws are in `chain` too, as outputs
  posterior::Chain chain;
  std::string problem;  // of generated quantities
  // Of each draw, where sensitivity was asked for.
  std::vector<double> log_prior;
  std::vector<double> log_likelihood;
};

// On rank 0: those of all ranks in order of their numbers. On other ranks: nothing, they are sent.
std::vector<FinishedChain> gather(std::vector<FinishedChain> mine, const Ranks& ranks);

// The same function writes and reads.
void archive(infer::Archive& archive, FinishedChain& chain);

}  // namespace kullback::fit
