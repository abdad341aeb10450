// The gradients g_p of a term at some points x_p, by differences of its values,
//   g_j = (8 (f(x + h e_j) - f(x - h e_j)) - (f(x + 2 h e_j) - f(x - 2 h e_j))) / (12 h),
// span the directions that it depends on: for f(x) = F(A x) they lie in the row space of A. A quadratic has
// gradients that are affine in x; its Hessian is the slope. Six points are random, three are midpoints of
// these: with many directions, a gradient that is the mean of its neighbours' tells a quadratic, and its
// Hessian comes from second differences of values, exact for any step.
#include "infer/ep/term_shapes.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kRandomPoints = 6;  // more than kMostDirections: else they would bound the rank
constexpr std::size_t kPoints = 9;
constexpr double kStep = 2e-3;
constexpr std::array<double, 4> kOffsets{kStep, -kStep, 2 * kStep, -2 * kStep};
constexpr std::array<double, 4> kWeights{8 / (12 * kStep), -8 / (12 * kStep), -1 / (12 * kStep),
                                         1 / (12 * kStep)};
constexpr double kRounding = 2e-16 / kStep;  // of a gradient, relative to the value
constexpr double kRankTolerance = 1e-7;
constexpr double kQuadraticTolerance = 1e-8;
constexpr std::size_t kMostFitted = 4;  // directions of a quadratic that is fitted to nine gradients
constexpr int kHalvings = 12;

using Point = std::vector<double>;

class Prober final {
 public:
  Prober(ScaledTerms& terms, const ProbeRange& range) : terms_(terms), range_(range) {}

  std::vector<TermShape> run() {
    choose_points();
    find_gradients();
    std::vector<TermShape> shapes(terms_.count());
    for (std::size_t t = 0; t < terms_.count(); ++t) shapes[t] = shape_of(t);
    fill_wide_quadratics(shapes);
    return shapes;
  }

 private:
  ScaledTerms& terms_;
  const ProbeRange& range_;
  std::vector<Point> points_;
  std::vector<double> values_;       // of term t at point p: t * kPoints + p
  std::vector<MatrixXd> gradients_;  // of term t: its coordinates by points

  // Halved until all terms are finite.
  void choose_points() {
    const std::size_t dim = terms_.dim();
    const Eigen::Map<const MatrixXd> root(range_.root.data(), static_cast<Index>(dim),
                                          static_cast<Index>(dim));
    for (std::size_t p = 0; p < kRandomPoints; ++p) {
      Random random(range_.seed, range_.chain, static_cast<std::uint32_t>(Purpose::quadrature),
                    static_cast<std::uint32_t>(p));
      VectorXd z(static_cast<Index>(dim));
      for (double& number : z) number = random.normal();
      const VectorXd x = root * z;
      points_.emplace_back(x.begin(), x.end());
      for (int i = 0; i < kHalvings && !is_finite_at(points_.back()); ++i) {
        for (double& number : points_.back()) number /= 2;
      }
    }
    for (std::size_t p = 0; p + 1 < kRandomPoints; p += 2) {
      Point middle(dim);
      for (std::size_t j = 0; j < dim; ++j) middle[j] = (points_[p][j] + points_[p + 1][j]) / 2;
      points_.push_back(std::move(middle));
    }
  }

  bool is_finite_at(const Point& point) {
    bool result = true;
    terms_.evaluate(
        1, [&](std::size_t, double* x) { std::copy(point.begin(), point.end(), x); },
        [&](std::size_t, std::size_t, const double* values) {
          for (std::size_t t = 0; t < terms_.count(); ++t)
            result = result && std::isfinite(values[t * ScaledTerms::kLanes]);
        });
    return result;
  }

  void find_gradients() {
    const std::size_t dim = terms_.dim();
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> readers(dim);  // term, its coordinate
    for (std::uint32_t t = 0; t < terms_.count(); ++t) {
      const auto coordinates = terms_.coordinates(t);
      gradients_.push_back(MatrixXd::Zero(static_cast<Index>(coordinates.size()), kPoints));
      for (std::uint32_t c = 0; c < coordinates.size(); ++c) readers[coordinates[c]].emplace_back(t, c);
    }
    values_.assign(terms_.count() * kPoints, 0.0);
    const std::size_t of_a_point = 1 + dim * kOffsets.size();
    terms_.evaluate(
        kPoints * of_a_point,
        [&](std::size_t number, double* x) {
          const Point& point = points_[number / of_a_point];
          std::copy(point.begin(), point.end(), x);
          const std::size_t within = number % of_a_point;
          if (within > 0) x[(within - 1) / kOffsets.size()] += kOffsets[(within - 1) % kOffsets.size()];
        },
        [&](std::size_t first, std::size_t count, const double* values) {
          for (std::size_t k = 0; k < count; ++k) {
            const std::size_t point = (first + k) / of_a_point;
            const std::size_t within = (first + k) % of_a_point;
            if (within == 0) {
              for (std::size_t t = 0; t < terms_.count(); ++t)
                values_[t * kPoints + point] = values[t * ScaledTerms::kLanes + k];
              continue;
            }
            const double weight = kWeights[(within - 1) % kOffsets.size()];
            for (const auto& [t, c] : readers[(within - 1) / kOffsets.size()])
              gradients_[t](c, static_cast<Index>(point)) += weight * values[t * ScaledTerms::kLanes + k];
          }
        });
  }

