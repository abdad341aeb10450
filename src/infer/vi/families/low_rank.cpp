// A Gaussian with covariance S = D^2 + B B', D diagonal and B of few columns: theta = m + D z1 + B z2,
// lambda = (m, log D, B column after column) (Ong, Nott and Smith 2018).
// With U = D^-1 B and M = I + U'U (Woodbury), e = theta - m is D y + B t for one (y, t) of least norm,
//   of a draw   t = z2 + c, y = z1 - U c  with c = M^-1 (U' z1 - z2),
//   at a point  t = M^-1 U' D^-1 e, y = D^-1 e - U t,
// and then S^-1 e = D^-1 y =: s, B's = t and e' S^-1 e = |y|^2 + |t|^2, sums of squares without cancellation.
//   log q = -log det S / 2 - (|y|^2 + |t|^2) / 2 - dim log(2 pi) / 2,  log det S = 2 log det D + log det M
//   d log q / d (m, log D, B) at fixed theta = (s, y_i^2 - h_i, s t' - S^-1 B)
// where h_i = D_i^2 (S^-1)_ii = 1 - (U M^-1 U')_ii and S^-1 B = D^-1 U M^-1.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/vi/family.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace option {
constexpr auto kRank = CountOption("rank", 0, "Rank of the low-rank part of a covariance").automatic();
}  // namespace option

namespace {

const double kLogTwoPi = std::log(2 * std::numbers::pi);
constexpr std::size_t kDefaultRank = 10;
constexpr double kMostEvaluations = 200;
constexpr double kEigenBudget = 2e8;  // cubes of the dimension
constexpr double kSlopeTol = 1e-10;
constexpr double kLeastEigenvalue = 1e-14;

using Lanes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Points = Eigen::Map<const Lanes>;

Eigen::Index index(std::size_t value) { return static_cast<Eigen::Index>(value); }

Eigen::Map<const Eigen::VectorXd> vector(std::span<const double> values) {
  return {values.data(), index(values.size())};
}

Eigen::Map<Eigen::VectorXd> vector(std::span<double> values) { return {values.data(), index(values.size())}; }

// What draws and points share: the covariance of lambda.
struct Covariance {
  Eigen::VectorXd scale;    // D
  Eigen::MatrixXd columns;  // U = D^-1 B
  Eigen::MatrixXd root;     // L L' = M
  double half_log_det = 0;
};

// y and t of draws or points, lanes innermost.
struct Standardised {
  Lanes y;
  Lanes t;
};

// The D and U with the least KL(N(0, D (I + U U') D) || N(0, P^-1)), as Joreskog (1967) fits factors. For
// given w = log D the columns of U are those eigenvectors v_c of D P D with the least eigenvalues p_c < 1,
// times sqrt(1 / p_c - 1), and what is left is a function of w alone,
//   f(w) = sum_i w_i - (tr(D P D) + sum_c (log p_c - p_c + 1)) / 2,
//   df / dw_i = h_i - (D P D)_ii,  h_i = 1 - sum_c v_ci^2 (1 - p_c),
// which quasi-Newton steps (BFGS) climb. An evaluation costs an eigendecomposition.
class Projection final {
 public:
  Projection(const Eigen::MatrixXd& lower, Eigen::Index rank) : rank_(rank) {
    const Eigen::Index dim = lower.rows();
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(dim, dim);
    math::linear::solve_lower(lower, inverse);
    precision_ = inverse.transpose() * inverse;
    if (rank + 1 >= dim)
      take_exactly(lower);
    else
      climb();
  }

  const Eigen::VectorXd& log_scale() const { return log_scale_; }
  Eigen::MatrixXd low_rank() const { return log_scale_.array().exp().matrix().asDiagonal() * columns_; }

 private:
  struct Evaluated {
    double value = 0;
    Eigen::VectorXd slope;
  };

