// diffusion --states: rows of categories or counts.
#pragma once

#include <string>
#include <vector>

#include "base/settings.hpp"
#include "deep/cli/verb.hpp"

namespace kullback::deep::cli {

// Whether the words after 'diffusion' ask for discrete states: by --states, or by --resume of a folder that
// has them.
bool asks_for_discrete(const std::vector<std::string>& words);
// `others`: options of continuous states, which are refused.
Run add_discrete(const Command& verb, const std::vector<std::string>& words,
                 const std::vector<Option>& others);
Option states_option();

}  // namespace kullback::deep::cli
