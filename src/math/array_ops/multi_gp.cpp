// Gaussian processes that share a kernel up to scale, and the matrix normal with precisions.
//   multi_gp(y | S, w): rows y_d (d = 1..D) of length N are independent normal with covariance S / w_d.
//     log density = -D N log(2 pi)/2 - D/2 log|S| + N/2 sum_d log w_d - 1/2 sum_d w_d y_d S^-1 y_d'
//     by y: -diag(w) y S^-1; by S: (S^-1 y' diag(w) y S^-1 - D S^-1)/2; by w_d: (N / w_d - y_d S^-1 y_d')/2.
//   multi_gp_cholesky: the same with S = L L', Z = L^-1 y'; by L: lower triangle of L^-T (Z diag(w) Z') - D
//   diag(1/L). matrix_normal_prec(y | mu, S, D): E = y - mu (N x P), S N x N and D P x P precisions of rows
//   and columns.
//     log density = -N P log(2 pi)/2 + P/2 log|S| + N/2 log|D| - 1/2 tr(D E' S E)
//     (Stan Math swaps the two determinants' factors; its language does not have the function.)
#include "math/array_ops/density_linear.hpp"

namespace kullback::math {
namespace density {
namespace {

constexpr std::size_t kKernel = 1;
constexpr std::size_t kScales = 2;

template <bool cholesky>
struct MultiGp {
  static constexpr std::string_view function = cholesky ? "multi_gp_cholesky_lpdf" : "multi_gp_lpdf";

  static void check_shapes(Arguments arguments) {
    const Shape& y = arguments[0].shape;
    const Shape& kernel = arguments[kKernel].shape;
    check_size_match(function, "Size of random variable (rows y)", y.rows, "Size of kernel scales (w)",
                     arguments[kScales].shape.rows);
    check_size_match(function, "Size of random variable", y.cols, "rows of covariance parameter",
                     kernel.rows);
    check_square(function, cholesky ? "Cholesky decomposition of kernel matrix" : "Kernel", kernel);
  }

  static std::size_t work_size(Arguments arguments) {
    const Shape& y = arguments[0].shape;
    return 2 * y.cols * y.cols + 3 * y.rows * y.cols;
  }

  static double log_density(const Frame& frame) {
    const std::size_t outputs = frame.arguments[0].shape.rows;
    const std::size_t points = frame.arguments[0].shape.cols;
    check_finite(function, "Random variable", values_of(frame, 0));
    check_positive_finite(function, "Kernel scales", values_of(frame, kScales));
    if (outputs == 0 || points == 0) return 0;
    const ConstView kernel = view(frame, kKernel);
    const double* w = frame.data(kScales);
    Work work(frame.work);
    const View lower = work.matrix(points, points);
    const View other = work.matrix(points, points);
    const View scaled = work.matrix(points, outputs);    // L^-1 y'
    const View roots = work.matrix(points, outputs);     // S^-1 y'
    const View weighted = work.matrix(points, outputs);  // S^-1 y' diag(w)
    if constexpr (cholesky) {
      check_cholesky_factor(function, "Cholesky decomposition of kernel matrix", matrix_of(frame, kKernel));
      dense::copy(kernel, lower);
    } else {
      check_finite(function, "Kernel", values_of(frame, kKernel));
      check_symmetric(function, "Kernel", matrix_of(frame, kKernel));
      factor(function, "LDLT_Factor of Sigma", kernel, lower);
    }
    const double d = static_cast<double>(outputs);
    const double n = static_cast<double>(points);
    double value = frame.terms.normalized ? -d * n * kHalfLogTwoPi : 0;
    if (frame.terms.keep(1U << kKernel)) value -= d * log_diagonal(lower);
    if (frame.terms.keep(1U << kScales)) {
      for (std::size_t i = 0; i < outputs; ++i) value += 0.5 * n * std::log(w[i]);
    }
    if (!frame.terms.keep(7U)) return value;
    dense::copy(dense::t(view(frame, 0)), scaled);
    dense::solve_lower_left(lower, scaled);
    dense::copy(scaled, roots);
    dense::solve_lower_left(dense::t(lower), roots);
    for (std::size_t i = 0; i < outputs; ++i) {
      const double* z = scaled.data + i * points;
      const double q = dense::dot(z, z, points);
      value -= 0.5 * w[i] * q;
      if (frame.wants(kScales)) frame.partials[kScales][i] += 0.5 * (n / w[i] - q);
      for (std::size_t k = 0; k < points; ++k) {
        weighted.data[k + i * points] = w[i] * roots.data[k + i * points];
        if (frame.wants(0)) frame.partials[0][i + k * outputs] -= w[i] * roots.data[k + i * points];
      }
    }
    if (frame.wants(kKernel)) {
      const View partial = partial_view(frame, kKernel);
      if constexpr (cholesky) {
        dense::multiply(weighted, dense::t(scaled), other);
        add_scaled_lower(1, other, partial);
        for (std::size_t k = 0; k < points; ++k)
          partial.data[k + k * points] -= d / lower.data[k + k * points];
      } else {
        inverse_from_factor(lower, other);
        dense::add_product(weighted, dense::t(roots), partial, 0.5);
        add_scaled(-0.5 * d, other, partial);
      }
    }
    return value;
  }
};

struct MatrixNormalPrec {
  static constexpr std::string_view function = "matrix_normal_prec_lpdf";

