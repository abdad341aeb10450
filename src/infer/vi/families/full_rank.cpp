// A Gaussian with any covariance: theta = m + L z, L lower triangular with positive diagonal,
// lambda = (m, L column after column with the logarithms of its diagonal).
//   log q = -log det L - |z|^2 / 2 - dim log(2 pi) / 2,  entropy = log det L + dim log(2 pi e) / 2
// Through the draws: d theta = dm + dL z, and the total derivative of log q is -d log det L.
// At a point, with z = L^-1 (theta - m) and s = L^-T z: d log q / d theta = -s, the score is s to m and the
// lower triangle of s z' to L, less d log det L.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "infer/vi/family.hpp"
#include "infer/vi/lower_factor.hpp"

namespace kullback::infer {

namespace {

const double kLogTwoPi = std::log(2 * std::numbers::pi);

class FullRank final : public Family {
 public:
  explicit FullRank(std::size_t dim) : dim_(dim), factor_(dim) {}

  std::size_t dim() const override { return dim_; }
  std::size_t parameters() const override { return dim_ + factor_.parameters(); }
  std::size_t noise() const override { return dim_; }
  Abilities abilities() const override { return {.entropy = true, .moments = true, .is_gaussian = true}; }

  void begin(const GaussianGuess& guess, std::uint64_t, std::span<double> lambda) const override {
    set_gaussian(guess, lambda);
  }

  void units(std::span<const double> lambda, std::span<double> result) const override {
    LowerFactor factor(dim_);
    factor.set(lambda.subspan(dim_));
    factor.units(result.first(dim_), result.subspan(dim_));
  }

  void draw(std::span<const double> lambda, const DrawBatch& batch) override {
    const std::size_t lanes = batch.lanes;
    factor_.set(lambda.subspan(dim_));
    noise_.assign(batch.noise, batch.noise + dim_ * lanes);
    factor_.times(lanes, noise_.data(), batch.theta);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) batch.theta[i * lanes + k] += lambda[i];
    }
    if (batch.log_q != nullptr) write_log_q(noise_, lanes, batch.log_q);
  }

  void pull_back(std::span<const double> lambda, const DrawAdjoint& adjoint,
                 std::span<double> lambda_adjoint) override {
    const std::size_t lanes = adjoint.lanes;
    factor_.set(lambda.subspan(dim_));
    double of_log_q = 0;
    for (std::size_t k = 0; adjoint.log_q != nullptr && k < lanes; ++k) of_log_q += adjoint.log_q[k];
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) lambda_adjoint[i] += adjoint.theta[i * lanes + k];
    }
    factor_.add_outer(lanes, adjoint.theta, noise_.data(), lambda_adjoint.subspan(dim_));
    factor_.add_log_det(-of_log_q, lambda_adjoint.subspan(dim_));
  }

  void slopes_of_draws(std::span<const double> lambda, double* slopes) override {
    factor_.set(lambda.subspan(dim_));
    write_slopes(noise_, slopes);
  }

  void evaluate(std::span<const double> lambda, const PointBatch& batch) override {
    standardise(lambda, batch);
    write_log_q(point_, batch.lanes, batch.log_q);
    if (batch.slopes != nullptr) write_slopes(point_, batch.slopes);
  }

  void score(std::span<const double> lambda, const PointBatch& batch, const double* weights,
             std::span<double> lambda_adjoint) override {
    const std::size_t lanes = batch.lanes;
    standardise(lambda, batch);
    weighted_ = point_;
    factor_.solve_transposed(lanes, weighted_.data());
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) {
        weighted_[i * lanes + k] *= weights[k];
        lambda_adjoint[i] += weighted_[i * lanes + k];
      }
    }
    factor_.add_outer(lanes, weighted_.data(), point_.data(), lambda_adjoint.subspan(dim_));
    for (std::size_t k = 0; k < lanes; ++k) factor_.add_log_det(-weights[k], lambda_adjoint.subspan(dim_));
  }

  double entropy(std::span<const double> lambda, double scale,
                 std::span<double> lambda_adjoint) const override {
    double sum = 0.5 * static_cast<double>(dim_) * (1 + kLogTwoPi);
    for (std::size_t i = 0; i < dim_; ++i) sum += lambda[dim_ + factor_.place(i, i)];
    if (!lambda_adjoint.empty()) factor_.add_log_det(scale, lambda_adjoint.subspan(dim_));
    return sum;
  }

  void moments(std::span<const double> lambda, std::span<double> mean, std::span<double> sd) const override {
    LowerFactor factor(dim_);
    factor.set(lambda.subspan(dim_));
    for (std::size_t i = 0; i < dim_; ++i) {
      mean[i] = lambda[i];
      sd[i] = factor.row_norm(i);
    }
  }

  GaussianGuess gaussian_of(std::span<const double> lambda) const override {
    LowerFactor factor(dim_);
    factor.set(lambda.subspan(dim_));
    GaussianGuess result{std::vector<double>(dim_), std::vector<double>(dim_), factor.dense()};
    moments(lambda, result.mean, result.sd);
    return result;
  }

  void set_gaussian(const GaussianGuess& gaussian, std::span<double> lambda) const override {
    std::copy(gaussian.mean.begin(), gaussian.mean.end(), lambda.begin());
    factor_.pack(gaussian.lower, gaussian.sd, lambda.subspan(dim_));
  }

 private:
  // point_ = L^-1 (theta - m).
  void standardise(std::span<const double> lambda, const PointBatch& batch) {
    const std::size_t lanes = batch.lanes;
    factor_.set(lambda.subspan(dim_));
    point_.resize(dim_ * lanes);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) point_[i * lanes + k] = batch.theta[i * lanes + k] - lambda[i];
    }
    factor_.solve(lanes, point_.data());
  }

  void write_log_q(const std::vector<double>& z, std::size_t lanes, double* log_q) const {
    const double constant = -factor_.log_det() - 0.5 * static_cast<double>(dim_) * kLogTwoPi;
    std::fill(log_q, log_q + lanes, constant);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) log_q[k] -= 0.5 * z[i * lanes + k] * z[i * lanes + k];
    }
  }

  void write_slopes(const std::vector<double>& z, double* slopes) const {
    for (std::size_t i = 0; i < z.size(); ++i) slopes[i] = -z[i];
    factor_.solve_transposed(dim_ == 0 ? 0 : z.size() / dim_, slopes);
  }

  std::size_t dim_;
  LowerFactor factor_;
  std::vector<double> noise_;  // of the draws last made
  std::vector<double> point_;  // z of points
  std::vector<double> weighted_;
};

std::unique_ptr<Family> make(const FamilySetting& setting) { return std::make_unique<FullRank>(setting.dim); }

}  // namespace

const FamilyRecord& full_rank_family() {
  static const FamilyRecord record{
      .name = "fullrank",
      .summary = "a normal with any covariance",
      .citation =
          "Kucukelbir, Tran, Ranganath, Gelman and Blei (2017), Automatic differentiation variational "
          "inference, JMLR 18.",
      .is_affine = true,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
