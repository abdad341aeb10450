// Draws with weights as draws of equal weight, for readers that know no others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "posterior/posterior.hpp"

namespace kullback::posterior {

// Which draws stand for all, counted chain after chain, in an order that says nothing: about weight times the
// number of draws times each (systematic resampling). Empty where draws have no weights.
std::vector<std::size_t> equally_weighted(const Posterior& posterior, std::uint64_t seed);

// The draws that were so chosen, as one chain; it has neither weights nor log q, as nothing was drawn from
// that. The posterior itself where draws have no weights.
Posterior with_equal_weights(const Posterior& posterior, std::uint64_t seed);

}  // namespace kullback::posterior
