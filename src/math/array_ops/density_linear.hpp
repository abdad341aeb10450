// Linear algebra shared by the multivariate densities, over math/array_ops/dense.hpp. Included only by .cpp
// files.
#pragma once

#include "math/array_ops/dense.hpp"
#include "math/array_ops/density_support.hpp"

namespace kullback::math::density {

using dense::ConstView;
using dense::View;

// Hands out pieces of a frame's work, one after another.
class Work final {
 public:
  explicit Work(double* start) : next_(start) {}
  double* take(std::size_t size) {
    double* piece = next_;
    next_ += size;
    return piece;
  }
  View matrix(std::size_t rows, std::size_t cols) { return {take(rows * cols), rows, cols}; }

 private:
  double* next_;
};

inline ConstView view(const Frame& frame, std::size_t j) {
  return {frame.data(j), frame.arguments[j].shape.rows, frame.arguments[j].shape.cols};
}
inline View partial_view(const Frame& frame, std::size_t j) {
  return {frame.partials[j], frame.arguments[j].shape.rows, frame.arguments[j].shape.cols};
}

// L with A = L L', from the lower triangle of A; throws where A is not positive definite.
void factor(std::string_view function, std::string_view name, const ConstView& matrix, const View& lower);

// sum_k log L_kk.
double log_diagonal(const ConstView& matrix);

// (L L')^-1, in full.
void inverse_from_factor(const ConstView& lower, const View& inverse);

// L^-1 (lower triangular), zeros above.
void inverse_of_lower(const ConstView& lower, const View& inverse);

double squared_norm(const ConstView& a);
double inner_product(const ConstView& a, const ConstView& b);      // sum of a_ij b_ij
void add_scaled(double scale, const ConstView& a, const View& b);  // b += scale a
void add_scaled_lower(double scale, const ConstView& a,
                      const View& b);  // the same, on and below the diagonal

}  // namespace kullback::math::density
