// Which built-in functions are part of the language but not of this version's engine.
#pragma once

#include <string_view>

namespace kullback::math {

// What is lacking ("Fourier transforms"), or nothing where the function is supported.
std::string_view why_unsupported(std::string_view name);

}  // namespace kullback::math
