// From the chains to the folder's files.
#pragma once

#include <vector>

#include "fit/fit.hpp"
#include "fit/gather.hpp"

namespace kullback::fit {

// Fills the outcome and writes all files; when every chain has finished, the unfinished draws are removed.
void finish(const Request& request, const LoadedModel& model, std::vector<FinishedChain> chains,
            Outcome& outcome);

// The same for draws that were not inferred here: the posterior's names are set already, and only the
// computation of generated quantities can have gone wrong.
void finish_predictions(const std::filesystem::path& out, const LoadedModel& model,
                        std::vector<FinishedChain> chains, Outcome& outcome);

}  // namespace kullback::fit