  double noise_of(std::size_t t) const {
    double largest = 0;
    for (std::size_t p = 0; p < kPoints; ++p) largest = std::max(largest, std::abs(values_[t * kPoints + p]));
    return kRounding * largest;
  }

  MatrixXd points_of(std::size_t t) const {
    const auto coordinates = terms_.coordinates(t);
    MatrixXd x(static_cast<Index>(coordinates.size()), kPoints);
    for (std::size_t p = 0; p < kPoints; ++p) {
      for (std::size_t c = 0; c < coordinates.size(); ++c)
        x(static_cast<Index>(c), static_cast<Index>(p)) = points_[p][coordinates[c]];
    }
    return x;
  }

  TermShape shape_of(std::size_t t) const {
    TermShape shape;
    const MatrixXd& gradients = gradients_[t];
    const Index dim = gradients.rows();
    if (dim == 0) {
      shape.constant = values_[t * kPoints];
      return shape;
    }
    shape.kind = TermShape::Kind::other;
    shape.rank = static_cast<std::size_t>(dim);
    if (!gradients.allFinite()) return shape;
    const math::linear::PivotedQr qr = math::linear::pivoted_qr(gradients);
    const std::vector<double> pivots = qr.pivots();
    const double noise = noise_of(t);
    const double least = std::max(kRankTolerance * pivots[0], 30 * noise);
    const Index rank = std::count_if(pivots.begin(), pivots.end(), [&](double x) { return x > least; });
    if (rank == 0) {
      shape.kind = TermShape::Kind::constant;
      shape.rank = 0;
      shape.constant = values_[t * kPoints];
      return shape;
    }
    if (rank < dim && rank <= static_cast<Index>(kMostDirections)) {
      MatrixXd basis(dim, rank);
      qr.basis(basis);
      shape.rank = static_cast<std::size_t>(rank);
      shape.basis.assign(basis.data(), basis.data() + basis.size());
    }
    const double largest = gradients.cwiseAbs().maxCoeff();
    const double tolerance = std::max(kQuadraticTolerance * std::min(largest, 1.0), 30 * noise);
    if (shape.rank <= kMostFitted) {
      fit_quadratic(t, tolerance, shape);
    } else if (has_mean_gradients(gradients, tolerance)) {
      shape.kind = TermShape::Kind::quadratic;
      shape.rank = static_cast<std::size_t>(dim);
      shape.basis.clear();
    }
    return shape;
  }

  static bool has_mean_gradients(const MatrixXd& gradients, double tolerance) {
    for (std::size_t m = 0; m < kPoints - kRandomPoints; ++m) {
      const auto p = static_cast<Index>(2 * m);
      const VectorXd error =
          gradients.col(p) + gradients.col(p + 1) - 2 * gradients.col(static_cast<Index>(kRandomPoints + m));
      if (error.cwiseAbs().maxCoeff() > tolerance) return false;
    }
    return true;
  }

