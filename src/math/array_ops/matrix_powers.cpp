// Powers and exponentials of square matrices.
//   matrix_power(A, n) by squaring, result R = prod of A^(2^k) over the bits of n; the adjoint runs the same
//   steps
//     backwards: R' = R S gives R_ = R'_ S', S_ += R' R'_; T = S S gives S_ += T_ S' + S' T_.
//   matrix_exp(A) = E by scaling and squaring with a Pade approximant (Higham 2005). Its adjoint is the
//   Frechet derivative
//     of the exponential at A' in the direction E_: the upper right block of exp [A' E_; 0 A'] (Najfeld &
//     Havel 1995).
//   matrix_exp_multiply(A, B) = exp(A) B, scale_matrix_exp_multiply(t, A, B) = exp(t A) B:
//     E_ = C_ B',  B_ += E' C_,  t_ += sum E_ .* (A E)
#include <Eigen/Core>
#include <cmath>

#include "math/array_ops/array_support.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::math {
namespace {

using namespace array_support;
using dense::ConstView;
using dense::View;
using Map = Eigen::Map<Eigen::MatrixXd>;
using ConstMap = Eigen::Map<const Eigen::MatrixXd>;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

Shape power_shape(Arguments arguments) {
  check_square("matrix_power", "M", arguments[0].shape);
  return arguments[0].shape;
}

std::size_t bits(double n) { return n < 1 ? 0 : static_cast<std::size_t>(std::ilogb(n)) + 1; }
bool has_bit(double n, std::size_t k) { return (static_cast<unsigned>(n) >> k & 1U) != 0; }

// For each bit: the square and the product so far; then room for three adjoints and one product.
std::size_t power_scratch(Arguments arguments) {
  return (2 * bits(arguments[1].data[0]) + 4) * arguments[0].shape.size();
}

struct PowerSteps {
  std::size_t n;
  double* scratch;

  View square(std::size_t k) const { return at(2 * k); }
  View before(std::size_t k) const { return at(2 * k + 1); }
  View at(std::size_t i) const { return {scratch + i * n * n, n, n}; }
};

void power_forward(const ArrayCall& call) {
  check_nonnegative("matrix_power", "n", values(call, 1));
  check_finite("matrix_power", "M", values(call, 0));
  const double power = data(call, 1)[0];
  const std::size_t n = rows(call, 0);
  const PowerSteps steps{n, call.scratch};
  const View result{call.result, n, n};
  dense::set_identity(result);
  for (std::size_t k = 0; k < bits(power); ++k) {
    if (k == 0) {
      dense::copy(matrix(call, 0), steps.square(0));
    } else {
      dense::multiply(steps.square(k - 1), steps.square(k - 1), steps.square(k));
    }
    dense::copy(result, steps.before(k));
    if (has_bit(power, k)) {
      dense::multiply(steps.before(k), steps.square(k), result);
    }
  }
}

void power_backward(const ArrayCall& call) {
  const double power = data(call, 1)[0];
  const std::size_t n = rows(call, 0);
  const std::size_t count = bits(power);
  const PowerSteps steps{n, call.scratch};
  const View product_bar = steps.at(2 * count);
  const View square_bar = steps.at(2 * count + 1);
  const View next_square_bar = steps.at(2 * count + 2);
  const View work = steps.at(2 * count + 3);
  std::copy_n(call.result_adjoint, n * n, product_bar.data);
  std::fill_n(next_square_bar.data, n * n, 0.0);
  for (std::size_t k = count; k-- > 0;) {
    const ConstView transposed = dense::t(steps.square(k));
    dense::multiply(next_square_bar, transposed, square_bar);
    dense::add_product(transposed, next_square_bar, square_bar);
    if (has_bit(power, k)) {
      dense::add_product(dense::t(steps.before(k)), product_bar, square_bar);
      dense::multiply(product_bar, transposed, work);
      dense::copy(work, product_bar);
    }
    dense::copy(square_bar, next_square_bar);
  }
  if (count > 0) {
    dense::add(square_bar, matrix_adjoint(call, 0));
  }
}

void exponential(const ConstView& a, double scale, const View& e) {
  if (a.rows == 0) {
    return;
  }
  const Eigen::MatrixXd scaled = scale * ConstMap(a.data, index(a.rows), index(a.cols));
  linear::matrix_exponential(scaled, Map(e.data, index(e.rows), index(e.cols)));
}

// a_ += scale * (the adjoint of exp at scale * a, given e_).
void add_exponential_adjoint(const ConstView& a, double scale, const ConstView& e_bar, const View& a_bar) {
  const Eigen::Index n = index(a.rows);
  const ConstMap direction(e_bar.data, n, n);
  const double norm = n == 0 ? 0 : direction.cwiseAbs().maxCoeff();
  if (norm == 0) {
    return;
  }
  Eigen::MatrixXd block = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  block.topLeftCorner(n, n) = scale * ConstMap(a.data, n, n).transpose();
  block.bottomRightCorner(n, n) = block.topLeftCorner(n, n);
  // A derivative is linear: a direction as long as the matrix needs no more squarings than the matrix does.
  const double length = std::max(block.topLeftCorner(n, n).cwiseAbs().maxCoeff(), 1e-3);
  block.topRightCorner(n, n) = (length / norm) * direction;
  Eigen::MatrixXd exponential_of_block(2 * n, 2 * n);
  linear::matrix_exponential(block, exponential_of_block);
  Map(a_bar.data, n, n) += (scale * norm / length) * exponential_of_block.topRightCorner(n, n);
}

Shape exp_shape(Arguments arguments) {
  check_square("matrix_exp", "input matrix", arguments[0].shape);
  return arguments[0].shape;
}

void exp_forward(const ArrayCall& call) {
  exponential(matrix(call, 0), 1, {call.result, rows(call, 0), rows(call, 0)});
}

void exp_backward(const ArrayCall& call) {
  const std::size_t n = rows(call, 0);
  add_exponential_adjoint(matrix(call, 0), 1, {call.result_adjoint, n, n, false}, matrix_adjoint(call, 0));
}

// exp(t A) B with the arguments (t, A, B) or, where kScaled is false, (A, B).
template <bool kScaled>
struct Action {
  static constexpr std::size_t kA = kScaled ? 1 : 0;
  static constexpr std::size_t kB = kA + 1;
  static constexpr std::string_view kName = kScaled ? "scale_matrix_exp_multiply" : "matrix_exp_multiply";

