// What can be done with folders that 'kullback diffusion' and 'kullback score' wrote.
#pragma once

#include "deep/cli/folder_verb.hpp"
#include "deep/diffusion/fit/model.hpp"

namespace kullback::deep::cli {

Run sample_diffusion(const Command& verb);
Run loglik_diffusion(const Command& verb);
Run restore_diffusion(const Command& verb);

// Opens the model of the folder for `work`.
Run add_on_diffusion(const Command& verb, const Usage& usage,
                     void (*work)(const diffusion::Built& built, const FolderCall& call));

}  // namespace kullback::deep::cli
