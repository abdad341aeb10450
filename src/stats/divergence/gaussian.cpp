// In coordinates in which q is standard and p has a diagonal covariance, with the precisions 1 + x_i > 0 and
// the mean d_i, p^a q^(1-a) has the precisions 1 + a x_i, and
//   J(a) = -log(int p^a q^(1-a)) / (a (1 - a)) = 1/2 sum of (1 + x_i) d_i^2 / (1 + a x_i) + h(x_i, a)
//   h(x, a) = (log(1 + a x) - a log(1 + x)) / (a (1 - a)),
// infinite where 1 + a x_i <= 0. h is the gap of the convex function -log(1 + t x) (see element.cpp), with
//   h(x, a) = a x^2 k(a x) + (1 - a) y^2 k(-(1 - a) y),                  1/2 <= a <= 1,  y = x / (1 + x)
//           = x^2 k(x) / a + (a - 1) y^2 l((a - 1) y) / a,               a > 1
//   k(z) = integral over (0, 1) of s / (1 + s z)^2 = (log(1 + z) - z / (1 + z)) / z^2
//   l(z) = integral over (0, 1) of (1 - s) / (1 + s z)^2 = (z - log(1 + z)) / z^2.
//
// The x_i come from the singular values s_i of L_q^-1 L_p (Cholesky factors): 1 + x_i = 1 / s_i^2. Where p is
// nearly q, from the eigenvalues m_i of L_q^-1 (S_p - S_q) L_q^-T instead: x_i = -m_i / (1 + m_i), exactly 0
// where p = q.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.hpp"
#include "math/linear_algebra.hpp"
#include "stats/divergence/element.hpp"
#include "stats/divergence/hooks.hpp"

