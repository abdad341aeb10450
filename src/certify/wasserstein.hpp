// Bounds on Wasserstein distances as a part of a certificate. They decide nothing.
#pragma once

#include <cstdint>

#include "certify/certificate.hpp"
#include "density/log_density.hpp"
#include "infer/draws.hpp"

namespace kullback::certify {

// Of the approximation that the draws with their log q are of, not of the reweighted ones; where its density
// is not known elsewhere than at the draws, a note says so. Adds to the cost.
void add_wasserstein(const infer::Draws& draws, density::LogDensity& density, std::uint64_t seed,
                     Certificate& certificate);

// The answer is of chains, which have no density.
void refuse_wasserstein(Certificate& certificate);

}  // namespace kullback::certify
