// Constraints of declared variables as operations of the tape: a check has the value 0 and refuses its
// arguments where the constraint does not hold.
#pragma once

#include "math/array_op.hpp"
#include "math/transform.hpp"
#include "tape/record/builder.hpp"

namespace kullback::tape {

// Arguments: the value, then the bounds.
const math::ArrayOp& constraint_check(const math::TransformDef& transform);

// True where each number comes from a function whose range lies within [lower, upper], such as exp, or is a
// parameter with such bounds: there is nothing to check.
bool always_within(const Builder& builder, const Ids& ids, double lower, double upper);

}  // namespace kullback::tape
