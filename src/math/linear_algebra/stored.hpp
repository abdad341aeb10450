// Views as Eigen's maps: for the files of this folder alone, which are the room of Eigen's decompositions.
#pragma once

#include <Eigen/Core>

#include "math/linear_algebra.hpp"

namespace kullback::math::linear {

template <class Number, int order = Eigen::ColMajor>
using Dense = Eigen::Matrix<std::remove_const_t<Number>, Eigen::Dynamic, Eigen::Dynamic, order>;

template <class Number, int order>
using MapOf =
    Eigen::Map<std::conditional_t<std::is_const_v<Number>, const Dense<Number, order>, Dense<Number, order>>,
               0, Eigen::OuterStride<>>;

template <int order = Eigen::ColMajor, class Number>
MapOf<Number, order> stored(const MatrixView<Number>& view) {
  return {view.data, static_cast<Eigen::Index>(view.rows), static_cast<Eigen::Index>(view.cols),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(view.stride))};
}

template <class Number>
auto stored_vector(const MatrixView<Number>& view) {
  using Vector = Eigen::Matrix<std::remove_const_t<Number>, Eigen::Dynamic, 1>;
  return Eigen::Map<std::conditional_t<std::is_const_v<Number>, const Vector, Vector>>(
      view.data, static_cast<Eigen::Index>(view.rows));
}

// What a view of columns or rows holds, as a matrix of columns.
template <class Number>
Dense<Number> columns_of(const MatrixView<Number>& view) {
  if (view.storage == Storage::rows) return stored<Eigen::RowMajor>(view);
  return stored(view);
}

template <class Number, class Matrix>
void write(const Matrix& from, const MatrixView<Number>& to) {
  if (to.storage == Storage::rows)
    stored<Eigen::RowMajor>(to) = from;
  else
    stored(to) = from;
}

}  // namespace kullback::math::linear