  static void check_shapes(Arguments arguments) {
    const Shape& y = arguments[0].shape;
    const Shape& mu = arguments[1].shape;
    check_size_match(function, "Rows of random variable", y.rows, "Rows of location parameter", mu.rows);
    check_size_match(function, "Columns of random variable", y.cols, "Columns of location parameter",
                     mu.cols);
    check_size_match(function, "Rows of random variable", y.rows, "Rows of Sigma", arguments[2].shape.rows);
    check_size_match(function, "Columns of random variable", y.cols, "Rows of D", arguments[3].shape.rows);
    check_square(function, "Sigma", arguments[2].shape);
    check_square(function, "D", arguments[3].shape);
  }

  static std::size_t work_size(Arguments arguments) {
    const Shape& y = arguments[0].shape;
    return 2 * y.rows * y.rows + 2 * y.cols * y.cols + 4 * y.rows * y.cols;
  }

  static double log_density(const Frame& frame) {
    const std::size_t rows = frame.arguments[0].shape.rows;
    const std::size_t cols = frame.arguments[0].shape.cols;
    const ConstView sigma = view(frame, 2);
    const ConstView d = view(frame, 3);
    Work work(frame.work);
    const View lower_sigma = work.matrix(rows, rows);
    const View inverse_sigma = work.matrix(rows, rows);
    const View lower_d = work.matrix(cols, cols);
    const View inverse_d = work.matrix(cols, cols);
    const View error = work.matrix(rows, cols);
    const View sigma_error = work.matrix(rows, cols);  // S E
    const View error_d = work.matrix(rows, cols);      // E D
    const View slopes = work.matrix(rows, cols);       // S E D
    check_finite(function, "Sigma", values_of(frame, 2));
    check_symmetric(function, "Sigma", matrix_of(frame, 2));
    factor(function, "LDLT_Factor of Sigma", sigma, lower_sigma);
    check_finite(function, "D", values_of(frame, 3));
    check_symmetric(function, "D", matrix_of(frame, 3));
    factor(function, "LDLT_Factor of D", d, lower_d);
    check_finite(function, "Location parameter", values_of(frame, 1));
    check_finite(function, "Random variable", values_of(frame, 0));
    const double n = static_cast<double>(rows);
    const double p = static_cast<double>(cols);
    double value = frame.terms.normalized ? -n * p * kHalfLogTwoPi : 0;
    if (frame.terms.keep(4U)) value += p * log_diagonal(lower_sigma);
    if (frame.terms.keep(8U)) value += n * log_diagonal(lower_d);
    if (!frame.terms.keep(15U)) return value;
    for (std::size_t i = 0; i < rows * cols; ++i) error.data[i] = frame.data(0)[i] - frame.data(1)[i];
    dense::multiply(sigma, error, sigma_error);
    dense::multiply(error, d, error_d);
    dense::multiply(sigma_error, d, slopes);
    value -= 0.5 * inner_product(error, slopes);
    if (frame.wants(0)) add_scaled(-1, slopes, partial_view(frame, 0));
    if (frame.wants(1)) add_scaled(1, slopes, partial_view(frame, 1));
    if (frame.wants(2)) {
      inverse_from_factor(lower_sigma, inverse_sigma);
      add_scaled(0.5 * p, inverse_sigma, partial_view(frame, 2));
      dense::add_product(error_d, dense::t(error), partial_view(frame, 2), -0.5);
    }
    if (frame.wants(3)) {
      inverse_from_factor(lower_d, inverse_d);
      add_scaled(0.5 * n, inverse_d, partial_view(frame, 3));
      dense::add_product(dense::t(error), sigma_error, partial_view(frame, 3), -0.5);
    }
    return value;
  }
};

}  // namespace
}  // namespace density

void append_multi_gp_ops(std::vector<ArrayOp>& ops) {
  using namespace density;
  ops.push_back(density_op<MultiGp<false>>(MultiGp<false>::function, {kMatrix, kMatrix, kVector}));
  ops.push_back(density_op<MultiGp<true>>(MultiGp<true>::function, {kMatrix, kMatrix, kVector}));
  ops.push_back(
      density_op<MatrixNormalPrec>(MatrixNormalPrec::function, {kMatrix, kMatrix, kMatrix, kMatrix}));
}

}  // namespace kullback::math
