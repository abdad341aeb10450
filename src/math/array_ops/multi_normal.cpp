// Multivariate normal with covariance S, Cholesky factor L of it, or precision P; n vectors y_i with
// locations mu_i in K dimensions, d_i = y_i - mu_i.
//   log density = -n K log(2 pi)/2 - n sum_k log L_kk - sum_i |L^-1 d_i|^2 / 2
//   with w_i = S^-1 d_i:   by mu_i: w_i, by y_i: -w_i,
//   by S: (sum_i w_i w_i' - n S^-1) / 2, every entry taken as independent (the matrix is symmetric, so a
//   change of a
//         pair of entries has twice this slope), as in Stan,
//   by L: lower triangle of sum_i w_i (L^-1 d_i)' - n diag(1 / L_kk), and
//   by P: (n P^-1 - sum_i d_i d_i') / 2.
// Terms that `~` drops: -n K log(2 pi)/2 always; the determinant where the matrix does not vary.
#include "math/array_ops/located_density.hpp"

namespace kullback::math {
namespace density {
namespace {

enum class Form { covariance, cholesky, precision };

template <Form form>
constexpr std::string_view kFunction = form == Form::covariance ? "multi_normal_lpdf"
                                       : form == Form::cholesky ? "multi_normal_cholesky_lpdf"
                                                                : "multi_normal_prec_lpdf";

constexpr std::size_t kScale = 2;
constexpr unsigned kScaleVaries = 1U << kScale;
constexpr unsigned kAnyVaries = 7U;

template <Form form>
void check_matrix(const Frame& frame) {
  const Matrix matrix = matrix_of(frame, kScale);
  switch (form) {
    case Form::covariance: check_symmetric(kFunction<form>, "Covariance matrix", matrix); break;
    case Form::cholesky:
      check_cholesky_factor(kFunction<form>, "Cholesky decomposition of a variance matrix", matrix);
      break;
    case Form::precision: check_symmetric(kFunction<form>, "Precision matrix", matrix); break;
  }
}

template <Form form>
struct MultiNormal {
  static void check_shapes(Arguments arguments) {
    check_located_shapes({kFunction<form>, "covariance parameter"}, arguments, 1, kScale);
  }

  // A factor or an inverse, its companion, the differences and the slopes.
  static std::size_t work_size(Arguments arguments) {
    const Located located(arguments, 1);
    return 2 * located.dimension * located.dimension + 2 * located.dimension * located.count;
  }

  static double log_density(const Frame& frame) {
    const Located located(frame.arguments, 1);
    const std::size_t size = located.dimension;
    check_finite(kFunction<form>, "Location parameter", values_of(frame, 1));
    check_not_nan(kFunction<form>, "Random variable", values_of(frame, 0));
    if (located.count == 0 || size == 0) return 0;
    check_matrix<form>(frame);
    const ConstView matrix = view(frame, kScale);
    const double n = static_cast<double>(located.count);
    Work work(frame.work);
    const View lower = work.matrix(size, size);
    const View other = work.matrix(size, size);
    const View differences = work.matrix(size, located.count);
    const View slopes = work.matrix(size, located.count);

    double value = frame.terms.normalized ? -n * static_cast<double>(size) * kHalfLogTwoPi : 0;
    if constexpr (form == Form::covariance) {
      factor(kFunction<form>, "LDLT_Factor of covariance parameter", matrix, lower);
    } else if constexpr (form == Form::precision) {
      factor(kFunction<form>, "LDLT_Factor of precision parameter", matrix, lower);
    } else {
      dense::copy(matrix, lower);
    }
    if (!frame.terms.keep(kAnyVaries)) return value;
    if (frame.terms.keep(kScaleVaries)) value += (form == Form::precision ? n : -n) * log_diagonal(lower);
    located.differences(frame, differences);
    if constexpr (form == Form::precision) {
      dense::multiply(matrix, differences, slopes);
      value -= 0.5 * inner_product(differences, slopes);
    } else {
      dense::solve_lower_left(lower, differences);  // L^-1 d
      value -= 0.5 * squared_norm(differences);
      dense::copy(differences, slopes);
      dense::solve_lower_left(dense::t(lower), slopes);
    }
    located.add_slopes(frame, slopes);
    if (frame.wants(kScale)) {
      const View partial = partial_view(frame, kScale);
      if constexpr (form == Form::cholesky) {
        dense::multiply(slopes, dense::t(differences), other);
        add_scaled_lower(1, other, partial);
        for (std::size_t k = 0; k < size; ++k) partial.data[k + k * size] -= n / lower.data[k + k * size];
      } else {
        const View& root = form == Form::covariance ? slopes : differences;
        inverse_from_factor(lower, other);
        const double sign = form == Form::covariance ? 1 : -1;
        dense::add_product(root, dense::t(root), partial, 0.5 * sign);
        add_scaled(-0.5 * sign * n, other, partial);
      }
    }
    return value;
  }
};

template <Form form>
void append(std::vector<ArrayOp>& ops) {
  for (std::vector<Type>& types : combinations({vector_types(), vector_types(), {kMatrix}})) {
    ops.push_back(density_op<MultiNormal<form>>(kFunction<form>, std::move(types)));
  }
}

}  // namespace
}  // namespace density

void append_multi_normal_ops(std::vector<ArrayOp>& ops) {
  density::append<density::Form::covariance>(ops);
  density::append<density::Form::cholesky>(ops);
  density::append<density::Form::precision>(ops);
}

}  // namespace kullback::math
