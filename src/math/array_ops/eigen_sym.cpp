// Eigenvalues and eigenvectors of a symmetric matrix, A = V diag(w) V', w ascending.
//   eigenvalues_sym:   A_ += V diag(w_) V'
//   eigenvectors_sym:  A_ += V (F .* K) V' with K = (V'V_ - V_'V) / 2, F_ij = 1 / (w_j - w_i), 0 on the
//   diagonal
// Giles (2008), with only the antisymmetric part K of V'V_, which is all that symmetric perturbations see: of
// close eigenvalues the two halves are large and cancel, and taken apart they would drown the rest in
// rounding. Equal eigenvalues have no derivatives of their own vectors; F = 0 there. Signs of vectors are
// Eigen's, as in Stan.
#include <Eigen/Core>

#include "math/array_ops/array_support.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::math {
namespace {

using namespace array_support;
using Map = Eigen::Map<Eigen::MatrixXd>;
using ConstMap = Eigen::Map<const Eigen::MatrixXd>;
using VectorMap = Eigen::Map<Eigen::VectorXd>;
using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

// Values and vectors.
void decompose(const ArrayCall& call, std::string_view function, double* w, double* v) {
  const std::size_t n = rows(call, 0);
  check_matrix_symmetric(function, "m", matrix(call, 0));
  if (n == 0) {
    return;
  }
  linear::symmetric_eigen(ConstMap(data(call, 0), index(n), index(n)), VectorMap(w, index(n)),
                          Map(v, index(n), index(n)));
}

Shape values_shape(Arguments arguments) {
  check_square("eigenvalues_sym", "m", arguments[0].shape);
  return {arguments[0].shape.rows, 1, 1};
}

std::size_t values_scratch(Arguments arguments) { return arguments[0].shape.size(); }

void values_forward(const ArrayCall& call) { decompose(call, "eigenvalues_sym", call.result, call.scratch); }

void values_backward(const ArrayCall& call) {
  const Eigen::Index n = index(rows(call, 0));
  const ConstMap v(call.scratch, n, n);
  const Eigen::MatrixXd weighted = v * ConstVectorMap(call.result_adjoint, n).asDiagonal();
  Map(adjoint(call, 0), n, n).noalias() += weighted * v.transpose();
}

Shape vectors_shape(Arguments arguments) {
  check_square("eigenvectors_sym", "m", arguments[0].shape);
  return arguments[0].shape;
}

std::size_t vectors_scratch(Arguments arguments) { return arguments[0].shape.rows; }

void vectors_forward(const ArrayCall& call) {
  decompose(call, "eigenvectors_sym", call.scratch, call.result);
}

void vectors_backward(const ArrayCall& call) {
  const Eigen::Index n = index(rows(call, 0));
  const double* w = call.scratch;
  const ConstMap v(call.result, n, n);
  const Eigen::MatrixXd product = v.transpose() * ConstMap(call.result_adjoint, n, n);
  Eigen::MatrixXd inner = 0.5 * (product - product.transpose());
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i < n; ++i) {
      inner(i, j) *= w[i] == w[j] ? 0 : 1 / (w[j] - w[i]);
    }
  }
  Map(adjoint(call, 0), n, n).noalias() += (v * inner).eval() * v.transpose();
}

}  // namespace

void append_eigen_sym_ops(std::vector<ArrayOp>& ops) {
  append(ops, "eigenvalues_sym", {{kMatrix}},
         {values_shape, values_scratch, values_forward, values_backward});
  append(ops, "eigenvectors_sym", {{kMatrix}},
         {vectors_shape, vectors_scratch, vectors_forward, vectors_backward});
}

}  // namespace kullback::math
