// Inverses and determinants.
//   inverse, inverse_spd  C = A^-1:       A_ -= C' C_ C'
//   chol2inv(L)           C = (L L')^-1:  L_ -= tril(C (C_ + C_') L'^-1)
//   determinant:          A_ += c_ det A A'^-1 (where n < 3: the cofactors, which need no inverse)
//   log_determinant = log |det A|, log_determinant_spd:  A_ += c_ A'^-1
// Giles (2008). LU with partial pivoting, or Cholesky where the matrix must be positive definite.
#include <cmath>
#include <stdexcept>

#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;
using dense::ConstView;
using dense::View;

View square(const ArrayCall& call, std::size_t part) {
  const std::size_t n = rows(call, 0);
  return {call.scratch + part * n * n, n, n};
}

// Scratch: two squares, then pivots.
std::size_t square_scratch(Arguments arguments) {
  return 2 * arguments[0].shape.size() + arguments[0].shape.rows;
}

double* pivots(const ArrayCall& call) { return call.scratch + 2 * size(call, 0); }

View factor_lu(const ArrayCall& call) {
  const View factor = square(call, 0);
  dense::copy(matrix(call, 0), factor);
  dense::factor_lu(factor, pivots(call));
  return factor;
}

View factor_spd(const ArrayCall& call, std::string_view function) {
  check_matrix_symmetric(function, "m", matrix(call, 0));
  check_not_nan(function, "m", values(call, 0));
  const View factor = square(call, 0);
  dense::copy(matrix(call, 0), factor);
  if (!dense::factor_cholesky(factor)) {
    throw_not_positive_definite(function, "m");
  }
  return factor;
}

void invert_cholesky(const ConstView& factor, const View& inverse) {
  dense::set_identity(inverse);
  dense::solve_lower_left(factor, inverse);
  dense::solve_lower_left(dense::t(factor), inverse);
}

Shape inverse_shape(Arguments arguments) {
  check_square("inverse", "m", arguments[0].shape);
  return arguments[0].shape;
}

void inverse_forward(const ArrayCall& call) {
  const View factor = factor_lu(call);
  const View c{call.result, factor.rows, factor.cols};
  dense::set_identity(c);
  dense::solve_lu(factor, pivots(call), c);
}

void inverse_backward(const ArrayCall& call) {
  const std::size_t n = rows(call, 0);
  const ConstView c{call.result, n, n, true};
  const View work = square(call, 1);
  dense::multiply(c, ConstView{call.result_adjoint, n, n, false}, work);
  dense::add_product(work, c, matrix_adjoint(call, 0), -1);
}

Shape inverse_spd_shape(Arguments arguments) {
  check_square("inverse_spd", "m", arguments[0].shape);
  return arguments[0].shape;
}

void inverse_spd_forward(const ArrayCall& call) {
  const View factor = factor_spd(call, "inverse_spd");
  const View c{call.result, factor.rows, factor.cols};
  invert_cholesky(factor, c);
  dense::mirror_lower(c);
}

Shape chol2inv_shape(Arguments arguments) {
  check_square("chol2inv", "L", arguments[0].shape);
  return arguments[0].shape;
}

void chol2inv_forward(const ArrayCall& call) {
  const ConstView lower = matrix(call, 0);
  for (std::size_t j = 1; j < lower.cols; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (const double x = lower.data[i + j * lower.rows]; x != 0) {
        throw std::domain_error("chol2inv: L is not lower triangular; L[" + std::to_string(i + 1) + "," +
                                std::to_string(j + 1) + "]=" + density::number(x));
      }
    }
  }
  const View c{call.result, lower.rows, lower.cols};
  invert_cholesky(lower, c);
  dense::mirror_lower(c);
}

