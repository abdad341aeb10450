// Jacobi's method where the lesser side is short: it is as fast there, and more accurate for small singular
// values.
#include <Eigen/SVD>
#include <algorithm>

#include "math/linear_algebra/stored.hpp"
#include "math/linear_algebra/svd_divided.hpp"

namespace kullback::math::linear {

namespace {

constexpr std::size_t kLargestJacobi = 48;  // twice the time of svd_divided at 50

bool is_large(const ConstView& a) { return std::min(a.rows, a.cols) > kLargestJacobi; }

}  // namespace

void svd(const ConstView& a, const View& u, const View& s, const View& v) {
  if (is_large(a)) return svd_divided(a, u, s, v);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(stored(a), Eigen::ComputeThinU | Eigen::ComputeThinV);
  write(svd.matrixU(), u);
  write(svd.matrixV(), v);
  stored_vector(s) = svd.singularValues();
}

void singular_values(const ConstView& a, const View& s) {
  if (is_large(a)) return singular_values_divided(a, s);
  stored_vector(s) = Eigen::JacobiSVD<Eigen::MatrixXd>(stored(a)).singularValues();
}

}  // namespace kullback::math::linear
