// Initial values: parameters as people write them, to a point in unconstrained coordinates.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "model/data.hpp"
#include "model/prepared.hpp"

namespace kullback::model {

struct Unconstrained {
  std::vector<double> theta;  // prepared.dim numbers
  Diagnostics warnings;       // names that are no parameter
};

// A parameter that is missing takes its coordinates from `fallback` (prepared.dim numbers), as CmdStan takes
// random ones. Bounds may depend on data and on parameters declared earlier. Throws Error with a line for
// each value that has another shape, violates its constraint, or lies on the edge of its support, where no
// unconstrained value is finite.
Unconstrained unconstrain(const Prepared& prepared, Data inits, std::span<const double> fallback);

// From the numbers of the parameters' columns, as Outputs writes them. Throws Error likewise; `name` is what
// its messages call the numbers.
std::vector<double> unconstrain_columns(const Prepared& prepared, const double* columns,
                                        const std::string& name);

}  // namespace kullback::model