void chol2inv_backward(const ArrayCall& call) {
  const std::size_t n = rows(call, 0);
  const View both = square(call, 0);
  const View work = square(call, 1);
  std::copy_n(call.result_adjoint, n * n, both.data);
  dense::add_own_transpose(both);
  dense::multiply(ConstView{call.result, n, n, false}, both, work);
  dense::solve_lower_right(dense::t(matrix(call, 0)), work);
  dense::clear_upper(work);
  dense::add_scaled(-1, work.data, adjoint(call, 0), n * n);
}

Shape determinant_shape(Arguments arguments) {
  check_square("determinant", "m", arguments[0].shape);
  return {};
}

void determinant_forward(const ArrayCall& call) {
  const View factor = factor_lu(call);
  double product = 1;
  for (std::size_t i = 0; i < factor.rows; ++i) {
    const bool swapped = static_cast<std::size_t>(pivots(call)[i]) != i;
    product *= (swapped ? -1 : 1) * factor.data[i * (factor.rows + 1)];
  }
  call.result[0] = product;
}

void add_inverse_transposed(const ArrayCall& call, double weight) {
  const std::size_t n = rows(call, 0);
  const View inverse = square(call, 1);
  dense::set_identity(inverse);
  dense::solve_lu(ConstView{call.scratch, n, n, true}, pivots(call), inverse);
  dense::add_scaled(weight, inverse.data, adjoint(call, 0), n * n);
}

void determinant_backward(const ArrayCall& call) {
  const double c_bar = call.result_adjoint[0];
  const double* a = data(call, 0);
  double* a_bar = adjoint(call, 0);
  if (rows(call, 0) == 1) {
    a_bar[0] += c_bar;
  } else if (rows(call, 0) == 2) {
    a_bar[0] += c_bar * a[3];
    a_bar[1] -= c_bar * a[2];
    a_bar[2] -= c_bar * a[1];
    a_bar[3] += c_bar * a[0];
  } else {
    add_inverse_transposed(call, c_bar * call.result[0]);
  }
}

Shape log_determinant_shape(Arguments arguments) {
  check_square("log_determinant", "m", arguments[0].shape);
  return {};
}

void log_determinant_forward(const ArrayCall& call) {
  call.result[0] = dense::lu_determinant(factor_lu(call), pivots(call)).log_abs;
}

void log_determinant_backward(const ArrayCall& call) { add_inverse_transposed(call, call.result_adjoint[0]); }

Shape log_determinant_spd_shape(Arguments arguments) {
  check_square("log_determinant_spd", "m", arguments[0].shape);
  return {};
}

void log_determinant_spd_forward(const ArrayCall& call) {
  const View factor = factor_spd(call, "log_determinant_spd");
  double total = 0;
  for (std::size_t i = 0; i < factor.rows; ++i) {
    total += std::log(factor.data[i * (factor.rows + 1)]);
  }
  call.result[0] = 2 * total;
}

void log_determinant_spd_backward(const ArrayCall& call) {
  const View inverse = square(call, 1);
  invert_cholesky(square(call, 0), inverse);
  dense::add_scaled(call.result_adjoint[0], inverse.data, adjoint(call, 0), inverse.size());
}

}  // namespace

void append_inverses_ops(std::vector<ArrayOp>& ops) {
  const std::vector<std::vector<Type>> one = {{kMatrix}};
  append(ops, "inverse", one, {inverse_shape, square_scratch, inverse_forward, inverse_backward});
  append(ops, "inverse_spd", one, {inverse_spd_shape, square_scratch, inverse_spd_forward, inverse_backward});
  append(ops, "chol2inv", one, {chol2inv_shape, square_scratch, chol2inv_forward, chol2inv_backward});
  append(ops, "determinant", one,
         {determinant_shape, square_scratch, determinant_forward, determinant_backward});
  append(ops, "log_determinant", one,
         {log_determinant_shape, square_scratch, log_determinant_forward, log_determinant_backward});
  append(
      ops, "log_determinant_spd", one,
      {log_determinant_spd_shape, square_scratch, log_determinant_spd_forward, log_determinant_spd_backward});
}

}  // namespace kullback::math
