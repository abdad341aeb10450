#include <Eigen/SVD>

#include "math/linear_algebra/stored.hpp"

namespace kullback::math::linear {

void svd(const ConstView& a, const View& u, const View& s, const View& v) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(stored(a), Eigen::ComputeThinU | Eigen::ComputeThinV);
  write(svd.matrixU(), u);
  write(svd.matrixV(), v);
  stored_vector(s) = svd.singularValues();
}

void singular_values(const ConstView& a, const View& s) {
  stored_vector(s) = Eigen::JacobiSVD<Eigen::MatrixXd>(stored(a)).singularValues();
}

}  // namespace kullback::math::linear
