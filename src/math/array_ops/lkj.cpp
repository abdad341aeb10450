// The LKJ distributions of a K x K correlation matrix R (Lewandowski, Kurowicka, Joe 2009).
//   lkj_corr(R | eta)          = c(eta) + (eta - 1) log|R|,                   by R: (eta - 1) R^-1
//   lkj_corr_cholesky(L | eta) = c(eta) + sum_{k=2}^K (K - k + 2 eta - 2) log L_kk
//   c(eta) = (K-1) lgamma(eta + (K-1)/2) - sum_{k=1}^{K-1} (k log(pi)/2 + lgamma(eta + (K-1-k)/2))
//   lkj_cov(S | mu, sigma, eta) = sum_k lognormal(s_k | mu_k, sigma_k) + lkj_corr(R | eta), S = diag(s) R
//   diag(s);
//     not the Jacobian of S -> (s, R), which Stan leaves out.
// c is kept with eta. Entries of R are taken as independent and the derivative is symmetric; Stan puts both
// halves on the lower triangle, which is the same for any symmetric change.
#include "math/array_ops/density_linear.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace density {
namespace {

struct Constant {
  double value;
  double slope;
};

Constant lkj_constant(double eta, std::size_t size) {
  const double last = static_cast<double>(size) - 1;
  Constant constant{last * log_gamma(eta + 0.5 * last), last * digamma_positive(eta + 0.5 * last)};
  for (double k = 1; k <= last; ++k) {
    constant.value -= 0.5 * k * kLogPi + log_gamma(eta + 0.5 * (last - k));
    constant.slope -= digamma_positive(eta + 0.5 * (last - k));
  }
  return constant;
}

void check_correlation(std::string_view function, const Matrix& matrix) {
  constexpr std::string_view name = "Correlation matrix";
  check_symmetric(function, name, matrix);
  for (std::size_t k = 0; k < matrix.rows; ++k) {
    const double diagonal = matrix.data[k + k * matrix.rows];
    if (std::abs(diagonal - 1) <= kConstraintTolerance) continue;
    const std::string at = "(" + std::to_string(k + 1) + "," + std::to_string(k + 1) + ")";
    throw_domain_error(function, name,
                       "is not a valid correlation matrix. " + std::string(name) + at + " is " +
                           number(diagonal) + ", but should be near 1.0");
  }
}

struct LkjCorr {
  static constexpr std::string_view function = "lkj_corr_lpdf";

  static void check_shapes(Arguments arguments) {
    check_square(function, "Correlation matrix", arguments[0].shape);
  }

  static std::size_t work_size(Arguments arguments) {
    return 2 * arguments[0].shape.rows * arguments[0].shape.rows;
  }

  static double log_density(const Frame& frame) {
    const std::size_t size = frame.arguments[0].shape.rows;
    const double eta = *frame.data(1);
    check_positive(function, "Shape parameter", values_of(frame, 1));
    check_correlation(function, matrix_of(frame, 0));
    if (size == 0) return 0;
    Work work(frame.work);
    const View lower = work.matrix(size, size);
    factor(function, "Correlation matrix", view(frame, 0), lower);
    double value = 0;
    const double log_determinant = 2 * log_diagonal(lower);
    if (frame.terms.keep(2U)) {
      const Constant constant = lkj_constant(eta, size);
      value += constant.value;
      if (frame.wants(1)) *frame.partials[1] += constant.slope + log_determinant;
    }
    if (frame.terms.keep(3U)) value += (eta - 1) * log_determinant;
    if (frame.wants(0)) {
      const View inverse = work.matrix(size, size);
      inverse_from_factor(lower, inverse);
      add_scaled(eta - 1, inverse, partial_view(frame, 0));
    }
    return value;
  }
};

struct LkjCorrCholesky {
  static constexpr std::string_view function = "lkj_corr_cholesky_lpdf";

  static void check_shapes(Arguments arguments) {
    check_square(function, "Random variable", arguments[0].shape);
  }

  static std::size_t work_size(Arguments) { return 0; }

