// The list of multivariate densities, gathered from the files that define them.
#include "math/array_ops/densities.hpp"

namespace kullback::math {

#define DENSITY_OPS(file) void append_##file##_ops(std::vector<ArrayOp>& ops);
#include "math/array_ops/densities.def"
#undef DENSITY_OPS

void append_density_ops(std::vector<ArrayOp>& ops) {
#define DENSITY_OPS(file) append_##file##_ops(ops);
#include "math/array_ops/densities.def"
#undef DENSITY_OPS
}

}  // namespace kullback::math
