// Quadratic forms.
//   quad_form(A, B) C = B'A B:        A_ += B C_ B',  B_ += A B C_' + A' B C_
//   quad_form_sym: A symmetric, C made symmetric, so C_ becomes (C_ + C_') / 2
//   trace_quad_form(A, B) = tr(B'A B):  C_ = c_ I
//   trace_gen_quad_form(D, A, B) = tr(D B'A B):  D_ += c_ (B'A B)',  A_ += c_ B D' B',  B_ += c_ (A B D + A'
//   B D')
// Giles (2008). Scratch keeps A B, then has room for B C_ and A' B.
#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;
using dense::ConstView;
using dense::View;

std::size_t size_of_b(Arguments arguments) { return arguments.back().shape.size(); }

// Three of B's size and one of C's.
std::size_t form_scratch(Arguments arguments) {
  const std::size_t k = arguments[1].shape.cols;
  return 3 * size_of_b(arguments) + k * k;
}

template <bool kSymmetric>
Shape form_shape(Arguments arguments) {
  const std::string_view function = kSymmetric ? "quad_form_sym" : "quad_form";
  check_square(function, "A", arguments[0].shape);
  check_multiplicable(function, "A", arguments[0].shape, "B", arguments[1].shape);
  return {arguments[1].shape.cols, arguments[1].shape.cols, 1};
}

template <bool kSymmetric>
void form_forward(const ArrayCall& call) {
  if constexpr (kSymmetric) {
    check_matrix_symmetric("quad_form_sym", "A", matrix(call, 0));
  }
  const ConstView b = matrix(call, 1);
  const View ab{call.scratch, b.rows, b.cols};
  const View c{call.result, b.cols, b.cols};
  dense::multiply(matrix(call, 0), b, ab);
  dense::multiply(dense::t(b), ab, c);
  if constexpr (kSymmetric) {
    dense::add_own_transpose(c);
    std::for_each(c.data, c.data + c.size(), [](double& x) { x *= 0.5; });
  }
}

template <bool kSymmetric>
void form_backward(const ArrayCall& call) {
  const ConstView a = matrix(call, 0);
  const ConstView b = matrix(call, 1);
  const View ab{call.scratch, b.rows, b.cols};
  const View work{ab.data + ab.size(), b.rows, b.cols};
  const View c_bar{work.data + 2 * work.size(), b.cols, b.cols};
  std::copy_n(call.result_adjoint, c_bar.size(), c_bar.data);
  if constexpr (kSymmetric) {
    dense::add_own_transpose(c_bar);
    std::for_each(c_bar.data, c_bar.data + c_bar.size(), [](double& x) { x *= 0.5; });
  }
  if (varies(call, 0)) {
    dense::multiply(b, c_bar, work);
    dense::add_product(work, dense::t(b), matrix_adjoint(call, 0));
  }
  if (varies(call, 1)) {
    dense::add_product(ab, dense::t(c_bar), matrix_adjoint(call, 1));
    dense::multiply(dense::t(a), b, work);
    dense::add_product(work, c_bar, matrix_adjoint(call, 1));
  }
}

std::size_t trace_scratch(Arguments arguments) { return size_of_b(arguments); }

Shape trace_shape(Arguments arguments) {
  check_square("trace_quad_form", "A", arguments[0].shape);
  check_multiplicable("trace_quad_form", "A", arguments[0].shape, "B", arguments[1].shape);
  return {};
}

void trace_forward(const ArrayCall& call) {
  const ConstView b = matrix(call, 1);
  const View ab{call.scratch, b.rows, b.cols};
  dense::multiply(matrix(call, 0), b, ab);
  call.result[0] = dense::dot(b.data, ab.data, ab.size());
}

void trace_backward(const ArrayCall& call) {
  const ConstView b = matrix(call, 1);
  const View ab{call.scratch, b.rows, b.cols};
  const double c_bar = call.result_adjoint[0];
  if (varies(call, 0)) {
    dense::add_product(b, dense::t(b), matrix_adjoint(call, 0), c_bar);
  }
  if (varies(call, 1)) {
    dense::add_product(dense::t(matrix(call, 0)), b, ab);  // (A + A') B
    dense::add_scaled(c_bar, ab.data, adjoint(call, 1), ab.size());
  }
}

Shape general_shape(Arguments arguments) {
  check_square("trace_gen_quad_form", "A", arguments[1].shape);
  check_square("trace_gen_quad_form", "D", arguments[0].shape);
  check_multiplicable("trace_gen_quad_form", "A", arguments[1].shape, "B", arguments[2].shape);
  check_multiplicable("trace_gen_quad_form", "B", arguments[2].shape, "D", arguments[0].shape);
  return {};
}

std::size_t general_scratch(Arguments arguments) { return 3 * size_of_b(arguments); }

// Scratch: A B, B D'.
void general_forward(const ArrayCall& call) {
  const ConstView b = matrix(call, 2);
  const View ab{call.scratch, b.rows, b.cols};
  const View bd{ab.data + ab.size(), b.rows, b.cols};
  dense::multiply(matrix(call, 1), b, ab);
  dense::multiply(b, dense::t(matrix(call, 0)), bd);
  call.result[0] = dense::dot(ab.data, bd.data, ab.size());
}

void general_backward(const ArrayCall& call) {
  const ConstView d = matrix(call, 0);
  const ConstView a = matrix(call, 1);
  const ConstView b = matrix(call, 2);
  const View ab{call.scratch, b.rows, b.cols};
  const View bd{ab.data + ab.size(), b.rows, b.cols};
  const View work{bd.data + bd.size(), b.rows, b.cols};
  const double c_bar = call.result_adjoint[0];
  if (varies(call, 0)) {
    dense::add_product(dense::t(ab), b, matrix_adjoint(call, 0), c_bar);
  }
  if (varies(call, 1)) {
    dense::add_product(bd, dense::t(b), matrix_adjoint(call, 1), c_bar);
  }
  if (varies(call, 2)) {
    dense::multiply(ab, d, work);
    dense::add_product(dense::t(a), bd, work);
    dense::add_scaled(c_bar, work.data, adjoint(call, 2), work.size());
  }
}

}  // namespace

void append_quadratic_forms_ops(std::vector<ArrayOp>& ops) {
  const std::vector<std::vector<Type>> overloads = {{kMatrix, kVector}, {kMatrix, kMatrix}};
  append(ops, "quad_form", overloads,
         {form_shape<false>, form_scratch, form_forward<false>, form_backward<false>});
  append(ops, "quad_form_sym", overloads,
         {form_shape<true>, form_scratch, form_forward<true>, form_backward<true>});
  append(ops, "trace_quad_form", overloads, {trace_shape, trace_scratch, trace_forward, trace_backward});
  append(ops, "trace_gen_quad_form", {{kMatrix, kMatrix, kMatrix}},
         {general_shape, general_scratch, general_forward, general_backward});
}

}  // namespace kullback::math
