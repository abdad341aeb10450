// Whether a posterior is improper, as far as its density far out tells.
#pragma once

#include <string>
#include <vector>

#include "density/log_density.hpp"
#include "infer/algorithm.hpp"

namespace kullback::fit {

// A way out along which the density does not fall.
struct ImproperWay {
  std::string name;                     // "b", or "a combination of a and b"
  std::vector<std::string> parameters;  // that it goes along
};

// Among ways along parameters with these names. Nothing found shows nothing.
std::vector<ImproperWay> improper_ways(const std::vector<std::string>& names, density::LogDensity& density,
                                       const infer::Draws& draws);

}  // namespace kullback::fit
