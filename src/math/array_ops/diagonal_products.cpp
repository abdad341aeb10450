// Products with a diagonal matrix, held as the vector d of its diagonal.
//   diag_pre_multiply(d, A)  c_ij = d_i a_ij
//   diag_post_multiply(A, d) c_ij = a_ij d_j
//   quad_form_diag(A, d)     c_ij = d_i a_ij d_j
//   add_diag(A, d)           c_ii = a_ii + d_i, d a scalar or a vector
#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;

Shape pre_shape(Arguments arguments) {
  check_size_match("diag_pre_multiply", "size of m1", arguments[0].shape.size(), "rows of m2",
                   arguments[1].shape.rows);
  return arguments[1].shape;
}

void pre_forward(const ArrayCall& call) {
  const std::size_t n = rows(call, 1);
  for (std::size_t j = 0; j < cols(call, 1); ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      call.result[i + j * n] = data(call, 0)[i] * data(call, 1)[i + j * n];
    }
  }
}

void pre_backward(const ArrayCall& call) {
  const std::size_t n = rows(call, 1);
  for (std::size_t j = 0; j < cols(call, 1); ++j) {
    const double* c_bar = call.result_adjoint + j * n;
    for (std::size_t i = 0; varies(call, 0) && i < n; ++i) {
      adjoint(call, 0)[i] += c_bar[i] * data(call, 1)[i + j * n];
    }
    for (std::size_t i = 0; varies(call, 1) && i < n; ++i) {
      adjoint(call, 1)[i + j * n] += c_bar[i] * data(call, 0)[i];
    }
  }
}

Shape post_shape(Arguments arguments) {
  check_size_match("diag_post_multiply", "size of m2", arguments[1].shape.size(), "columns of m1",
                   arguments[0].shape.cols);
  return arguments[0].shape;
}

void post_forward(const ArrayCall& call) {
  const std::size_t n = rows(call, 0);
  for (std::size_t j = 0; j < cols(call, 0); ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      call.result[i + j * n] = data(call, 0)[i + j * n] * data(call, 1)[j];
    }
  }
}

void post_backward(const ArrayCall& call) {
  const std::size_t n = rows(call, 0);
  for (std::size_t j = 0; j < cols(call, 0); ++j) {
    const double* c_bar = call.result_adjoint + j * n;
    if (varies(call, 0)) {
      dense::add_scaled(data(call, 1)[j], c_bar, adjoint(call, 0) + j * n, n);
    }
    if (varies(call, 1)) {
      adjoint(call, 1)[j] += dense::dot(c_bar, data(call, 0) + j * n, n);
    }
  }
}

Shape form_shape(Arguments arguments) {
  check_square("quad_form_diag", "mat", arguments[0].shape);
  check_size_match("quad_form_diag", "rows of mat", arguments[0].shape.rows, "size of vec",
                   arguments[1].shape.size());
  return arguments[0].shape;
}

void form_forward(const ArrayCall& call) {
  const std::size_t n = rows(call, 0);
  const double* d = data(call, 1);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      call.result[i + j * n] = d[i] * data(call, 0)[i + j * n] * d[j];
    }
  }
}

void form_backward(const ArrayCall& call) {
  const std::size_t n = rows(call, 0);
  const double* d = data(call, 1);
  for (std::size_t j = 0; j < n; ++j) {
    const double* a = data(call, 0) + j * n;
    const double* c_bar = call.result_adjoint + j * n;
    for (std::size_t i = 0; varies(call, 0) && i < n; ++i) {
      adjoint(call, 0)[i + j * n] += d[i] * d[j] * c_bar[i];
    }
    for (std::size_t i = 0; varies(call, 1) && i < n; ++i) {
      adjoint(call, 1)[i] += c_bar[i] * a[i] * d[j];
      adjoint(call, 1)[j] += c_bar[i] * a[i] * d[i];
    }
  }
}

std::size_t diagonal_length(const Shape& shape) { return std::min(shape.rows, shape.cols); }

Shape add_vector_shape(Arguments arguments) {
  check_size_match("add_diag", "number of elements of to_add", arguments[1].shape.size(),
                   "length of the diagonal", diagonal_length(arguments[0].shape));
  return arguments[0].shape;
}

template <std::size_t kStep>  // 0: the same number all along the diagonal
void add_forward(const ArrayCall& call) {
  std::copy_n(data(call, 0), size(call, 0), call.result);
  for (std::size_t i = 0; i < diagonal_length(call.arguments[0].shape); ++i) {
    call.result[i * (rows(call, 0) + 1)] += data(call, 1)[i * kStep];
  }
}

template <std::size_t kStep>
void add_backward(const ArrayCall& call) {
  if (varies(call, 0)) {
    dense::add_scaled(1, call.result_adjoint, adjoint(call, 0), size(call, 0));
  }
  for (std::size_t i = 0; varies(call, 1) && i < diagonal_length(call.arguments[0].shape); ++i) {
    adjoint(call, 1)[i * kStep] += call.result_adjoint[i * (rows(call, 0) + 1)];
  }
}

}  // namespace

void append_diagonal_products_ops(std::vector<ArrayOp>& ops) {
  append(ops, "diag_pre_multiply", {{kVector, kMatrix}, {kRowVector, kMatrix}},
         {pre_shape, nullptr, pre_forward, pre_backward});
  append(ops, "diag_post_multiply", {{kMatrix, kVector}, {kMatrix, kRowVector}},
         {post_shape, nullptr, post_forward, post_backward});
  append(ops, "quad_form_diag", {{kMatrix, kVector}, {kMatrix, kRowVector}},
         {form_shape, nullptr, form_forward, form_backward});
  append(ops, "add_diag", {{kMatrix, kReal}}, {same_shape, nullptr, add_forward<0>, add_backward<0>});
  append(ops, "add_diag", {{kMatrix, kVector}, {kMatrix, kRowVector}},
         {add_vector_shape, nullptr, add_forward<1>, add_backward<1>});
}

}  // namespace kullback::math
