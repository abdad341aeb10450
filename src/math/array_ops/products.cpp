// Products of matrices and vectors.
//   C = A B:  A_ += C_ B',  B_ += A' C_
//   crossprod = A'A:  A_ += A (C_ + C_');  tcrossprod = A A':  A_ += (C_ + C_') A
//   multiply_lower_tri_self_transpose: tcrossprod of the lower triangle
//   trace(A), trace_dot(A, B) = tr(A B) = sum a_ij b_ji
// Giles (2008), Collected matrix derivative results for forward and reverse mode algorithmic differentiation.
#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;

Shape multiply_shape(Arguments arguments) {
  check_multiplicable("multiply", "m1", arguments[0].shape, "m2", arguments[1].shape);
  return {arguments[0].shape.rows, arguments[1].shape.cols, 1};
}

void multiply_forward(const ArrayCall& call) {
  dense::multiply(matrix(call, 0), matrix(call, 1), {call.result, rows(call, 0), cols(call, 1)});
}

void multiply_backward(const ArrayCall& call) {
  const dense::ConstView c_bar{call.result_adjoint, rows(call, 0), cols(call, 1), false};
  if (varies(call, 0)) {
    dense::add_product(c_bar, dense::t(matrix(call, 1)), matrix_adjoint(call, 0));
  }
  if (varies(call, 1)) {
    dense::add_product(dense::t(matrix(call, 0)), c_bar, matrix_adjoint(call, 1));
  }
}

void matrix_vector_forward(const ArrayCall& call) {
  dense::multiply(matrix(call, 0), data(call, 1), call.result);
}

void matrix_vector_backward(const ArrayCall& call) {
  if (varies(call, 0)) {
    dense::add_outer(call.result_adjoint, data(call, 1), matrix_adjoint(call, 0));
  }
  if (varies(call, 1)) {
    dense::add_transposed_product(matrix(call, 0), call.result_adjoint, adjoint(call, 1));
  }
}

Shape crossprod_shape(Arguments arguments) { return {arguments[0].shape.cols, arguments[0].shape.cols, 1}; }
Shape tcrossprod_shape(Arguments arguments) { return {arguments[0].shape.rows, arguments[0].shape.rows, 1}; }
std::size_t crossprod_scratch(Arguments arguments) { return crossprod_shape(arguments).size(); }
std::size_t tcrossprod_scratch(Arguments arguments) { return tcrossprod_shape(arguments).size(); }

// C_ + C_' in scratch.
dense::View symmetric_adjoint(const ArrayCall& call, std::size_t n) {
  const dense::View both{call.scratch, n, n};
  std::copy_n(call.result_adjoint, n * n, call.scratch);
  dense::add_own_transpose(both);
  return both;
}

void crossprod_forward(const ArrayCall& call) {
  const std::size_t n = cols(call, 0);
  dense::multiply(dense::t(matrix(call, 0)), matrix(call, 0), {call.result, n, n});
}

void crossprod_backward(const ArrayCall& call) {
  dense::add_product(matrix(call, 0), symmetric_adjoint(call, cols(call, 0)), matrix_adjoint(call, 0));
}

void tcrossprod_forward(const ArrayCall& call) {
  const std::size_t n = rows(call, 0);
  dense::multiply(matrix(call, 0), dense::t(matrix(call, 0)), {call.result, n, n});
}

void tcrossprod_backward(const ArrayCall& call) {
  dense::add_product(symmetric_adjoint(call, rows(call, 0)), matrix(call, 0), matrix_adjoint(call, 0));
}

// Scratch: C_ + C_', the lower triangle of L, and its adjoint.
std::size_t lower_scratch(Arguments arguments) {
  return tcrossprod_shape(arguments).size() + 2 * arguments[0].shape.size();
}

dense::View lower_part(const ArrayCall& call) {
  const std::size_t n = rows(call, 0);
  return {call.scratch + n * n, n, cols(call, 0)};
}

void lower_forward(const ArrayCall& call) {
  const std::size_t n = rows(call, 0);
  const dense::View lower = lower_part(call);
  dense::copy(matrix(call, 0), lower);
  dense::clear_upper(lower);
  dense::multiply(lower, dense::t(lower), {call.result, n, n});
}

void lower_backward(const ArrayCall& call) {
  const dense::View lower = lower_part(call);
  const dense::View lower_bar{lower.data + lower.size(), lower.rows, lower.cols};
  dense::multiply(symmetric_adjoint(call, lower.rows), lower, lower_bar);
  dense::clear_upper(lower_bar);
  dense::add(lower_bar, matrix_adjoint(call, 0));
}

Shape trace_shape(Arguments arguments) {
  check_square("trace", "m", arguments[0].shape);
  return {};
}

void trace_forward(const ArrayCall& call) {
  double total = 0;
  for (std::size_t i = 0; i < rows(call, 0); ++i) {
    total += data(call, 0)[i * (rows(call, 0) + 1)];
  }
  call.result[0] = total;
}

void trace_backward(const ArrayCall& call) {
  for (std::size_t i = 0; i < rows(call, 0); ++i) {
    adjoint(call, 0)[i * (rows(call, 0) + 1)] += call.result_adjoint[0];
  }
}

Shape trace_dot_shape(Arguments arguments) {
  check_multiplicable("trace_dot", "A", arguments[0].shape, "B", arguments[1].shape);
  check_multiplicable("trace_dot", "B", arguments[1].shape, "A", arguments[0].shape);
  return {};
}

void trace_dot_forward(const ArrayCall& call) {
  const std::size_t n = rows(call, 0);
  const std::size_t k = cols(call, 0);
  double total = 0;
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      total += data(call, 0)[i + j * n] * data(call, 1)[j + i * k];
    }
  }
  call.result[0] = total;
}

void trace_dot_backward(const ArrayCall& call) {
  for (const std::size_t j : {0U, 1U}) {
    if (varies(call, j)) {
      const std::size_t n = rows(call, j);
      const std::size_t k = cols(call, j);
      for (std::size_t c = 0; c < k; ++c) {
        for (std::size_t r = 0; r < n; ++r) {
          adjoint(call, j)[r + c * n] += call.result_adjoint[0] * data(call, 1 - j)[c + r * k];
        }
      }
    }
  }
}

}  // namespace

void append_products_ops(std::vector<ArrayOp>& ops) {
  append(ops, "multiply", {{kMatrix, kVector}},
         {multiply_shape, nullptr, matrix_vector_forward, matrix_vector_backward});
  append(ops, "multiply",
         {{kMatrix, kMatrix}, {kRowVector, kMatrix}, {kRowVector, kVector}, {kVector, kRowVector}},
         {multiply_shape, nullptr, multiply_forward, multiply_backward});
  append(ops, "crossprod", {{kMatrix}},
         {crossprod_shape, crossprod_scratch, crossprod_forward, crossprod_backward});
  append(ops, "tcrossprod", {{kMatrix}},
         {tcrossprod_shape, tcrossprod_scratch, tcrossprod_forward, tcrossprod_backward});
  append(ops, "multiply_lower_tri_self_transpose", {{kMatrix}},
         {tcrossprod_shape, lower_scratch, lower_forward, lower_backward});
  append(ops, "trace", {{kMatrix}}, {trace_shape, nullptr, trace_forward, trace_backward});
  append(ops, "trace_dot", {{kMatrix, kMatrix}},
         {trace_dot_shape, nullptr, trace_dot_forward, trace_dot_backward});
}

}  // namespace kullback::math
