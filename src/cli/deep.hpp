// Models on LibTorch are a program of their own, so that kullback never waits for LibTorch to load.
#pragma once

#include <string>
#include <vector>

namespace kullback::cli {

// Replaces this process by kullback-deep (beside this program, else on PATH) with these words. Throws Error
// missing_file where there is none.
int run_deep(const std::vector<std::string>& words);

// Whether the words are a verb of kullback-deep, or a verb of both (`predict`, `summary`) and a folder that
// kullback-deep wrote.
bool is_for_deep(const std::vector<std::string>& words);

}  // namespace kullback::cli
