// Dense linear algebra: factors, solutions, eigenvalues and singular values of matrices of doubles. All of it
// is compiled once, in math/linear_algebra/; no other file instantiates a decomposition
// (tools/check_arrows.py).
//
// Arguments are views. Whatever stores numbers as Eigen's matrices, maps and blocks do becomes one by itself,
// so that callers may keep their matrices in Eigen and this header needs none of it. Results go where a view
// says, which has the right size already; a result may not overlap an argument unless the function says that
// it works in place.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace kullback::math::linear {

// Column after column, row after row, or one column known to be one: solving for a vector is another loop.
enum class Storage { columns, rows, vector };

template <class M>
concept StoresMatrix = requires(M& m) {
  m.data();
  m.rows();
  m.cols();
  m.outerStride();
  requires std::remove_cvref_t<M>::InnerStrideAtCompileTime == 1;
};

template <class M>
constexpr Storage storage_of() {
  using Plain = std::remove_cvref_t<M>;
  if (Plain::ColsAtCompileTime == 1) return Storage::vector;
  return Plain::IsRowMajor ? Storage::rows : Storage::columns;
}

// `stride` numbers lie between the beginnings of two columns, or of two rows.
template <class Number>
struct MatrixView {
  Number* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;
  Storage storage = Storage::columns;

  MatrixView(Number* first, std::size_t height, std::size_t width)
      : data(first), rows(height), cols(width), stride(height) {}
  static MatrixView by_rows(Number* first, std::size_t height, std::size_t width) {
    MatrixView view(first, height, width);
    view.stride = width;
    view.storage = Storage::rows;
    return view;
  }
  static MatrixView vector(Number* first, std::size_t size) {
    MatrixView view(first, size, 1);
    view.storage = Storage::vector;
    return view;
  }
  template <class Mutable>
    requires std::is_same_v<Number, const Mutable>
  MatrixView(const MatrixView<Mutable>& other)  // NOLINT: a view is a view of constants
      : data(other.data), rows(other.rows), cols(other.cols), stride(other.stride), storage(other.storage) {}
  template <class M>
    requires StoresMatrix<M> && std::convertible_to<decltype(std::declval<M&>().data()), Number*>
  MatrixView(M&& m)  // NOLINT: a matrix is seen wherever a view is wanted
      : data(m.data()),
        rows(static_cast<std::size_t>(m.rows())),
        cols(static_cast<std::size_t>(m.cols())),
        stride(static_cast<std::size_t>(m.outerStride())),
        storage(storage_of<M>()) {}
};

using View = MatrixView<double>;
using ConstView = MatrixView<const double>;
using ComplexView = MatrixView<std::complex<double>>;
using ConstComplexView = MatrixView<const std::complex<double>>;

// ---- Cholesky ----
// lower = L with A = L L', zeros above the diagonal; A is read below its diagonal only. In place where both
// are the same view. False, and an unspecified `lower`, where a pivot is not positive and finite.
bool cholesky(const ConstView& a, const View& lower);
// In place, for who wants to know where A fails: how many pivots are positive, all where A is positive
// definite. The first that is not stands in its place on the diagonal.
std::size_t cholesky_pivots(const View& a);
// L with L L' grown by v v', in place; v is used up.
void update_cholesky(const View& lower, std::span<double> v);
// b = L^-1 b, L'^-1 b, A^-1 b, in place; what stands above the diagonal of `lower` is not read.
void solve_lower(const ConstView& lower, const View& b);
void solve_lower_transposed(const ConstView& lower, const View& b);
void solve_cholesky(const ConstView& lower, const View& b);
// L^-1, with zeros above its diagonal; A^-1.
void inverse_of_lower(const ConstView& lower, const View& inverse);
void inverse_of_cholesky(const ConstView& lower, const View& inverse);
// log det A = 2 log det L.
double log_determinant_of_cholesky(const ConstView& lower);

// b = U^-1 b with upper triangular U, in place.
void solve_upper(const ConstView& upper, const View& b);

// ---- products with one vector ----
// result = L x; result may not be x.
void multiply_lower(const ConstView& lower, std::span<const double> x, std::span<double> result);
// result = A x for symmetric A, all of which is read; result may not be x.
void multiply_symmetric(const ConstView& a, std::span<const double> x, std::span<double> result);

// ---- LU and L D L' ----
struct Lu {
  std::vector<double> packed;       // L below the diagonal, U from it on, column after column
  std::vector<std::size_t> places;  // row i of A is row places[i] of L U
  double sign_of_places = 1;
  std::size_t size = 0;

  double log_abs_determinant() const;
  double sign_of_determinant() const;  // 0 where A is singular
};
Lu lu(const ConstView& a);
void solve_lu(const Lu& lu, const View& b);  // b = A^-1 b
void inverse(const ConstComplexView& a, const ComplexView& result);
// b = A^-1 b for symmetric A, by L D L' with pivoting: A may be singular or indefinite.
void solve_symmetric(const ConstView& a, const View& b);

// ---- symmetric eigenvalues ----
// A = V diag(w) V', w ascending; A is read below its diagonal only. False where the iteration did not
// converge.
bool symmetric_eigen(const ConstView& a, const View& values, const View& vectors);
bool symmetric_eigenvalues(const ConstView& a, const View& values);
// The same without an order, for small matrices: vectors that are near to the coordinate axes where A, which
// is used up, is near to a diagonal matrix.
void symmetric_axes(const View& a, std::span<double> values, const View& vectors);

// ---- QR ----
// A = Q R by Householder reflections. As many columns of Q and rows of R as the views have; either may be
// empty.
void qr(const ConstView& a, const View& q, const View& r);
// With columns chosen by their length: |R_ii| falls and shows the rank.
struct PivotedQr {
  std::vector<double> packed;
  std::vector<double> coefficients;
  std::size_t rows = 0;
  std::size_t cols = 0;

  std::vector<double> pivots() const;  // |R_ii|
  void basis(const View& q) const;     // the first columns of Q
};
PivotedQr pivoted_qr(const ConstView& a);
// x with the least |A x - b|, column by column.
void least_squares(const ConstView& a, const ConstView& b, const View& x);

// ---- singular values ----
// A = U diag(s) V', s descending, with min(rows, cols) columns in U and V; a complex V may be empty.
void svd(const ConstView& a, const View& u, const View& s, const View& v);
void svd(const ConstComplexView& a, const ComplexView& u, const View& s, const ComplexView& v);
void singular_values(const ConstView& a, const View& s);
// The Moore-Penrose inverse.
void pseudo_inverse(const ConstView& a, const View& result);

// ---- general eigenvalues ----
// A = V diag(w) V^-1. False where the iteration does not converge.
bool general_eigen(const ConstView& a, const ComplexView& values, const ComplexView& vectors);
bool general_eigen(const ConstComplexView& a, const ComplexView& values, const ComplexView& vectors);
bool hermitian_eigen(const ConstComplexView& a, const View& values, const ComplexView& vectors);
// A = U T U^H.
bool schur(const ConstComplexView& a, const ComplexView& triangle, const ComplexView& unitary);

// ---- functions of matrices ----
void matrix_exponential(const ConstView& a, const View& result);

}  // namespace kullback::math::linear
