#include <Eigen/LU>

#include "math/linear_algebra/stored.hpp"

namespace kullback::math::linear {

void inverse(const ConstComplexView& a, const ComplexView& result) {
  stored(result) = columns_of(a).inverse();
}

}  // namespace kullback::math::linear
