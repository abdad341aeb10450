// The thin singular value decomposition A = U diag(s) V', s descending, k = min(m, n) columns in U and V.
//   singular_values: A_ += U diag(s_) V'
//   svd_U: A_ += U (F+ .* (U'U_ - U_'U)) V' / 2 + (I - U U') U_ S^-1 V'
//   svd_V: A_ += U (F- .* (V'V_ - V_'V)) V' / 2 + U S^-1 V_' (I - V V')
// with F+-_ij = 1 / (s_j - s_i) +- 1 / (s_j + s_i), 0 on the diagonal and where singular values are equal.
// Townsend (2016), Differentiating the singular value decomposition. Signs are those of Eigen's JacobiSVD, as
// in Stan.
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

enum class Part { values, left, right };

std::size_t thin(const Shape& shape) { return std::min(shape.rows, shape.cols); }

// Scratch: U, V, s.
struct Decomposition {
  Eigen::Index m;
  Eigen::Index n;
  Eigen::Index k;
  double* u;
  double* v;
  double* s;
};

Decomposition decomposition(const ArrayCall& call) {
  const std::size_t k = thin(call.arguments[0].shape);
  double* v = call.scratch + rows(call, 0) * k;
  return {static_cast<Eigen::Index>(rows(call, 0)),
          static_cast<Eigen::Index>(cols(call, 0)),
          static_cast<Eigen::Index>(k),
          call.scratch,
          v,
          v + cols(call, 0) * k};
}

template <Part part>
Shape shape(Arguments arguments) {
  const Shape& a = arguments[0].shape;
  const std::size_t k = thin(a);
  if constexpr (part == Part::values) {
    return {k, 1, 1};
  } else if (k == 0) {
    return {0, 0, 1};
  } else {
    return {part == Part::left ? a.rows : a.cols, k, 1};
  }
}

std::size_t scratch(Arguments arguments) {
  const Shape& a = arguments[0].shape;
  return (a.rows + a.cols + 1) * thin(a);
}

template <Part part>
void forward(const ArrayCall& call) {
  const auto [m, n, k, u, v, s] = decomposition(call);
  if (k == 0) {
    return;
  }
  check_finite(part == Part::values ? "singular_values"
               : part == Part::left ? "svd_U"
                                    : "svd_V",
               "m", values(call, 0));
  linear::svd(ConstMap(data(call, 0), m, n), Map(u, m, k), VectorMap(s, k), Map(v, n, k));
  const double* from = part == Part::values ? s : part == Part::left ? u : v;
  std::copy_n(from, shape<part>(call.arguments).size(), call.result);
}

void values_backward(const ArrayCall& call) {
  const auto [m, n, k, u, v, s] = decomposition(call);
  const Eigen::MatrixXd weighted = ConstMap(u, m, k) * ConstVectorMap(call.result_adjoint, k).asDiagonal();
  Map(adjoint(call, 0), m, n).noalias() += weighted * ConstMap(v, n, k).transpose();
}

template <Part part>
void vectors_backward(const ArrayCall& call) {
  const auto [m, n, k, u_data, v_data, s] = decomposition(call);
  const ConstMap u(u_data, m, k);
  const ConstMap v(v_data, n, k);
  const bool left = part == Part::left;
  const ConstMap& own = left ? u : v;
  const ConstMap bar(call.result_adjoint, own.rows(), k);
  const Eigen::MatrixXd inner = own.transpose() * bar;
  Eigen::MatrixXd middle(k, k);
  for (Eigen::Index j = 0; j < k; ++j) {
    for (Eigen::Index i = 0; i < k; ++i) {
      const double sum = 1 / (s[j] + s[i]);
      const double f = s[i] == s[j] ? 0 : 1 / (s[j] - s[i]) + (left ? sum : -sum);
      middle(i, j) = 0.5 * f * (inner(i, j) - inner(j, i));
    }
  }
  Map a_bar(adjoint(call, 0), m, n);
  // What the vectors move out of their own span; nothing where they fill the space.
  const Eigen::MatrixXd outside = (bar - own * inner) * ConstVectorMap(s, k).cwiseInverse().asDiagonal();
  a_bar.noalias() += (u * middle).eval() * v.transpose();
  if (own.rows() > k) {
    if (left) {
      a_bar.noalias() += outside * v.transpose();
    } else {
      a_bar.noalias() += u * outside.transpose();
    }
  }
}

}  // namespace

void append_svd_ops(std::vector<ArrayOp>& ops) {
  append(ops, "singular_values", {{kMatrix}},
         {shape<Part::values>, scratch, forward<Part::values>, values_backward});
  append(ops, "svd_U", {{kMatrix}},
         {shape<Part::left>, scratch, forward<Part::left>, vectors_backward<Part::left>});
  append(ops, "svd_V", {{kMatrix}},
         {shape<Part::right>, scratch, forward<Part::right>, vectors_backward<Part::right>});
}

}  // namespace kullback::math