  // D^2 is the least eigenvalue of the correlations times the variances: what is left has rank dim - 1.
  void take_exactly(const Eigen::MatrixXd& lower) {
    const Eigen::VectorXd sd = lower.rowwise().norm();
    const Eigen::MatrixXd rows = sd.cwiseInverse().asDiagonal() * lower;
    const Eigen::MatrixXd correlations = rows * rows.transpose();
    Eigen::VectorXd values(sd.size());
    Eigen::MatrixXd vectors(sd.size(), sd.size());
    math::linear::symmetric_eigen(correlations, values, vectors);
    const double least = values(0);
    log_scale_ = (std::sqrt(least) * sd).array().log();
    columns_ = Eigen::MatrixXd::Zero(sd.size(), rank_);
    for (Eigen::Index c = 0; c < std::min(rank_, sd.size() - 1); ++c) {
      const Eigen::Index from = sd.size() - 1 - c;
      columns_.col(c) = std::sqrt(std::max(0.0, values(from) / least - 1)) * vectors.col(from);
    }
  }

  // f at w; sets columns_ to the U of w.
  Evaluated evaluate(const Eigen::VectorXd& w) {
    const Eigen::VectorXd scale = w.array().exp();
    const Eigen::MatrixXd scaled = scale.asDiagonal() * precision_ * scale.asDiagonal();
    Eigen::VectorXd values(w.size());
    Eigen::MatrixXd vectors(w.size(), w.size());
    math::linear::symmetric_eigen(scaled, values, vectors);
    Evaluated result{w.sum() - 0.5 * scaled.trace(), 1 - scaled.diagonal().array()};
    columns_ = Eigen::MatrixXd::Zero(w.size(), rank_);
    for (Eigen::Index c = 0; c < rank_; ++c) {
      const double p = std::max(values(c), kLeastEigenvalue);
      if (!(p < 1)) break;
      result.value -= 0.5 * (std::log(p) - p + 1);
      result.slope -= (1 - p) * vectors.col(c).cwiseAbs2();
      columns_.col(c) = std::sqrt(1 / p - 1) * vectors.col(c);
    }
    ++evaluations_;
    return result;
  }

  void climb() {
    const auto dim = static_cast<double>(precision_.rows());
    const double most = std::clamp(kEigenBudget / (dim * dim * dim), 1.0, kMostEvaluations);
    log_scale_ = -0.5 * precision_.diagonal().array().log();
    Evaluated at = evaluate(log_scale_);
    Eigen::MatrixXd inverse = 0.5 * Eigen::MatrixXd::Identity(precision_.rows(), precision_.rows());
    while (evaluations_ < most && at.slope.cwiseAbs().maxCoeff() > kSlopeTol) {
      const Eigen::VectorXd direction = inverse * at.slope;
      double length = std::min(1.0, 1 / direction.cwiseAbs().maxCoeff());
      Evaluated next = evaluate(log_scale_ + length * direction);
      while (!(next.value >= at.value + 1e-4 * length * at.slope.dot(direction)) && length > 1e-6) {
        length *= 0.5;
        next = evaluate(log_scale_ + length * direction);
      }
      if (!(next.value > at.value)) break;
      update(inverse, length * direction, at.slope - next.slope);
      log_scale_ += length * direction;
      at = std::move(next);
    }
    evaluate(log_scale_);
  }

  static void update(Eigen::MatrixXd& inverse, const Eigen::VectorXd& step, const Eigen::VectorXd& change) {
    const double curvature = step.dot(change);
    if (!(curvature > 1e-12 * step.norm() * change.norm())) return;
    const Eigen::VectorXd image = inverse * change;
    inverse += (1 + change.dot(image) / curvature) / curvature * step * step.transpose() -
               (image * step.transpose() + step * image.transpose()) / curvature;
  }

  Eigen::Index rank_;
  Eigen::MatrixXd precision_;
  Eigen::VectorXd log_scale_;
  Eigen::MatrixXd columns_;
  double evaluations_ = 0;
};

class LowRank final : public Family {
 public:
  LowRank(std::size_t dim, std::size_t rank) : dim_(dim), rank_(rank) {}

