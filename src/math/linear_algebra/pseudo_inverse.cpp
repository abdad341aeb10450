#include <Eigen/QR>

#include "math/linear_algebra/stored.hpp"

namespace kullback::math::linear {

void pseudo_inverse(const ConstView& a, const View& result) {
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(stored(a));
  write(decomposition.pseudoInverse(), result);
}

}  // namespace kullback::math::linear
