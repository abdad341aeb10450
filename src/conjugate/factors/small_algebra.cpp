#include "conjugate/factors/small_algebra.hpp"

#include "conjugate/factors/lane_kernels.hpp"

namespace kullback::conjugate {

Square Square::identity(std::size_t dim) {
  Square result(dim);
  for (std::size_t i = 0; i < dim; ++i) result(i, i) = 1;
  return result;
}

Square Square::symmetric(std::span<const double> packed, std::size_t dim) {
  Square result(dim);
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j <= i; ++j) result(i, j) = result(j, i) = packed[packed_at(i, j)];
  }
  return result;
}

Square Square::transposed() const {
  Square result(dim_);
  for (std::size_t i = 0; i < dim_; ++i) {
    for (std::size_t j = 0; j < dim_; ++j) result(j, i) = (*this)(i, j);
  }
  return result;
}

Square Square::operator*(const Square& right) const {
  Square result(dim_);
  for (std::size_t i = 0; i < dim_; ++i) {
    for (std::size_t k = 0; k < dim_; ++k) {
      add_scaled(&right.cells_[k * dim_], (*this)(i, k), dim_, &result.cells_[i * dim_]);
    }
  }
  return result;
}

}  // namespace kullback::conjugate
