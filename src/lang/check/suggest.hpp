// What the user may have meant: names that are one slip away, and words of other languages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kullback::lang {

// Insertions, deletions, substitutions and swaps of neighbours; gives up above `limit`.
int edit_distance(std::string_view a, std::string_view b, int limit);

// The nearest of the candidates, or an empty view where none is near. Earlier candidates win ties.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

// "Write x ? a : b." for a function, or "Write 1." for a value, known from R, Python or Julia; or nothing.
std::string_view foreign_function(std::string_view name);
std::string_view foreign_value(std::string_view name);

}  // namespace kullback::lang
