#include "deep/cli/diffusion_folder.hpp"

#include "deep/cli/kinds.hpp"

namespace kullback::deep::cli {

Run add_on_diffusion(const Command& verb, const Usage& usage,
                     void (*work)(const diffusion::Built& built, const FolderCall& call)) {
  return add_folder_verb(verb, usage, Interruption::asks_work, [work](const FolderCall& call) {
    work(*diffusion::open_model(call.folder, call.device), call);
  });
}

extern const KindRecord kDiffusionKind;
const KindRecord kDiffusionKind{.name = "diffusion",
                                .what = "a diffusion model",
                                .verb = "kullback diffusion",
                                .sample = sample_diffusion,
                                .loglik = loglik_diffusion,
                                .restore = restore_diffusion};
extern const KindRecord kScoreKind;
const KindRecord kScoreKind{.name = "score",
                            .what = "a score network",
                            .verb = "kullback score",
                            .sample = sample_diffusion,
                            .loglik = loglik_diffusion,
                            .restore = restore_diffusion};

}  // namespace kullback::deep::cli
