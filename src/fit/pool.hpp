// The chains of one process on its threads.
#pragma once

#include <vector>

#include "fit/fit.hpp"
#include "fit/gather.hpp"

namespace kullback::fit {

// Runs a chain from each start; the calling thread watches. What a thread throws is thrown here.
std::vector<FinishedChain> run_chains(const Request& request, const LoadedModel& model,
                                      std::vector<infer::Start> starts, const Watch& watch);

}  // namespace kullback::fit
