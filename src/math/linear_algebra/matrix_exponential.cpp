#include <Eigen/Core>
// The file uses std::function and leaves its header to whoever includes it.
#include <functional>
#include <unsupported/Eigen/MatrixFunctions>

#include "math/linear_algebra/stored.hpp"

namespace kullback::math::linear {

void matrix_exponential(const ConstView& a, const View& result) { stored(result) = columns_of(a).exp(); }

}  // namespace kullback::math::linear
