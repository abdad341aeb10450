// Options that all factor models have.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "conjugate/data.hpp"

namespace kullback::conjugate {

std::vector<Option> factor_options();
// Numbers of the columns in --reconstruct: none, "all", or names with commas between. Throws Error usage for
// a name that is not there.
std::vector<std::size_t> chosen_columns(const std::string& text, const Shape& shape);

}  // namespace kullback::conjugate
