#include <Eigen/Eigenvalues>

#include "math/linear_algebra/stored.hpp"

namespace kullback::math::linear {

bool general_eigen(const ConstView& a, const ComplexView& values, const ComplexView& vectors) {
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(stored(a));
  if (solver.info() != Eigen::Success) return false;
  stored_vector(values) = solver.eigenvalues();
  write(solver.eigenvectors(), vectors);
  return true;
}

}  // namespace kullback::math::linear
