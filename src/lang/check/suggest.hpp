// What the user may have meant: names that are one slip away, and words of other languages.
#pragma once

#include <string_view>

#include "base/nearest_name.hpp"

namespace kullback::lang {

using kullback::edit_distance;
using kullback::nearest_name;

// "Write x ? a : b." for a function, or "Write 1." for a value, known from R, Python or Julia; or nothing.
std::string_view foreign_function(std::string_view name);
std::string_view foreign_value(std::string_view name);

}  // namespace kullback::lang
