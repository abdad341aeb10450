// Wishart and inverse Wishart, of K x K covariance matrices and of their Cholesky factors.
//   wishart(W | nu, S)     = -nu K/2 log 2 - lmgamma_K(nu/2) - nu/2 log|S| + (nu - K - 1)/2 log|W| - tr(S^-1
//   W)/2
//     by W: ((nu - K - 1) W^-1 - S^-1)/2, by S: (S^-1 W S^-1 - nu S^-1)/2,
//     by nu: (-K log 2 - psi_K(nu/2) - log|S| + log|W|)/2, psi_K the derivative of lmgamma_K
//   inv_wishart(W | nu, S) = -nu K/2 log 2 - lmgamma_K(nu/2) + nu/2 log|S| - (nu + K + 1)/2 log|W| - tr(W^-1
//   S)/2
//     by W: (W^-1 S W^-1 - (nu + K + 1) W^-1)/2, by S: (nu S^-1 - W^-1)/2
// With W = Y Y', S = L L' (lower triangular) and the Jacobian 2^K prod_k Y_kk^(K - k + 1):
//   wishart_cholesky(Y | nu, L)     = K log 2 (1 - nu/2) - lmgamma_K(nu/2) - |A|^2/2 + sum_k (nu - k) log
//   Y_kk
//                                     - nu sum_k log L_kk,                     A = L^-1 Y, k = 1..K
//     by Y: tril(-L^-T A) + diag((nu - k)/Y_kk), by L: tril(L^-T A A') - diag(nu / L_kk)
//   inv_wishart_cholesky(Y | nu, L) = K log 2 (1 - nu/2) - lmgamma_K(nu/2) - |B|^2/2 - sum_k (nu + k) log
//   Y_kk
//                                     + nu sum_k log L_kk,                     B = Y^-1 L
//     by L: tril(-Y^-T B) + diag(nu / L_kk), by Y: tril(Y^-T B B') - diag((nu + k)/Y_kk)
// Entries of symmetric matrices are taken as independent, as in Stan.
#include "math/array_ops/density_linear.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace density {
namespace {

constexpr unsigned kY = 1U;
constexpr unsigned kNu = 2U;
constexpr unsigned kS = 4U;

template <bool inverse>
struct Wishart {
  static constexpr std::string_view function = inverse ? "inv_wishart_lpdf" : "wishart_lpdf";

  static void check_shapes(Arguments arguments) {
    check_size_match(function, "Rows of random variable", arguments[0].shape.rows,
                     "columns of scale parameter", arguments[2].shape.rows);
    check_square(function, "random variable", arguments[0].shape);
    check_square(function, "scale parameter", arguments[2].shape);
  }

  static std::size_t work_size(Arguments arguments) {
    return 5 * arguments[0].shape.rows * arguments[0].shape.rows;
  }

  static double log_density(const Frame& frame) {
    const std::size_t size = frame.arguments[0].shape.rows;
    const double k = static_cast<double>(size);
    const double nu = *frame.data(1);
    check_greater(function, "Degrees of freedom parameter", nu, k - 1);
    check_symmetric(function, "random variable", matrix_of(frame, 0));
    check_symmetric(function, "scale parameter", matrix_of(frame, 2));
    Work work(frame.work);
    const View lower_w = work.matrix(size, size);
    const View lower_s = work.matrix(size, size);
    const View inverse_w = work.matrix(size, size);
    const View inverse_s = work.matrix(size, size);
    const View product = work.matrix(size, size);
    factor(function, "LDLT_Factor of random variable", view(frame, 0), lower_w);
    factor(function, "LDLT_Factor of scale parameter", view(frame, 2), lower_s);
    const double log_w = 2 * log_diagonal(lower_w);
    const double log_s = 2 * log_diagonal(lower_s);
    const Terms& terms = frame.terms;
    double value = 0;
    if (terms.keep(kNu)) value -= log_multivariate_gamma(static_cast<int>(size), 0.5 * nu);
    // Stan keeps this with nu in one and with nu or the scale in the other.
    if (terms.keep(inverse ? kNu | kS : kNu)) value -= 0.5 * nu * k * kLogTwo;
    const double sign = inverse ? 1 : -1;
    if (terms.keep(kNu | kS)) value += 0.5 * sign * nu * log_s;
    const double power = inverse ? -(nu + k + 1) : nu - k - 1;
    if (terms.keep(inverse ? kY | kNu | kS : kY | kNu)) value += 0.5 * power * log_w;
    if (frame.wants(1)) {
      *frame.partials[1] += 0.5 * (sign * (log_s - log_w) - k * kLogTwo -
                                   multivariate_digamma(static_cast<int>(size), 0.5 * nu));
    }
    if (!terms.keep(kY | kS)) return value;
    // tr(D^-1 N), D the matrix that is inverted.
    const ConstView numerator = view(frame, inverse ? 2 : 0);
    if (frame.wants(0) || frame.wants(2)) {
      inverse_from_factor(lower_w, inverse_w);
      inverse_from_factor(lower_s, inverse_s);
      const View& root = inverse ? inverse_w : inverse_s;
      value -= 0.5 * inner_product(root, numerator);
      if (frame.wants(0)) add_scaled(0.5 * power, inverse_w, partial_view(frame, 0));
      if (frame.wants(2)) add_scaled(0.5 * sign * nu, inverse_s, partial_view(frame, 2));
      if (frame.wants(inverse ? 2 : 0)) add_scaled(-0.5, root, partial_view(frame, inverse ? 2 : 0));
      if (frame.wants(inverse ? 0 : 2)) {
        dense::multiply(root, numerator, product);
        dense::add_product(product, root, partial_view(frame, inverse ? 0 : 2), 0.5);
      }
      return value;
    }
    dense::copy(numerator, product);
    const View& lower = inverse ? lower_w : lower_s;
    dense::solve_lower_left(lower, product);
    dense::solve_lower_left(dense::t(lower), product);
    for (std::size_t i = 0; i < size; ++i) value -= 0.5 * product.data[i + i * size];
    return value;
  }
};

template <bool inverse>
struct WishartCholesky {
  static constexpr std::string_view function =
      inverse ? "inv_wishart_cholesky_lpdf" : "wishart_cholesky_lpdf";

