// New rows from a trained energy.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "deep/energy/fit/model.hpp"

namespace kullback::deep {

// Where chains begin: draws of the model (no chains are run), the chains of the training, draws of the base,
// or chains annealed from the base to the model. automatic: the first of exact, chains, annealed that there
// is; of a short-run training base.
enum class ChainStart { automatic, exact, chains, base, annealed };

struct EbmSampling {
  std::int64_t count = 64;
  ChainStart from = ChainStart::automatic;
  std::int64_t transitions = 0;  // of each chain from there; 0: as suits `from`
  std::uint64_t seed = 1;
  std::function<bool()> should_stop = {};
};

struct EbmDraws {
  torch::Tensor x;  // [count, dim], in the model's units
  std::string how;  // in words
  double acceptance = 1;
};

// Throws Error usage for a start that the model does not have, bad_input where a chain diverges.
EbmDraws sample_ebm(BuiltEbm& built, const EbmSampling& sampling);

}  // namespace kullback::deep
