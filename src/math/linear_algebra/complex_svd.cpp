#include <Eigen/SVD>

#include "math/linear_algebra/stored.hpp"

namespace kullback::math::linear {

void svd(const ConstComplexView& a, const ComplexView& u, const View& s, const ComplexView& v) {
  const unsigned wanted = unsigned{Eigen::ComputeThinU} | (v.cols > 0 ? unsigned{Eigen::ComputeThinV} : 0U);
  const Eigen::JacobiSVD<Eigen::MatrixXcd> svd(stored(a), wanted);
  write(svd.matrixU(), u);
  if (v.cols > 0) write(svd.matrixV(), v);
  stored_vector(s) = svd.singularValues();
}

}  // namespace kullback::math::linear
