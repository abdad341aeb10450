// Local steps over many units.
#pragma once

#include <functional>
#include <span>

#include "base/ranks.hpp"
#include "conjugate/data.hpp"
#include "conjugate/model.hpp"
#include "conjugate/workers.hpp"

namespace kullback::conjugate {

// Units are cut into slices whose number depends on the data and the model only; the slices' sums are added
// in order, so that the number of threads changes nothing.
Statistics local_pass(const Model& model, const Batch& units, std::span<double> local, Workers& workers);

// Over this rank's shard: local numbers are kept where it is in memory. False from `go_on` (asked between
// pieces of a stream) ends the pass early, with what was summed so far.
Statistics source_pass(const Model& model, Source& source, std::span<double> local, Workers& workers,
                       const std::function<bool(double part)>& go_on = {});

// Adds up over ranks, together with `flags`.
void sum_over(const Ranks& ranks, Statistics& statistics, std::span<double> flags = {});

// Units of a stream that are read at a time.
std::size_t piece_units(const Shape& shape);

}  // namespace kullback::conjugate
