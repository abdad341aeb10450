// What variational inference is made of where the user does not say.
#pragma once

#include "density/log_density.hpp"
#include "infer/vi/parts.hpp"

namespace kullback::infer {

// Parts that go with the model and with those that were said. The estimator is left to default_estimator().
Preset default_parts(const density::LogDensity& density, const Preset& said, const Options& options);

// The one with the least variance that goes with family and objective.
const EstimatorRecord& default_estimator(const Parts& parts, Family& family, density::LogDensity& density,
                                         const Options& options);

}  // namespace kullback::infer
