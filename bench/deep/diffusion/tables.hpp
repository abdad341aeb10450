// Tables of diffusion where the truth is known; docs/diffusion.md has their figures. Each prints itself and
// says whether what is promised was kept.
#pragma once

#include <string>

namespace kullback::deep::diffusion {

bool exact_tables();
bool learned_table();
bool two_sample_table();

// "kept" or "MISSED".
const char* verdict(bool is_kept);
// One line on a terminal's stderr that replaces the last; an empty one clears it.
void show_progress(const std::string& text);
// Throws Error where Ctrl-C was pressed.
void stop_if_interrupted();

}  // namespace kullback::deep::diffusion
