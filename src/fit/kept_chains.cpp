#include "fit/kept_chains.hpp"

namespace kullback::fit {

void KeptChains::keep(const std::string& rung, std::uint32_t chain, ChainState state,
                      const infer::Draws& draws) {
  const std::lock_guard lock(mutex_);
  chains_.insert_or_assign({rung, chain}, std::pair(std::move(state), draws));
}

bool KeptChains::load(const std::string& rung, std::uint32_t chain, ChainState& state,
                      infer::Draws& draws) const {
  const std::lock_guard lock(mutex_);
  const auto found = chains_.find({rung, chain});
  if (found == chains_.end()) return false;
  state = found->second.first;
  draws = found->second.second;
  return true;
}

}  // namespace kullback::fit
