#include <Eigen/Eigenvalues>

#include "math/linear_algebra/stored.hpp"

namespace kullback::math::linear {

bool hermitian_eigen(const ConstComplexView& a, const View& values, const ComplexView& vectors) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> solver(stored(a));
  if (solver.info() != Eigen::Success) return false;
  stored_vector(values) = solver.eigenvalues();
  write(solver.eigenvectors(), vectors);
  return true;
}

bool schur(const ConstComplexView& a, const ComplexView& triangle, const ComplexView& unitary) {
  const Eigen::ComplexSchur<Eigen::MatrixXcd> decomposition(stored(a));
  if (decomposition.info() != Eigen::Success) return false;
  write(decomposition.matrixT(), triangle);
  write(decomposition.matrixU(), unitary);
  return true;
}

}  // namespace kullback::math::linear