  // g = a + H u by least squares.
  void fit_quadratic(std::size_t t, double tolerance, TermShape& shape) const {
    const auto rank = static_cast<Index>(shape.rank);
    MatrixXd u = points_of(t);
    MatrixXd g = gradients_[t];
    if (!shape.basis.empty()) {
      const Eigen::Map<const MatrixXd> columns(shape.basis.data(), g.rows(), rank);
      u = (columns.transpose() * u).eval();
      g = (columns.transpose() * g).eval();
    }
    MatrixXd design(kPoints, rank + 1);
    design << VectorXd::Ones(kPoints), u.transpose();
    MatrixXd fitted(design.cols(), g.rows());
    math::linear::least_squares(design, MatrixXd(g.transpose()), fitted);
    if ((design * fitted - g.transpose()).cwiseAbs().maxCoeff() > tolerance) return;
    MatrixXd hessian = fitted.bottomRows(rank);
    hessian = (0.5 * (hessian + hessian.transpose())).eval();
    const VectorXd mean_point = u.rowwise().mean();
    const VectorXd shift = g.rowwise().mean() - hessian * mean_point;
    shape.kind = TermShape::Kind::quadratic;
    shape.natural = NaturalGaussian(shape.rank);
    for (Index i = 0; i < rank; ++i) {
      shape.natural.shift[static_cast<std::size_t>(i)] = shift[i];
      for (Index j = 0; j < rank; ++j)
        shape.natural.precision[static_cast<std::size_t>(i * rank + j)] = -hessian(i, j);
    }
    double sum = 0;
    for (Index p = 0; p < static_cast<Index>(kPoints); ++p) {
      const VectorXd at = u.col(p);
      sum += values_[t * kPoints + static_cast<std::size_t>(p)] - shift.dot(at) - 0.5 * at.dot(hessian * at);
    }
    shape.constant = sum / kPoints;
  }

  // H_ij = f(e_i + e_j) - f(e_i) - f(e_j) + f(0), g_i = f(e_i) - f(0) - H_ii / 2 around the first point.
  void fill_wide_quadratics(std::vector<TermShape>& shapes) {
    std::vector<std::size_t> wide;
    std::vector<bool> wanted(terms_.dim(), false);
    for (std::size_t t = 0; t < shapes.size(); ++t) {
      if (shapes[t].kind != TermShape::Kind::quadratic || shapes[t].rank <= kMostFitted) continue;
      wide.push_back(t);
      for (const std::uint32_t c : terms_.coordinates(t)) wanted[c] = true;
    }
    if (wide.empty()) return;
    std::vector<std::array<std::size_t, 2>> steps{{terms_.dim(), terms_.dim()}};
    for (std::size_t i = 0; i < terms_.dim(); ++i) {
      if (wanted[i]) steps.push_back({i, terms_.dim()});
    }
    for (std::size_t i = 0; i < terms_.dim(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        if (wanted[i] && wanted[j]) steps.push_back({i, j});
      }
    }
    std::vector<std::vector<double>> values(wide.size(), std::vector<double>(steps.size()));
    terms_.evaluate(
        steps.size(),
        [&](std::size_t number, double* x) {
          std::copy(points_[0].begin(), points_[0].end(), x);
          for (const std::size_t i : steps[number]) {
            if (i < terms_.dim()) x[i] += 1;
          }
        },
        [&](std::size_t first, std::size_t count, const double* all) {
          for (std::size_t w = 0; w < wide.size(); ++w) {
            for (std::size_t k = 0; k < count; ++k)
              values[w][first + k] = all[wide[w] * ScaledTerms::kLanes + k];
          }
        });
    for (std::size_t w = 0; w < wide.size(); ++w) fill(wide[w], steps, values[w], shapes[wide[w]]);
  }

  void fill(std::size_t t, const std::vector<std::array<std::size_t, 2>>& steps,
            const std::vector<double>& values, TermShape& shape) const {
    const auto coordinates = terms_.coordinates(t);
    const auto dim = static_cast<Index>(coordinates.size());
    std::vector<Index> place(terms_.dim() + 1, -1);
    for (Index c = 0; c < dim; ++c) place[coordinates[static_cast<std::size_t>(c)]] = c;
    VectorXd gain(dim);
    MatrixXd hessian(dim, dim);
    VectorXd at(dim);
    for (std::size_t s = 1; s < steps.size(); ++s) {
      const Index i = place[steps[s][0]];
      const bool is_single = steps[s][1] == terms_.dim();
      const Index j = place[steps[s][1]];
      if (i < 0 || (!is_single && j < 0)) continue;
      if (is_single) {
        gain[i] = values[s] - values[0];
        at[i] = points_[0][steps[s][0]];
      } else {
        hessian(i, j) = hessian(j, i) = values[s] - gain[i] - gain[j] - values[0];
      }
    }
    const VectorXd gradient = gain - 0.5 * hessian.diagonal();
    const VectorXd shift = gradient - hessian * at;
    shape.natural = NaturalGaussian(shape.rank);
    std::copy(shift.begin(), shift.end(), shape.natural.shift.begin());
    std::transform(hessian.reshaped().begin(), hessian.reshaped().end(), shape.natural.precision.begin(),
                   [](double h) { return -h; });
    shape.constant = values[0] - shift.dot(at) - 0.5 * at.dot(hessian * at);
  }
};

}  // namespace

std::vector<TermShape> find_shapes(ScaledTerms& terms, const ProbeRange& range) {
  return Prober(terms, range).run();
}

}  // namespace kullback::infer
