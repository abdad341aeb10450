// Where chains start.
#pragma once

#include <cstdint>
#include <vector>

#include "base/finding.hpp"
#include "fit/loaded_model.hpp"
#include "fit/request.hpp"

namespace kullback::fit {

// The starting point of each chain in `chains` (their numbers), as request.init says; values of a file that
// are no parameter's are findings. Throws Error where there is no point with a finite density.
std::vector<infer::Start> find_starts(const Request& request, const LoadedModel& model,
                                      const std::vector<std::uint32_t>& chains, Findings& findings);

// Adds a finding where the gradient disagrees with finite differences at a start.
void check_start(const LoadedModel& model, const infer::Start& start, Findings& findings);

}  // namespace kullback::fit
