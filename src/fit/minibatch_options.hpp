// "minibatch", "strata" and "stream" of a fit.
#pragma once

#include "fit/request_options.hpp"

namespace kullback::fit {

// Sets the options of the method that they imply: how many rows, chosen how. Throws Error usage, also for a
// method that needs all of the data.
void take_minibatch(const infer::Method& method, const OptionValues& values, GivenTexts& of_method);

}  // namespace kullback::fit
