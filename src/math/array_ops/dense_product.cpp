// Products of matrices: by the level 2 kernels where one side is a vector, by plain loops where all is small,
// by Eigen's blocked product otherwise.
#include <Eigen/Core>
#include <algorithm>

#include "math/array_ops/dense.hpp"

namespace kullback::math::dense {
namespace {

using Map = Eigen::Map<Eigen::MatrixXd>;
using ConstMap = Eigen::Map<const Eigen::MatrixXd>;

constexpr std::size_t kSmall = 24;  // the longest side for which the blocked product gains nothing

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }
ConstMap stored(const ConstView& a) { return {a.data, index(a.rows), index(a.cols)}; }

// One column of c after another, by the level 2 kernels.
void add_small_product(const ConstView& a, const ConstView& b, const View& c, double scale) {
  double column[kSmall];
  for (std::size_t j = 0; j < c.cols; ++j) {
    for (std::size_t k = 0; k < a.width(); ++k) {
      column[k] = scale * (b.transposed ? b.data[j + k * b.rows] : b.data[k + j * b.rows]);
    }
    add_product(a, column, c.data + j * c.rows);
  }
}

}  // namespace

void multiply(const ConstView& a, const ConstView& b, const View& c) {
  std::fill_n(c.data, c.size(), 0.0);
  add_product(a, b, c);
}

void add_product(const ConstView& a, const ConstView& b, const View& c, double scale) {
  if (a.width() == 1) {  // both are vectors, however they are stored
    for (std::size_t j = 0; j < c.cols; ++j) {
      add_scaled(scale * b.data[j], a.data, c.data + j * c.rows, c.rows);
    }
  } else if (scale == 1 && c.cols == 1) {
    add_product(a, b.data, c.data);
  } else if (scale == 1 && c.rows == 1) {
    add_product(t(b), a.data, c.data);
  } else if (std::max({c.rows, c.cols, a.width()}) <= kSmall) {
    add_small_product(a, b, c, scale);
  } else if (Map target(c.data, index(c.rows), index(c.cols)); a.transposed) {
    if (b.transposed) {
      target.noalias() += scale * stored(a).transpose() * stored(b).transpose();
    } else {
      target.noalias() += scale * stored(a).transpose() * stored(b);
    }
  } else if (b.transposed) {
    target.noalias() += scale * stored(a) * stored(b).transpose();
  } else {
    target.noalias() += scale * stored(a) * stored(b);
  }
}

}  // namespace kullback::math::dense