  std::size_t dim() const override { return dim_; }
  std::size_t parameters() const override { return dim_ * (2 + rank_); }
  std::size_t noise() const override { return dim_ + rank_; }
  Abilities abilities() const override {
    return {.entropy = true, .moments = true, .is_identified = false, .is_gaussian = true};
  }

  // A column of zeros in B would stay: the gradient of the ELBO to it is zero. It gets a little noise.
  void begin(const GaussianGuess& guess, std::uint64_t seed, std::span<double> lambda) const override {
    set_gaussian(guess, lambda);
    Random random(seed, 0, 0, 1);
    for (std::size_t c = 0; c < rank_; ++c) {
      const std::span<double> column = lambda.subspan((2 + c) * dim_, dim_);
      if (std::any_of(column.begin(), column.end(), [](double value) { return value != 0; })) continue;
      for (std::size_t i = 0; i < dim_; ++i) column[i] = 0.1 * std::exp(lambda[dim_ + i]) * random.normal();
    }
  }

  void units(std::span<const double> lambda, std::span<double> result) const override {
    const Covariance covariance = covariance_of(lambda);
    const Eigen::VectorXd h = own_share(covariance);
    for (std::size_t i = 0; i < dim_; ++i) {
      const double share = std::sqrt(h(index(i)));
      const double conditional_sd = covariance.scale(index(i)) / share;
      result[i] = conditional_sd;
      result[dim_ + i] = 1 / share;
      for (std::size_t c = 0; c < rank_; ++c) result[(2 + c) * dim_ + i] = conditional_sd;
    }
  }

  void draw(std::span<const double> lambda, const DrawBatch& batch) override {
    const Covariance covariance = covariance_of(lambda);
    const Points all(batch.noise, index(dim_ + rank_), index(batch.lanes));
    noise_ = all;
    const auto z1 = noise_.topRows(index(dim_));
    const auto z2 = noise_.bottomRows(index(rank_));
    Eigen::Map<Lanes> theta(batch.theta, index(dim_), index(batch.lanes));
    drawn_.t = covariance.columns.transpose() * z1 - z2;
    math::linear::solve_cholesky(covariance.root, drawn_.t);
    drawn_.y = z1 - covariance.columns * drawn_.t;
    drawn_.t += z2;
    theta = covariance.scale.asDiagonal() * (z1 + covariance.columns * z2);
    theta.colwise() += vector(lambda.first(dim_));
    if (batch.log_q != nullptr) write_log_q(covariance, drawn_, batch.log_q);
  }

  void pull_back(std::span<const double> lambda, const DrawAdjoint& adjoint,
                 std::span<double> lambda_adjoint) override {
    const Covariance covariance = covariance_of(lambda);
    Lanes total = Points(adjoint.theta, index(dim_), index(adjoint.lanes));
    vector(lambda_adjoint.first(dim_)) += total.rowwise().sum();
    if (adjoint.log_q != nullptr) {
      const Eigen::Map<const Eigen::VectorXd> weights(adjoint.log_q, index(adjoint.lanes));
      total -= covariance.scale.cwiseInverse().asDiagonal() * drawn_.y * weights.asDiagonal();
      add_covariance_score(covariance, drawn_, weights, lambda_adjoint);
    }
    const auto z1 = noise_.topRows(index(dim_));
    vector(lambda_adjoint.subspan(dim_, dim_)) +=
        covariance.scale.cwiseProduct(total.cwiseProduct(z1).rowwise().sum());
    low_rank(lambda_adjoint) += total * noise_.bottomRows(index(rank_)).transpose();
  }

  void slopes_of_draws(std::span<const double> lambda, double* slopes) override {
    write_slopes(covariance_of(lambda), drawn_, slopes);
  }

