// How a run begins: its folder, and which chains are whose.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ranks.hpp"
#include "fit/loaded_model.hpp"
#include "fit/request.hpp"
#include "posterior/run_record.hpp"

namespace kullback::fit {

// The chains of this rank: those whose number leaves its own when divided by the number of ranks.
std::vector<std::uint32_t> chains_of_rank(const Request& request, const Ranks& ranks);

// Makes the folder, or takes the one that is there up again, and notes it among the events.
void begin_run(const Request& request, const posterior::RunRecord& record, const LoadedModel& model,
               const Ranks& ranks);

}  // namespace kullback::fit
