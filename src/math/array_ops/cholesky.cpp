// cholesky_decompose(A) = L, lower triangular with a positive diagonal, L L' = A. Only the lower triangle of
// A is read (once A is known to be symmetric), and only it gets an adjoint, as in Stan. Adjoint: see
// dense_factor.cpp.
#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;

Shape cholesky_shape(Arguments arguments) {
  check_square("cholesky_decompose", "A", arguments[0].shape);
  return arguments[0].shape;
}

std::size_t cholesky_scratch(Arguments arguments) {
  return arguments[0].varies ? arguments[0].shape.size() : 0;
}

void cholesky_forward(const ArrayCall& call) {
  const dense::ConstView a = matrix(call, 0);
  const dense::View factor{call.result, a.rows, a.cols};
  check_matrix_symmetric("cholesky_decompose", "A", a);
  check_not_nan("cholesky_decompose", "A", values(call, 0));
  dense::copy(a, factor);
  if (!dense::factor_cholesky(factor)) {
    throw_not_positive_definite("cholesky_decompose", "A");
  }
  dense::clear_upper(factor);
}

void cholesky_backward(const ArrayCall& call) {
  const std::size_t n = rows(call, 0);
  const dense::View work{call.scratch, n, n};
  std::copy_n(call.result_adjoint, n * n, work.data);
  dense::cholesky_adjoint({call.result, n, n, false}, work);
  for (std::size_t j = 0; j < n; ++j) {
    dense::add_scaled(1, work.data + j * (n + 1), adjoint(call, 0) + j * (n + 1), n - j);
  }
}

}  // namespace

void append_cholesky_ops(std::vector<ArrayOp>& ops) {
  append(ops, "cholesky_decompose", {{kMatrix}},
         {cholesky_shape, cholesky_scratch, cholesky_forward, cholesky_backward});
}

}  // namespace kullback::math
