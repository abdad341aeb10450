// Coordinates of theta by the names of the parameters behind them, for findings.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "density/log_density.hpp"

namespace kullback::infer {

// "tau (unconstrained)", "theta[3] (unconstrained)": indices from 1 within a block, as in Stan. A density
// without blocks has one block, theta.
std::string coordinate_name(const density::LogDensity& density, std::size_t coordinate);

// The coordinates in which a direction has its largest components, largest first, three at most:
// "tau, theta[3] (unconstrained)".
std::string direction_name(const density::LogDensity& density, std::span<const double> direction);

}  // namespace kullback::infer