  static double log_density(const Frame& frame) {
    const std::size_t size = frame.arguments[0].shape.rows;
    const double eta = *frame.data(1);
    check_positive(function, "Shape parameter", values_of(frame, 1));
    check_cholesky_factor(function, "Random variable", matrix_of(frame, 0));
    if (size == 0) return 0;
    double value = 0;
    double log_sum = 0;
    for (std::size_t k = 1; k < size; ++k) {
      const double diagonal = frame.data(0)[k + k * size];
      const double power = static_cast<double>(size - k - 1) + 2 * eta - 2;
      log_sum += std::log(diagonal);
      if (frame.terms.keep(3U)) value += power * std::log(diagonal);
      if (frame.wants(0)) frame.partials[0][k + k * size] += power / diagonal;
    }
    if (frame.terms.keep(2U)) {
      const Constant constant = lkj_constant(eta, size);
      value += constant.value;
      if (frame.wants(1)) *frame.partials[1] += constant.slope + 2 * log_sum;
    }
    return value;
  }
};

struct LkjCov {
  static constexpr std::string_view function = "lkj_cov_lpdf";

  static void check_shapes(Arguments arguments) {
    check_size_match(function, "Rows of location parameter", arguments[1].shape.rows,
                     "columns of scale parameter", arguments[2].shape.rows);
    check_square(function, "random variable", arguments[0].shape);
    check_size_match(function, "Rows of random variable", arguments[0].shape.rows,
                     "rows of location parameter", arguments[1].shape.rows);
  }

  static std::size_t work_size(Arguments arguments) {
    return 2 * arguments[0].shape.rows * arguments[0].shape.rows;
  }

  static double log_density(const Frame& frame) {
    const std::size_t size = frame.arguments[0].shape.rows;
    const double eta = *frame.data(3);
    check_positive(function, "Shape parameter", values_of(frame, 3));
    check_finite(function, "Location parameter", values_of(frame, 1));
    check_positive_finite(function, "Scale parameter", values_of(frame, 2));
    check_finite(function, "Covariance matrix", values_of(frame, 0));
    check_symmetric(function, "Covariance matrix", matrix_of(frame, 0));
    if (size == 0) return 0;
    Work work(frame.work);
    const View lower = work.matrix(size, size);
    const View inverse = work.matrix(size, size);
    factor(function, "Covariance matrix", view(frame, 0), lower);
    inverse_from_factor(lower, inverse);
    const Terms& terms = frame.terms;
    double value = 0;
    double log_determinant = 2 * log_diagonal(lower);
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t diagonal = k + k * size;
      const double variance = frame.data(0)[diagonal];
      const double sigma = frame.data(2)[k];
      const double log_sd = 0.5 * std::log(variance);
      const double z = (log_sd - frame.data(1)[k]) / sigma;
      log_determinant -= std::log(variance);
      if (terms.normalized) value -= kHalfLogTwoPi;
      if (terms.keep(4U)) value -= std::log(sigma);
      if (terms.keep(1U)) value -= log_sd;
      if (terms.keep(7U)) value -= 0.5 * z * z;
      if (frame.wants(0)) frame.partials[0][diagonal] -= (0.5 * (1 + z / sigma) + eta - 1) / variance;
      if (frame.wants(1)) frame.partials[1][k] += z / sigma;
      if (frame.wants(2)) frame.partials[2][k] += (z * z - 1) / sigma;
    }
    if (frame.wants(0)) add_scaled(eta - 1, inverse, partial_view(frame, 0));
    if (terms.keep(8U)) {
      const Constant constant = lkj_constant(eta, size);
      value += constant.value;
      if (frame.wants(3)) *frame.partials[3] += constant.slope + log_determinant;
    }
    if (terms.keep(9U)) value += (eta - 1) * log_determinant;
    return value;
  }
};

}  // namespace
}  // namespace density

void append_lkj_ops(std::vector<ArrayOp>& ops) {
  using namespace density;
  ops.push_back(density_op<LkjCorr>(LkjCorr::function, {kMatrix, kReal}));
  ops.push_back(density_op<LkjCorrCholesky>(LkjCorrCholesky::function, {kMatrix, kReal}));
  ops.push_back(density_op<LkjCov>(LkjCov::function, {kMatrix, kVector, kVector, kReal}));
}

}  // namespace kullback::math