  static void check_shapes(Arguments arguments) {
    check_square(function, "Cholesky random variable", arguments[0].shape);
    check_square(function, "Cholesky scale parameter", arguments[2].shape);
    check_size_match(function, "side length of random variable", arguments[0].shape.rows,
                     "side length of scale parameter", arguments[2].shape.rows);
  }

  static std::size_t work_size(Arguments arguments) {
    return 3 * arguments[0].shape.rows * arguments[0].shape.rows;
  }

  static double log_density(const Frame& frame) {
    const std::size_t size = frame.arguments[0].shape.rows;
    const double k = static_cast<double>(size);
    const double nu = *frame.data(1);
    check_greater(function, "Degrees of freedom parameter", nu, k - 1);
    check_cholesky_factor(function, "Cholesky random variable", matrix_of(frame, 0));
    check_cholesky_factor(function, "Cholesky scale matrix", matrix_of(frame, 2));
    const ConstView y = view(frame, 0);
    const ConstView s = view(frame, 2);
    Work work(frame.work);
    const View ratio = work.matrix(size, size);   // A or B
    const View solved = work.matrix(size, size);  // D^-T ratio
    const View product = work.matrix(size, size);
    const Terms& terms = frame.terms;
    double value = 0;
    if (terms.keep(kNu)) {
      value += k * kLogTwo * (1 - 0.5 * nu) - log_multivariate_gamma(static_cast<int>(size), 0.5 * nu);
    }
    if (!terms.keep(kY | kNu | kS)) return value;
    const std::size_t divided = inverse ? 2 : 0;
    const std::size_t divisor = inverse ? 0 : 2;
    dense::copy(view(frame, divided), ratio);
    dense::solve_lower_left(view(frame, divisor), ratio);
    dense::clear_upper(ratio);
    value -= 0.5 * squared_norm(ratio);
    const double log_s = log_diagonal(s);
    double log_y = 0;
    double nu_slope = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const double at = static_cast<double>(i + 1);
      const double log_diagonal_y = std::log(y.data[i + i * size]);
      log_y += (inverse ? -(nu + at) : nu - at) * log_diagonal_y;
      nu_slope += (inverse ? -1 : 1) * log_diagonal_y;
    }
    const double sign = inverse ? 1 : -1;
    value += log_y + sign * nu * log_s;
    if (frame.wants(1)) {
      *frame.partials[1] += nu_slope + sign * log_s - 0.5 * k * kLogTwo -
                            0.5 * multivariate_digamma(static_cast<int>(size), 0.5 * nu);
    }
    if (!frame.wants(0) && !frame.wants(2)) return value;
    dense::copy(ratio, solved);
    dense::solve_lower_left(dense::t(view(frame, divisor)), solved);
    if (frame.wants(divided)) add_scaled_lower(-1, solved, partial_view(frame, divided));
    if (frame.wants(divisor)) {
      dense::multiply(solved, dense::t(ratio), product);
      add_scaled_lower(1, product, partial_view(frame, divisor));
    }
    for (std::size_t i = 0; i < size; ++i) {
      const double at = static_cast<double>(i + 1);
      const std::size_t diagonal = i + i * size;
      if (frame.wants(0)) frame.partials[0][diagonal] += (inverse ? -(nu + at) : nu - at) / y.data[diagonal];
      if (frame.wants(2)) frame.partials[2][diagonal] += sign * nu / s.data[diagonal];
    }
    return value;
  }
};

template <class Family>
void append(std::vector<ArrayOp>& ops) {
  ops.push_back(density_op<Family>(Family::function, {kMatrix, kReal, kMatrix}));
}

}  // namespace
}  // namespace density

void append_wishart_ops(std::vector<ArrayOp>& ops) {
  density::append<density::Wishart<false>>(ops);
  density::append<density::Wishart<true>>(ops);
  density::append<density::WishartCholesky<false>>(ops);
  density::append<density::WishartCholesky<true>>(ops);
}

}  // namespace kullback::math
