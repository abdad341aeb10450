// Log densities of vectors and matrices, and generalised linear models, as array ops. One file per theme
// beside this one; one line per file in densities.def. Each is evaluated once per draw: `forward` gives the
// value and keeps, in scratch, the partial derivatives of the arguments that vary; `backward` multiplies
// them. With scratch null, `forward` gives the value alone.
#pragma once

#include <vector>

#include "math/array_op.hpp"

namespace kullback::math {

void append_density_ops(std::vector<ArrayOp>& ops);

}  // namespace kullback::math
