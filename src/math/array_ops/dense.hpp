// Dense linear algebra on raw column-major numbers, for the array ops: no allocation for small sizes, no
// Eigen in sight.
#pragma once

#include <cstddef>

namespace kullback::math::dense {

// A matrix as it is stored; `transposed` makes it stand for its transpose.
struct ConstView {
  const double* data = nullptr;
  std::size_t rows = 0;  // as stored
  std::size_t cols = 0;
  bool transposed = false;

  std::size_t height() const { return transposed ? cols : rows; }
  std::size_t width() const { return transposed ? rows : cols; }
};

struct View {
  double* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;

  operator ConstView() const { return {data, rows, cols, false}; }  // NOLINT: a view is a view of constants
  std::size_t size() const { return rows * cols; }
};

inline ConstView t(const ConstView& a) { return {a.data, a.rows, a.cols, !a.transposed}; }

// Sums in a fixed order with eight accumulators.
double sum(const double* x, std::size_t n);
double dot(const double* x, const double* y, std::size_t n);
// y += scale * x.
void add_scaled(double scale, const double* x, double* y, std::size_t n);
void add_constant(double c, double* y, std::size_t n);
double max(const double* x, std::size_t n);  // -inf where n = 0; NaN where any is

// y = A x, y += A x, y += A' x, A += u v'; A as stored, at the speed of memory.
void multiply(const ConstView& a, const double* x, double* y);
void add_product(const ConstView& a, const double* x, double* y);
void add_transposed_product(const ConstView& a, const double* x, double* y);
void add_outer(const double* u, const double* v, const View& a);

// c = a b; c += scale a b.
void multiply(const ConstView& a, const ConstView& b, const View& c);
void add_product(const ConstView& a, const ConstView& b, const View& c, double scale = 1);

void copy(const ConstView& a, const View& b);  // b = a
void add(const ConstView& a, const View& b);   // b += a
// a = a + a', for square a.
void add_own_transpose(const View& a);
void set_identity(const View& a);
// Sets what stands above the diagonal to zero.
void clear_upper(const View& a);
// Sets what stands above the diagonal to the mirror of what stands below.
void mirror_lower(const View& a);

// The lower triangle of a becomes its Cholesky factor; what stands above the diagonal is neither read nor
// written. False where a is not positive definite.
bool factor_cholesky(const View& a);
// From the factor and the adjoint of the factor (lower triangle, overwritten) to the adjoint of the lower
// triangle of the matrix.
void cholesky_adjoint(const ConstView& factor, const View& adjoint);

// b = L^-1 b, L'^-1 b, b L^-1, b L'^-1 with lower triangular L (the view's `transposed` chooses L').
void solve_lower_left(const ConstView& lower, const View& b);
void solve_lower_right(const ConstView& lower, const View& b);

// LU with partial pivoting, in place; pivots has a.rows numbers. A singular matrix leaves a zero on the
// diagonal.
void factor_lu(const View& a, double* pivots);
// b = A^-1 b, or A'^-1 b where the view is transposed.
void solve_lu(const ConstView& lu, const double* pivots, const View& b);
// log |det| and the sign of det.
struct LogDeterminant {
  double log_abs;
  double sign;
};
LogDeterminant lu_determinant(const ConstView& lu, const double* pivots);

}  // namespace kullback::math::dense
