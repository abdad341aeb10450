// The pieces of our JSON files.
#pragma once

#include <string>

#include "base/finding.hpp"

namespace kullback::run {

// With the fewest digits that read back to the same number; "NaN", "Infinity" and "-Infinity" in quotes.
std::string json_number(double number);

// An array, one finding a line, each line after the first indented by two.
std::string json_findings(const Findings& findings);

}  // namespace kullback::run
