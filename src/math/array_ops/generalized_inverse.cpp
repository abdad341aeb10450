// generalized_inverse(A) = A+, the Moore-Penrose inverse, by a complete orthogonal decomposition. Where the
// rank does not change nearby (Golub & Pereyra 1973), with P = A+:
//   A_ += -P' P_ P' + (I - A P) P_' P P' + P' P P_' (I - P A)
#include <Eigen/Core>

#include "math/array_ops/array_support.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::math {
namespace {

using namespace array_support;
using Map = Eigen::Map<Eigen::MatrixXd>;
using ConstMap = Eigen::Map<const Eigen::MatrixXd>;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

Shape shape(Arguments arguments) { return {arguments[0].shape.cols, arguments[0].shape.rows, 1}; }

void forward(const ArrayCall& call) {
  if (size(call, 0) == 0) {
    return;
  }
  const Eigen::Index m = index(rows(call, 0));
  const Eigen::Index n = index(cols(call, 0));
  linear::pseudo_inverse(ConstMap(data(call, 0), m, n), Map(call.result, n, m));
}

void backward(const ArrayCall& call) {
  const Eigen::Index m = index(rows(call, 0));
  const Eigen::Index n = index(cols(call, 0));
  const ConstMap a(data(call, 0), m, n);
  const ConstMap p(call.result, n, m);
  const ConstMap p_bar(call.result_adjoint, n, m);
  Map a_bar(adjoint(call, 0), m, n);
  const Eigen::MatrixXd left = p_bar.transpose() * p;    // m x m
  const Eigen::MatrixXd right = p * p_bar.transpose();   // n x n
  const Eigen::MatrixXd first = left * p.transpose();    // P_' P P', m x n
  const Eigen::MatrixXd second = p.transpose() * right;  // P' P P_', m x n
  a_bar.noalias() -= left.transpose() * p.transpose();   // P' P_ P'
  a_bar += first + second;
  a_bar.noalias() -= a * (p * first).eval();
  a_bar.noalias() -= (second * p).eval() * a;
}

}  // namespace

void append_generalized_inverse_ops(std::vector<ArrayOp>& ops) {
  append(ops, "generalized_inverse", {{kMatrix}}, {shape, nullptr, forward, backward});
}

}  // namespace kullback::math
