#include "deep/cli/diffusion_folder.hpp"

#include "deep/cli/kinds.hpp"

namespace kullback::deep::cli {

Run add_on_diffusion(const Command& verb, const Usage& usage,
                     void (*work)(const diffusion::Built& built, const FolderCall& call)) {
  return add_folder_verb(verb, usage, Interruption::asks_work, [work](const FolderCall& call) {
    work(*diffusion::open_model(call.folder, call.device), call);
  });
}

extern const FolderVerbs kDiffusionKind;
const FolderVerbs kDiffusionKind{.kind = run::Kind::diffusion,
                                 .sample = sample_diffusion,
                                 .loglik = loglik_diffusion,
                                 .restore = restore_diffusion};
extern const FolderVerbs kScoreKind;
const FolderVerbs kScoreKind{.kind = run::Kind::score,
                             .sample = sample_diffusion,
                             .loglik = loglik_diffusion,
                             .restore = restore_diffusion};

}  // namespace kullback::deep::cli
