// From patterns to plain signatures.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "math/signatures.hpp"
#include "math/signatures/pattern.hpp"

namespace kullback::math::pattern {

// The overload in which argument i has type chosen[i] and T is t.
Signature instantiate(const Pattern& p, std::span<const FlatType> chosen, FlatType t);

// Appends every overload the pattern stands for.
void expand(const Pattern& p, std::vector<Signature>& all);
std::vector<Signature> expand(std::string_view line);

// By arguments: fewer array levels first, then int, real, vector, complex, row_vector, matrix, ...
void sort_as_stanc(std::vector<Signature>& all);

}  // namespace kullback::math::pattern
