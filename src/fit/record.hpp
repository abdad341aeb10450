// The record of a run at its beginning, and the request that a record came from.
#pragma once

#include "fit/loaded_model.hpp"
#include "fit/request.hpp"
#include "posterior/run_record.hpp"

namespace kullback::fit {

posterior::RunRecord make_record(const Request& request, const LoadedModel& model);

// Throws Error where the program or the data are not those of the run that is to go on.
void check_same_inputs(const posterior::RunRecord& before, const posterior::RunRecord& now);

}  // namespace kullback::fit