  void evaluate(std::span<const double> lambda, const PointBatch& batch) override {
    const Covariance covariance = covariance_of(lambda);
    const Standardised at = standardise(lambda, covariance, batch);
    write_log_q(covariance, at, batch.log_q);
    if (batch.slopes != nullptr) write_slopes(covariance, at, batch.slopes);
  }

  void score(std::span<const double> lambda, const PointBatch& batch, const double* weights,
             std::span<double> lambda_adjoint) override {
    const Covariance covariance = covariance_of(lambda);
    const Standardised at = standardise(lambda, covariance, batch);
    const Eigen::Map<const Eigen::VectorXd> of_points(weights, index(batch.lanes));
    vector(lambda_adjoint.first(dim_)) += (at.y * of_points).cwiseQuotient(covariance.scale);
    add_covariance_score(covariance, at, of_points, lambda_adjoint);
  }

  double entropy(std::span<const double> lambda, double scale,
                 std::span<double> lambda_adjoint) const override {
    const Covariance covariance = covariance_of(lambda);
    if (!lambda_adjoint.empty()) {
      vector(lambda_adjoint.subspan(dim_, dim_)) += scale * own_share(covariance);
      low_rank(lambda_adjoint) += scale * solved_columns(covariance);
    }
    return covariance.half_log_det + 0.5 * static_cast<double>(dim_) * (1 + kLogTwoPi);
  }

  void moments(std::span<const double> lambda, std::span<double> mean, std::span<double> sd) const override {
    const Covariance covariance = covariance_of(lambda);
    vector(mean) = vector(lambda.first(dim_));
    vector(sd) = covariance.scale.array() * (1 + covariance.columns.rowwise().squaredNorm().array()).sqrt();
  }

  GaussianGuess gaussian_of(std::span<const double> lambda) const override {
    const Covariance covariance = covariance_of(lambda);
    GaussianGuess result{std::vector<double>(dim_), std::vector<double>(dim_),
                         std::vector<double>(dim_ * dim_)};
    moments(lambda, result.mean, result.sd);
    Eigen::MatrixXd scaled = covariance.columns * covariance.columns.transpose();
    scaled.diagonal().array() += 1;
    Eigen::MatrixXd lower(index(dim_), index(dim_));
    math::linear::cholesky(scaled, lower);
    Eigen::Map<Eigen::MatrixXd>(result.lower.data(), index(dim_), index(dim_)) =
        covariance.scale.asDiagonal() * lower;
    return result;
  }

  void set_gaussian(const GaussianGuess& gaussian, std::span<double> lambda) const override {
    std::copy(gaussian.mean.begin(), gaussian.mean.end(), lambda.begin());
    if (gaussian.lower.empty() || dim_ == 0) {
      for (std::size_t i = 0; i < dim_; ++i) lambda[dim_ + i] = std::log(gaussian.sd[i]);
      low_rank(lambda).setZero();
      return;
    }
    const Projection projection(
        Eigen::Map<const Eigen::MatrixXd>(gaussian.lower.data(), index(dim_), index(dim_)), index(rank_));
    vector(lambda.subspan(dim_, dim_)) = projection.log_scale();
    low_rank(lambda) = projection.low_rank();
  }

 private:
  Eigen::Map<const Eigen::MatrixXd> low_rank(std::span<const double> lambda) const {
    return {lambda.data() + 2 * dim_, index(dim_), index(rank_)};
  }
  Eigen::Map<Eigen::MatrixXd> low_rank(std::span<double> lambda) const {
    return {lambda.data() + 2 * dim_, index(dim_), index(rank_)};
  }

  Covariance covariance_of(std::span<const double> lambda) const {
    Covariance result;
    result.scale = vector(lambda.subspan(dim_, dim_)).array().exp();
    result.columns = result.scale.cwiseInverse().asDiagonal() * low_rank(lambda);
    Eigen::MatrixXd m = result.columns.transpose() * result.columns;
    m.diagonal().array() += 1;
    result.root.resize(m.rows(), m.cols());
    math::linear::cholesky(m, result.root);
    result.half_log_det =
        vector(lambda.subspan(dim_, dim_)).sum() + result.root.diagonal().array().log().sum();
    return result;
  }

