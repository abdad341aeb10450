// What is printed after a fit of a conjugate model, and by `kullback summary`.
#pragma once

#include <filesystem>
#include <string>

#include "conjugate/fit.hpp"

namespace kullback::conjugate {

// `all`: whole tables, not their first rows and columns.
std::string outcome_text(const Outcome& outcome, const std::filesystem::path& folder, bool all = false);

}  // namespace kullback::conjugate
