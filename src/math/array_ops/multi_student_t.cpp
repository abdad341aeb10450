// Multivariate Student t with scale matrix S, or its Cholesky factor L, and nu degrees of freedom; d_i = y_i
// - mu_i in K dimensions, q_i = d_i' S^-1 d_i = |L^-1 d_i|^2.
//   log density = sum_i  lgamma((nu + K)/2) - lgamma(nu/2) - K/2 log(nu pi) - sum_k log L_kk
//                        - (nu + K)/2 log(1 + q_i / nu)
//   with c_i = (nu + K) / (nu + q_i), w_i = S^-1 d_i:   by mu_i: c_i w_i, by y_i: -c_i w_i,
//   by nu: sum_i (digamma((nu + K)/2) - digamma(nu/2) - log(1 + q_i/nu) + (q_i - K)/(nu + q_i)) / 2,
//   by S: sum_i (c_i w_i w_i' - S^-1) / 2, by L: lower triangle of sum_i c_i w_i (L^-1 d_i)' - diag(1 /
//   L_kk).
#include "math/array_ops/located_density.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace density {
namespace {

constexpr std::size_t kNu = 1;
constexpr std::size_t kMu = 2;
constexpr std::size_t kScale = 3;

template <bool cholesky>
constexpr std::string_view kFunction = cholesky ? "multi_student_t_cholesky_lpdf" : "multi_student_t_lpdf";

template <bool cholesky>
struct MultiStudentT {
  static constexpr std::string_view function = kFunction<cholesky>;

  static void check_shapes(Arguments arguments) {
    check_located_shapes({function, "scale parameter"}, arguments, kMu, kScale);
  }

  static std::size_t work_size(Arguments arguments) {
    const Located located(arguments, kMu);
    return 2 * located.dimension * located.dimension + 3 * located.dimension * located.count;
  }

  static double log_density(const Frame& frame) {
    const Located located(frame.arguments, kMu);
    const std::size_t size = located.dimension;
    check_positive_finite(function, "Degrees of freedom parameter", values_of(frame, kNu));
    check_finite(function, "Location parameter", values_of(frame, kMu));
    check_not_nan(function, "Random variable", values_of(frame, 0));
    if (located.count == 0 || size == 0) return 0;
    const ConstView matrix = view(frame, kScale);
    const double n = static_cast<double>(located.count);
    const double dimension = static_cast<double>(size);
    const double nu = *frame.data(kNu);
    Work work(frame.work);
    const View lower = work.matrix(size, size);
    const View other = work.matrix(size, size);
    const View scaled = work.matrix(size, located.count);  // L^-1 d
    const View roots = work.matrix(size, located.count);   // S^-1 d
    const View slopes = work.matrix(size, located.count);  // c S^-1 d
    if constexpr (cholesky) {
      check_cholesky_factor(function, "scale parameter", matrix_of(frame, kScale));
      dense::copy(matrix, lower);
    } else {
      check_symmetric(function, "Scale parameter", matrix_of(frame, kScale));
      factor(function, "LDLT_Factor of scale parameter", matrix, lower);
    }

    double value = 0;
    if (frame.terms.keep(1U << kNu)) {
      value += n * (log_rising(0.5 * nu, 0.5 * dimension) - 0.5 * dimension * std::log(nu));
    }
    if (frame.terms.normalized) value -= 0.5 * n * dimension * kLogPi;
    if (frame.terms.keep(1U << kScale)) value -= n * log_diagonal(lower);
    if (!frame.terms.keep(15U)) return value;
    located.differences(frame, scaled);
    dense::solve_lower_left(lower, scaled);
    dense::copy(scaled, roots);
    dense::solve_lower_left(dense::t(lower), roots);
    double log_sum = 0;
    double nu_sum = 0;
    for (std::size_t i = 0; i < located.count; ++i) {
      const double* z = scaled.data + i * size;
      const double q = dense::dot(z, z, size);
      const double log_term = std::log1p(q / nu);
      log_sum += log_term;
      nu_sum += (q - dimension) / (nu + q) - log_term;
      const double c = (nu + dimension) / (nu + q);
      for (std::size_t k = 0; k < size; ++k) slopes.data[k + i * size] = c * roots.data[k + i * size];
    }
    value -= 0.5 * (nu + dimension) * log_sum;
    located.add_slopes(frame, slopes);
    if (frame.wants(kNu)) {
      *frame.partials[kNu] += 0.5 * (nu_sum + n * digamma_difference(0.5 * nu, 0.5 * dimension));
    }
    if (frame.wants(kScale)) {
      const View partial = partial_view(frame, kScale);
      if constexpr (cholesky) {
        dense::multiply(slopes, dense::t(scaled), other);
        add_scaled_lower(1, other, partial);
        for (std::size_t k = 0; k < size; ++k) partial.data[k + k * size] -= n / lower.data[k + k * size];
      } else {
        inverse_from_factor(lower, other);
        dense::add_product(slopes, dense::t(roots), partial, 0.5);
        add_scaled(-0.5 * n, other, partial);
      }
    }
    return value;
  }
};

template <bool cholesky>
void append(std::vector<ArrayOp>& ops) {
  for (std::vector<Type>& types : combinations({vector_types(), {kReal}, vector_types(), {kMatrix}})) {
    ops.push_back(density_op<MultiStudentT<cholesky>>(kFunction<cholesky>, std::move(types)));
  }
}

}  // namespace
}  // namespace density

void append_multi_student_t_ops(std::vector<ArrayOp>& ops) {
  density::append<false>(ops);
  density::append<true>(ops);
}

}  // namespace kullback::math