  static double scale(const ArrayCall& call) { return kScaled ? data(call, 0)[0] : 1; }

  static Shape shape(Arguments arguments) {
    check_square(kName, "input matrix", arguments[kA].shape);
    check_multiplicable(kName, "A", arguments[kA].shape, "B", arguments[kB].shape);
    return {arguments[kA].shape.rows, arguments[kB].shape.cols, 1};
  }

  static std::size_t scratch(Arguments arguments) { return 3 * arguments[kA].shape.size(); }

  static void forward(const ArrayCall& call) {
    const std::size_t n = rows(call, kA);
    const View e{call.scratch, n, n};
    exponential(matrix(call, kA), scale(call), e);
    dense::multiply(e, matrix(call, kB), {call.result, n, cols(call, kB)});
  }

  static void backward(const ArrayCall& call) {
    const std::size_t n = rows(call, kA);
    const View e{call.scratch, n, n};
    const View e_bar{e.data + e.size(), n, n};
    const View work{e_bar.data + e.size(), n, n};
    const ConstView c_bar{call.result_adjoint, n, cols(call, kB), false};
    dense::multiply(c_bar, dense::t(matrix(call, kB)), e_bar);
    if (varies(call, kB)) {
      dense::add_product(dense::t(e), c_bar, matrix_adjoint(call, kB));
    }
    if (varies(call, kA)) {
      add_exponential_adjoint(matrix(call, kA), scale(call), e_bar, matrix_adjoint(call, kA));
    }
    if (kScaled && varies(call, 0)) {
      dense::multiply(matrix(call, kA), e, work);
      adjoint(call, 0)[0] += dense::dot(e_bar.data, work.data, work.size());
    }
  }

  static constexpr Kernels kKernels = {shape, scratch, forward, backward};
};

}  // namespace

void append_matrix_powers_ops(std::vector<ArrayOp>& ops) {
  append(ops, "matrix_power", {{kMatrix, kInt}}, {power_shape, power_scratch, power_forward, power_backward});
  append(ops, "matrix_exp", {{kMatrix}}, {exp_shape, nullptr, exp_forward, exp_backward});
  append(ops, "matrix_exp_multiply", {{kMatrix, kMatrix}}, Action<false>::kKernels);
  append(ops, "scale_matrix_exp_multiply", {{kReal, kMatrix, kMatrix}}, Action<true>::kKernels);
}

}  // namespace kullback::math
