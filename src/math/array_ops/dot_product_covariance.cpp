// gp_dot_prod_cov: k(x, y) = a^2 + x'y, for one set of points or two.
//   a_ += 2 a sum K_,  x_i_ += sum_j K_ij_ y_j,  y_j_ += sum_i K_ij_ x_i
// With points as columns of X (d x n) this is K = a^2 + X'Y: X_ += Y K_',  Y_ += X K_.
#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;
using dense::ConstView;
using dense::View;

constexpr std::string_view kName = "gp_dot_prod_cov";

// With one set of points the second is the first.
std::size_t second_of(Arguments arguments) { return arguments.size() - 2; }

ConstView points(const ArrayCall& call, std::size_t j) {
  const Shape& shape = call.arguments[j].shape;
  return {data(call, j), shape.rows * shape.cols, shape.count, false};
}

View points_adjoint(const ArrayCall& call, std::size_t j) {
  const ConstView view = points(call, j);
  return {adjoint(call, j), view.rows, view.cols};
}

Shape shape(Arguments arguments) {
  const std::size_t second = second_of(arguments);
  const Shape result{arguments[0].shape.count, arguments[second].shape.count, 1};
  if (result.size() != 0) {
    check_size_match(kName, "x1's row", arguments[0].shape.rows, "x2's row", arguments[second].shape.rows);
  }
  return result;
}

void forward(const ArrayCall& call) {
  const std::size_t second = second_of(call.arguments);
  check_nonnegative(kName, "sigma", values(call, second + 1));
  check_finite(kName, "sigma", values(call, second + 1));
  check_finite(kName, second == 0 ? "x" : "x1", values(call, 0));
  if (second == 1) {
    check_finite(kName, "x2", values(call, 1));
  }
  const double a = data(call, second + 1)[0];
  const View k{call.result, call.arguments[0].shape.count, call.arguments[second].shape.count};
  std::fill_n(k.data, k.size(), a * a);
  dense::add_product(dense::t(points(call, 0)), points(call, second), k);
}

void backward(const ArrayCall& call) {
  const std::size_t second = second_of(call.arguments);
  const ConstView k_bar{call.result_adjoint, call.arguments[0].shape.count,
                        call.arguments[second].shape.count, false};
  if (varies(call, second + 1)) {
    adjoint(call, second + 1)[0] +=
        2 * data(call, second + 1)[0] * dense::sum(k_bar.data, k_bar.rows * k_bar.cols);
  }
  if (varies(call, 0)) {
    dense::add_product(points(call, second), dense::t(k_bar), points_adjoint(call, 0));
  }
  if (varies(call, second)) {
    dense::add_product(points(call, 0), k_bar, points_adjoint(call, second));
  }
}

}  // namespace

void append_dot_product_covariance_ops(std::vector<ArrayOp>& ops) {
  const Type reals = array_of(kReal);
  const Type vectors = array_of(kVector);
  append(ops, kName, {{reals, kReal}, {reals, reals, kReal}, {vectors, kReal}, {vectors, vectors, kReal}},
         {shape, nullptr, forward, backward});
}

}  // namespace kullback::math
