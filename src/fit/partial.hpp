// Unfinished draws on disk, so that nothing is lost when a run ends early: DIR/.partial/chain-K.draws grows,
// DIR/.partial/chain-K.state is replaced as a whole and says how much of it counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/content_hash.hpp"
#include "infer/draws.hpp"

namespace kullback::fit {

struct ChainState {
  std::vector<double> algorithm;  // its archive
  bool is_finished = false;
  double warmup_seconds = 0;
  double sampling_seconds = 0;
};

class Partial final {
 public:
  // `stats`: numbers of Draws::stats for each draw.
  Partial(const std::filesystem::path& folder, std::size_t chain, std::size_t stats);

  // What an earlier run left; false where there is nothing to go on from. Throws Error bad_input where that
  // is damaged.
  bool load(ChainState& state, infer::Draws& draws);
  // Appends the draws that are not on disk yet, then replaces the state; makes the folder where there is
  // none. Throws Error cannot_write.
  void save(const ChainState& state, const infer::Draws& draws);

 private:
  std::filesystem::path draws_path_;
  std::filesystem::path state_path_;
  std::size_t stats_;
  bool is_own_ = false;      // what lies there is this run's
  std::uint64_t saved_ = 0;  // draws
  ContentHash hash_;         // of their bytes
};

}  // namespace kullback::fit
