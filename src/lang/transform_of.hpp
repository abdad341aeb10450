// From a declaration to the transform of its constraint.
#pragma once

#include <vector>

#include "lang/program.hpp"
#include "math/transform.hpp"

namespace kullback::lang {

// Of a type that is no tuple; identity where nothing is constrained.
const math::TransformDef& transform_of(const SizedType& type);

// The expressions of its bounds, in the order of the transform's bound_names; null stands for an absent
// offset (0) or multiplier (1).
std::vector<const Expr*> transform_bounds(const SizedType& type);

}  // namespace kullback::lang
