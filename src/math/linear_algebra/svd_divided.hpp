// For svd.cpp alone; a file of its own because it takes longest to compile.
#pragma once

#include "math/linear_algebra.hpp"

namespace kullback::math::linear {

void svd_divided(const ConstView& a, const View& u, const View& s, const View& v);
void singular_values_divided(const ConstView& a, const View& s);

}  // namespace kullback::math::linear
