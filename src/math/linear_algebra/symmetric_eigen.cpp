#include <Eigen/Eigenvalues>

#include "math/linear_algebra/stored.hpp"

namespace kullback::math::linear {

bool symmetric_eigen(const ConstView& a, const View& values, const View& vectors) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(stored(a));
  stored_vector(values) = solver.eigenvalues();
  write(solver.eigenvectors(), vectors);
  return solver.info() == Eigen::Success;
}

bool symmetric_eigenvalues(const ConstView& a, const View& values) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(stored(a), Eigen::EigenvaluesOnly);
  stored_vector(values) = solver.eigenvalues();
  return solver.info() == Eigen::Success;
}

}  // namespace kullback::math::linear
