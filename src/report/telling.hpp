// Which quantities to show before the reader has chosen any.
#pragma once

#include <string>
#include <vector>

#include "report/result.hpp"

namespace kullback::report {

// Three at most. Where transitions diverged, those in which divergent draws lie furthest from the others;
// else those with the largest R-hat above 1.01; then the first of each parameter in the program's order,
// further elements of parameters, and other quantities.
std::vector<std::string> telling_names(const Result& result);

}  // namespace kullback::report
