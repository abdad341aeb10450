// "minibatch", "strata" and "stream" of a fit.
#pragma once

#include "fit/request_options.hpp"

namespace kullback::fit {

// Moves them from `given` into the inputs (which rows) and the method's options (how many). Throws Error
// usage, also for a method that needs all of the data.
void take_minibatch(const infer::Method& method, GivenOptions& given, Inputs& inputs);

}  // namespace kullback::fit