namespace kullback::stats {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixView = Eigen::Map<const Matrix>;
using Vector = Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSymmetryTolerance = 1e-10;
constexpr double kNearlyEqual = 0.5;
constexpr double kSeriesBelow = 0.25;
constexpr double kOrthogonal = 1e-15;
constexpr int kMaxSweeps = 60;
const double kLogTwoPi = std::log(2 * std::numbers::pi);

// z - log(1 + z) >= 0, |z| < 1/2.
double log1p_excess(double z) {
  double total = 0, power = -z;
  for (int k = 2; k < 56; ++k) {
    power *= -z;
    total += power / k;
  }
  return total;
}

// The integrals above, with one = 1 + z for its own sake: z may be next to -1.
double k_integral(double z, double one) {
  if (z == 0) return 0.5;
  const double value = std::abs(z) < kSeriesBelow ? log1p_excess(-z / one) : std::log(one) - z / one;
  return value / z / z;
}

double l_integral(double z, double one) {
  if (z == 0) return 0.5;
  return (std::abs(z) < kSeriesBelow ? log1p_excess(z) : z - std::log(one)) / z / z;
}

// x and precision = 1 + x; alpha and rest = 1 - alpha: a small one keeps its digits where the roles are
// exchanged.
double log_gap(double x, double precision, double alpha, double rest) {
  const double y = x / precision;
  if (alpha < 0.5) return log_gap(-y, 1 / precision, rest, alpha);
  if (alpha <= 1) {
    const double ahead = rest + alpha * precision;  // 1 + a x
    return alpha * x * x * k_integral(alpha * x, ahead) +
           rest * y * y * k_integral(-rest * y, ahead / precision);
  }
  const double ahead = precision - rest * x;
  return (x * x * k_integral(x, precision) - rest * y * y * l_integral(-rest * y, ahead / precision)) / alpha;
}

double log_precision(double x, double precision) {
  return std::abs(x) < 0.5 ? std::log1p(x) : std::log(precision);
}

// p in coordinates in which q is standard.
struct Aligned {
  Vector x;          // precisions - 1
  Vector precision;  // of p
  Vector mean;       // of p
};

double gap_of(double x, double precision, double mean, double alpha) {
  const double ahead = alpha <= 1 ? 1 - alpha + alpha * precision : precision + (alpha - 1) * x;  // 1 + a x
  if (!(ahead > 0)) return kInfinity;
  return (precision * mean * mean / ahead + log_gap(x, precision, alpha, 1 - alpha)) / 2;
}

double log_max_ratio_of(double x, double precision, double mean) {
  if (x < 0 || (x == 0 && mean != 0)) return kInfinity;
  return log_precision(x, precision) / 2 + (x == 0 ? 0 : precision * mean * mean / x / 2);
}

template <class Term>
double sum_of(const Aligned& of, const Term& term) {
  double total = 0;
  for (Eigen::Index i = 0; i < of.x.size(); ++i) total += term(of.x[i], of.precision[i], of.mean[i]);
  return total;
}

Aligned align(const Normal& p, const Normal& q) {
  Aligned result{Vector(1), Vector(1), Vector(1)};
  result.x[0] = (q.sd - p.sd) / p.sd * ((q.sd + p.sd) / p.sd);
  result.precision[0] = q.sd / p.sd * (q.sd / p.sd);
  result.mean[0] = (p.mean - q.mean) / q.sd;
  return result;
}

Eigen::Index dim_of(const Gaussian& of) { return static_cast<Eigen::Index>(of.mean.size()); }
MatrixView covariance_of(const Gaussian& of) { return {of.covariance.data(), dim_of(of), dim_of(of)}; }
Eigen::Map<const Vector> mean_of(const Gaussian& of) { return {of.mean.data(), dim_of(of)}; }

Matrix factor_of(const Gaussian& of) {
  Matrix lower(dim_of(of), dim_of(of));
  if (!math::linear::cholesky(covariance_of(of), lower))
    throw Error(ErrorKind::bad_input, "Gaussian: the covariance is not positive definite.",
                "Add a small number to its diagonal if it should be.");
  return lower;
}

Aligned align_near(const Matrix& difference, const Vector& mean) {
  Vector values(mean.size());
  Matrix vectors(mean.size(), mean.size());
  math::linear::symmetric_eigen(difference, values, vectors);
  return {values.unaryExpr([](double m) { return -m / (1 + m); }),
          values.unaryExpr([](double m) { return 1 / (1 + m); }), vectors.transpose() * mean};
}

// Rotates rows a and b of the matrix, and the same coordinates of the vector, until the rows are orthogonal.
// False where they were.
bool rotate(Matrix& of, Vector& along, Eigen::Index a, Eigen::Index b) {
  const double aa = of.row(a).squaredNorm(), bb = of.row(b).squaredNorm(), ab = of.row(a).dot(of.row(b));
  if (std::abs(ab) <= kOrthogonal * std::sqrt(aa) * std::sqrt(bb)) return false;
  const double slope = (bb - aa) / (2 * ab);
  const double tangent = std::copysign(1 / (std::abs(slope) + std::hypot(1.0, slope)), slope);
  const double cosine = 1 / std::hypot(1.0, tangent), sine = cosine * tangent;
  const Vector row_a = of.row(a), row_b = of.row(b);
  of.row(a) = cosine * row_a - sine * row_b;
  of.row(b) = sine * row_a + cosine * row_b;
  const double along_a = along[a], along_b = along[b];
  along[a] = cosine * along_a - sine * along_b;
  along[b] = sine * along_a + cosine * along_b;
  return true;
}

// One-sided Jacobi (Hestenes 1958): the singular values as lengths of rows, small ones with relative accuracy
// too, and the vector in coordinates of the left singular vectors.
Vector singular_values(Matrix of, Vector& along) {
  bool changed = true;
  for (int sweep = 0; changed && sweep < kMaxSweeps; ++sweep) {
    changed = false;
    for (Eigen::Index b = 1; b < of.rows(); ++b)
      for (Eigen::Index a = 0; a < b; ++a) changed = rotate(of, along, a, b) || changed;
  }
  return of.rowwise().norm();
}

Aligned align_far(const Matrix& factor, Vector mean) {
  const Vector values = singular_values(factor, mean);
  return {values.unaryExpr([](double s) { return (1 - s) / s * ((1 + s) / s); }),
          values.unaryExpr([](double s) { return 1 / s / s; }), mean};
}

Aligned align(const Gaussian& p, const Gaussian& q) {
  Matrix p_factor = factor_of(p);
  const Matrix q_factor = factor_of(q);
  Vector mean = mean_of(p) - mean_of(q);
  math::linear::solve_lower(q_factor, mean);
  Matrix difference = covariance_of(p) - covariance_of(q);
  math::linear::solve_lower(q_factor, difference);
  difference.transposeInPlace();
  math::linear::solve_lower(q_factor, difference);
  if (difference.norm() < kNearlyEqual) return align_near(difference, mean);
  math::linear::solve_lower(q_factor, p_factor);
  return align_far(p_factor, mean);
}

template <class P>
double gaussian_gap(const P& p, const P& q, double alpha) {
  return sum_of(align(p, q), [alpha](double x, double precision, double mean) {
    return gap_of(x, precision, mean, alpha);
  });
}

void check_symmetric(const Gaussian& of) {
  const MatrixView covariance = covariance_of(of);
  for (Eigen::Index i = 0; i < dim_of(of); ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      if (std::abs(covariance(i, j) - covariance(j, i)) >
          kSymmetryTolerance * std::sqrt(std::abs(covariance(i, i) * covariance(j, j))))
        throw Error(ErrorKind::bad_input,
                    fmt::format("Gaussian: covariance [{},{}] is {}, but [{},{}] is {}.", i, j,
                                covariance(i, j), j, i, covariance(j, i)));
}

void check_shape(const Gaussian& of) {
  const std::size_t dim = of.mean.size();
  if (dim == 0) throw Error(ErrorKind::bad_input, "Gaussian: the mean has no elements.");
  if (of.covariance.size() != dim * dim)
    throw Error(ErrorKind::bad_input,
                fmt::format("Gaussian: the covariance has {} elements; a mean of {} needs {}.",
                            of.covariance.size(), dim, dim * dim));
  for (const double value : of.mean) check_finite(value, "Gaussian", "mean");
  for (const double value : of.covariance) check_finite(value, "Gaussian", "covariance");
  check_symmetric(of);
}

// The square root of a positive semidefinite matrix.
Matrix square_root(const Matrix& of) {
  Vector values(of.rows());
  Matrix vectors(of.rows(), of.cols());
  math::linear::symmetric_eigen(of, values, vectors);
  if (values.minCoeff() < -kSymmetryTolerance * values.cwiseAbs().maxCoeff())
    throw Error(ErrorKind::bad_input, "Gaussian: the covariance is not positive semidefinite.");
  const Vector roots = values.cwiseMax(0.0).cwiseSqrt();
  return vectors * roots.asDiagonal() * vectors.transpose();
}

// E k(x, y) of independent x, y with these means' difference and covariances' sum, per the kernel at 0.
double mean_kernel(const Vector& difference, const Matrix& covariance, double length_scale) {
  Matrix lower =
      Matrix::Identity(covariance.rows(), covariance.cols()) + covariance / (length_scale * length_scale);
  math::linear::cholesky(lower, lower);
  Vector scaled = difference / length_scale;
  math::linear::solve_lower(lower, scaled);
  const double log_root = lower.diagonal().array().log().sum();
  return std::exp(-scaled.squaredNorm() / 2 - log_root);
}

}  // namespace

void check_pair(const Normal& p, const Normal& q) {
  for (const Normal& of : {p, q}) {
    check_finite(of.mean, "Normal", "mean");
    check_positive(of.sd, "Normal", "sd");
  }
}

double skew_gap(const Normal& p, const Normal& q, double alpha) { return gaussian_gap(p, q, alpha); }

double log_max_ratio(const Normal& p, const Normal& q) { return sum_of(align(p, q), log_max_ratio_of); }

std::optional<Normal> escort(const Normal& p, double order) {
  return Normal{p.mean, p.sd / std::sqrt(order)};
}

double log_power(const Normal& p, double order) {
  return (1 - order) * (kLogTwoPi / 2 + std::log(p.sd)) - std::log(order) / 2;
}

void check_pair(const Gaussian& p, const Gaussian& q) {
  check_shape(p);
  check_shape(q);
  if (p.mean.size() != q.mean.size())
    throw Error(ErrorKind::bad_input,
                fmt::format("Gaussian: one has {} dimensions, the other {}.", p.mean.size(), q.mean.size()));
}

double skew_gap(const Gaussian& p, const Gaussian& q, double alpha) { return gaussian_gap(p, q, alpha); }

double log_max_ratio(const Gaussian& p, const Gaussian& q) { return sum_of(align(p, q), log_max_ratio_of); }

std::optional<Gaussian> escort(const Gaussian& p, double order) {
  Gaussian result = p;
  for (double& value : result.covariance) value /= order;
  return result;
}

double log_power(const Gaussian& p, double order) {
  const double dim = static_cast<double>(p.mean.size());
  const double log_root = factor_of(p).diagonal().array().log().sum();
  return (1 - order) * (dim * kLogTwoPi / 2 + log_root) - dim * std::log(order) / 2;
}

double log_power_ratio(const Normal& p, const Normal& q, double order) {
  return (1 - order) * log_of_ratio(p.sd, q.sd);
}

double log_power_ratio(const Gaussian& p, const Gaussian& q, double order) {
  return (order - 1) / 2 *
         sum_of(align(p, q), [](double x, double precision, double) { return log_precision(x, precision); });
}

double total_variation(const Gaussian& p, const Gaussian& q) {
  check_pair(p, q);
  const Aligned aligned = align(p, q);
  if (aligned.x.cwiseAbs().maxCoeff() > 1e-12)
    throw Error(
        ErrorKind::usage,
        "the total variation between Gaussians has a closed form only where the covariances are equal.",
        "Use draws of one of them: total_variation(DrawsOfP).");
  return std::erf(aligned.mean.norm() / std::sqrt(8.0));
}

// With S_p = R R, the trace of (R S_q R)^(1/2) is the sum of the singular values of R_q R_p. Where p is
// nearly q the trace term S_p + S_q - 2 (...) cancels; its absolute error is 1e-15 of the traces.
double wasserstein(const Gaussian& p, const Gaussian& q) {
  check_pair(p, q);
  if (p.mean == q.mean && p.covariance == q.covariance) return 0;
  const Matrix product = square_root(covariance_of(q)) * square_root(covariance_of(p));
  Vector unused = Vector::Zero(product.rows());
  const double overlap = singular_values(product, unused).sum();
  const double spread = covariance_of(p).trace() + covariance_of(q).trace() - 2 * overlap;
  return std::sqrt((mean_of(p) - mean_of(q)).squaredNorm() + std::max(spread, 0.0));
}

double mmd_squared(const Gaussian& p, const Gaussian& q, double length_scale) {
  check_pair(p, q);
  if (!(length_scale > 0) || !std::isfinite(length_scale))
    throw Error(ErrorKind::usage,
                fmt::format("the length scale is {}; it must be a positive number.", length_scale));
  const Matrix of_p = covariance_of(p), of_q = covariance_of(q);
  const Vector zero = Vector::Zero(dim_of(p)), difference = mean_of(p) - mean_of(q);
  const double same = mean_kernel(zero, 2 * of_p, length_scale) + mean_kernel(zero, 2 * of_q, length_scale);
  return std::max(same - 2 * mean_kernel(difference, of_p + of_q, length_scale), 0.0);
}

}  // namespace kullback::stats
