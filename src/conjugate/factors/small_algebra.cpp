#include "conjugate/factors/small_algebra.hpp"

#include <cmath>

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

bool cholesky(const Square& a, Square& l) {
  for (std::size_t j = 0; j < a.dim(); ++j) {
    for (std::size_t i = j; i < a.dim(); ++i) {
      double sum = a(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
      if (i == j && !(sum > 0)) return false;
      l(i, j) = i == j ? std::sqrt(sum) : sum / l(j, j);
    }
  }
  return true;
}

Square lower_inverse(const Square& l) {
  Square x(l.dim());
  for (std::size_t j = 0; j < l.dim(); ++j) {
    x(j, j) = 1 / l(j, j);
    for (std::size_t i = j + 1; i < l.dim(); ++i) {
      double sum = 0;
      for (std::size_t k = j; k < i; ++k) sum -= l(i, k) * x(k, j);
      x(i, j) = sum / l(i, i);
    }
  }
  return x;
}

Square axes(Square a, std::vector<double>& values) {
  const std::size_t dim = a.dim();
  Square vectors = Square::identity(dim);
  constexpr int kSweeps = 40;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool is_done = true;
    for (std::size_t p = 0; p < dim; ++p) {
      for (std::size_t q = p + 1; q < dim; ++q) {
        const double off = a(p, q);
        if (!(std::abs(off) > 1e-15 * std::sqrt(std::abs(a(p, p) * a(q, q))))) continue;
        is_done = false;
        // The rotation by the smaller angle that makes a(p, q) zero.
        const double cotangent = (a(q, q) - a(p, p)) / (2 * off);
        const double t = std::copysign(1.0, cotangent) / (std::abs(cotangent) + std::hypot(1.0, cotangent));
        const double c = 1 / std::sqrt(1 + t * t), s = t * c;
        for (std::size_t k = 0; k < dim; ++k) {
          const double left = a(k, p), right = a(k, q);
          a(k, p) = c * left - s * right;
          a(k, q) = s * left + c * right;
        }
        for (std::size_t k = 0; k < dim; ++k) {
          const double left = a(p, k), right = a(q, k);
          a(p, k) = c * left - s * right;
          a(q, k) = s * left + c * right;
          const double old = vectors(k, p), other = vectors(k, q);
          vectors(k, p) = c * old - s * other;
          vectors(k, q) = s * old + c * other;
        }
        a(p, q) = a(q, p) = 0;
      }
    }
    if (is_done) break;
  }
  values.resize(dim);
  for (std::size_t i = 0; i < dim; ++i) values[i] = a(i, i);
  return vectors;
}

}  // namespace kullback::conjugate
