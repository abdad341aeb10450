// States of chains in memory, for runs without a folder: what fit/partial.hpp is on disk.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "fit/partial.hpp"
#include "infer/draws.hpp"

namespace kullback::fit {

class KeptChains final {
 public:
  void keep(const std::string& rung, std::uint32_t chain, ChainState state, const infer::Draws& draws);
  // False where nothing was kept.
  bool load(const std::string& rung, std::uint32_t chain, ChainState& state, infer::Draws& draws) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::uint32_t>, std::pair<ChainState, infer::Draws>> chains_;
};

}  // namespace kullback::fit
