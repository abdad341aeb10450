// diffusion --states: rows of categories or counts.
#pragma once

#include <string>
#include <vector>

#include "base/option.hpp"
#include "deep/cli/verb.hpp"

namespace kullback::deep::cli {

// Whether the words after 'diffusion' ask for discrete states: by --states, or by --resume of a folder that
// has them.
bool asks_for_discrete(const std::vector<std::string>& words);
// `others`: what continuous states take, whose options are refused.
Run add_discrete(const Command& verb, const std::vector<std::string>& words, const Usage& others);

inline constexpr auto kStates =
    TextOption("states", "continuous", "What rows are made of; --states NAME --help shows their options");
std::string states_text();  // what can be given

}  // namespace kullback::deep::cli
