// What can be done with folders that 'kullback diffusion' and 'kullback score' wrote.
#pragma once

#include <string>
#include <vector>

#include "deep/cli/folder_verb.hpp"
#include "deep/diffusion/fit/model.hpp"

namespace kullback::deep::cli {

int sample_diffusion(const std::vector<std::string>& words);
int loglik_diffusion(const std::vector<std::string>& words);
int restore_diffusion(const std::vector<std::string>& words);

// Opens the model of the folder for `work`.
int run_on_diffusion(const Grammar& grammar, const std::vector<std::string>& words,
                     void (*work)(const diffusion::Built& built, const FolderCall& call));

}  // namespace kullback::deep::cli
