// Bounds made of a mean of a power of the weights w = p / q: importance-weighted, Renyi, CUBO.
#pragma once

#include <memory>

#include "infer/vi/objective.hpp"

namespace kullback::infer {

// F = log(mean of w^power) / power of `draws` draws: a lower bound of the log evidence for powers up to 1, an
// upper bound beyond, then with a minus sign.
struct PowerBoundName {
  std::size_t draws = 1;
  double power = 1;
};
std::unique_ptr<Objective> make_power_bound(PowerBoundName name);

}  // namespace kullback::infer