  Standardised standardise(std::span<const double> lambda, const Covariance& covariance,
                           const PointBatch& batch) const {
    Standardised result;
    result.y = Points(batch.theta, index(dim_), index(batch.lanes));
    result.y.colwise() -= vector(lambda.first(dim_));
    result.y = (covariance.scale.cwiseInverse().asDiagonal() * result.y).eval();
    result.t = covariance.columns.transpose() * result.y;
    math::linear::solve_cholesky(covariance.root, result.t);
    result.y -= covariance.columns * result.t;
    return result;
  }

  void write_log_q(const Covariance& covariance, const Standardised& at, double* log_q) const {
    const double constant = -covariance.half_log_det - 0.5 * static_cast<double>(dim_) * kLogTwoPi;
    Eigen::Map<Eigen::RowVectorXd> result(log_q, at.y.cols());
    result = -0.5 * (at.y.colwise().squaredNorm() + at.t.colwise().squaredNorm());
    result.array() += constant;
  }

  void write_slopes(const Covariance& covariance, const Standardised& at, double* slopes) const {
    Eigen::Map<Lanes>(slopes, index(dim_), at.y.cols()) =
        covariance.scale.cwiseInverse().asDiagonal() * -at.y;
  }

  // h: 1 where coordinate i has no part in B.
  Eigen::VectorXd own_share(const Covariance& covariance) const {
    Eigen::MatrixXd half = covariance.columns.transpose();
    math::linear::solve_lower(covariance.root, half);
    return 1 - half.colwise().squaredNorm().transpose().array();
  }

  // S^-1 B
  Eigen::MatrixXd solved_columns(const Covariance& covariance) const {
    Lanes solved = covariance.columns.transpose();
    math::linear::solve_cholesky(covariance.root, solved);
    return covariance.scale.cwiseInverse().asDiagonal() * solved.transpose();
  }

  template <class Weights>
  void add_covariance_score(const Covariance& covariance, const Standardised& at, const Weights& weights,
                            std::span<double> lambda_adjoint) const {
    const double sum = weights.sum();
    vector(lambda_adjoint.subspan(dim_, dim_)) +=
        at.y.cwiseAbs2().matrix() * weights - sum * own_share(covariance);
    const Lanes weighted = at.t * weights.asDiagonal();
    low_rank(lambda_adjoint) += covariance.scale.cwiseInverse().asDiagonal() * (at.y * weighted.transpose());
    low_rank(lambda_adjoint) -= sum * solved_columns(covariance);
  }

  std::size_t dim_;
  std::size_t rank_;
  Lanes noise_;  // of the draws last made: z1 above z2
  Standardised drawn_;
};

std::unique_ptr<Family> make(const FamilySetting& setting) {
  const std::size_t given = setting.options == nullptr ? 0 : (*setting.options)[option::kRank];
  if (given > setting.dim)
    throw Error(ErrorKind::usage,
                fmt::format("--rank is {}; a covariance of {} coordinates has no more directions than that.",
                            given, setting.dim),
                "`--family fullrank` has all of them.");
  return std::make_unique<LowRank>(setting.dim, std::min(given > 0 ? given : kDefaultRank, setting.dim));
}

constexpr const OptionRecord* kOptions[] = {&option::kRank};

}  // namespace

const FamilyRecord& low_rank_family() {
  static const FamilyRecord record{
      .name = "lowrank",
      .summary = "a normal whose covariance is a diagonal and a few directions (--rank)",
      .citation =
          "Ong, Nott and Smith (2018), Gaussian variational approximation with a factor covariance "
          "structure, "
          "Journal of Computational and Graphical Statistics 27.",
      .options = kOptions,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
