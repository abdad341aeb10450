// What the program itself says against a result, whatever the draws look like.
#pragma once

#include <vector>

#include "fit/fit.hpp"
#include "fit/gather.hpp"

namespace kullback::fit {

// Adds the lints that bear on the answer to the findings. Where parameters have no prior, the certificate
// says that the posterior may be improper; where it is found to be, it certifies nothing.
void add_program_findings(const LoadedModel& model, const std::vector<FinishedChain>& chains,
                          Outcome& outcome);

// The part of it that is about the certificate, for draws from elsewhere; none where they are not at hand on
// the unconstrained scale.
void note_propriety(const LoadedModel& model, const infer::Draws& draws, certify::Certificate& certificate);

}  // namespace kullback::fit
