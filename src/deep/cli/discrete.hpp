// diffusion --states: rows of categories or counts.
#pragma once

#include <string>
#include <vector>

#include "base/settings.hpp"

namespace kullback::deep::cli {

// Whether the words after 'diffusion' ask for discrete states: by --states, or by --resume of a folder that
// has them.
bool asks_for_discrete(const std::vector<std::string>& words);
// `others`: options of continuous states, which are refused.
int run_discrete(const std::vector<std::string>& words, const std::vector<Option>& others);
Option states_option();

int sample_discrete(const std::vector<std::string>& words);
int loglik_discrete(const std::vector<std::string>& words);

}  // namespace kullback::deep::cli
