// Where chains start.
#pragma once

#include <vector>

#include "base/finding.hpp"
#include "fit/loaded_model.hpp"
#include "fit/request.hpp"

namespace kullback::fit {

// The starting point of each chain in `chains` (their numbers), as request.init says. Throws Error where
// there is no point with a finite density.
std::vector<infer::Start> find_starts(const Request& request, const LoadedModel& model,
                                      const std::vector<std::uint32_t>& chains);

// A gradient that disagrees with finite differences at a start.
Findings check_start(const LoadedModel& model, const infer::Start& start);

}  // namespace kullback::fit
