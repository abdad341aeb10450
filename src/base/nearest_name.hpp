// The name that a user may have meant.
#pragma once

#include <span>
#include <string_view>

namespace kullback {

// Insertions, deletions, substitutions and swaps of neighbours; gives up above `limit`.
int edit_distance(std::string_view a, std::string_view b, int limit);

// The nearest of the candidates, or an empty view where none is near. Earlier candidates win ties.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace kullback
