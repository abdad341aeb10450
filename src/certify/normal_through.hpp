// A normal approximation, known by its log density at draws: log q is quadratic, and enough points determine
// it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "density/log_density.hpp"

namespace kullback::certify {

// `theta`: draw after draw. Null where log q at the draws is no quadratic function (a flow, a mixture), or
// where there are too few draws, or too many coordinates, to tell; with independent coordinates more of
// these are allowed. The density is up to a constant.
std::unique_ptr<density::LogDensity> normal_through(std::span<const double> theta, std::size_t dim,
                                                    std::span<const double> log_q);

}  // namespace kullback::certify
