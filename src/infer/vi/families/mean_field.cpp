// Independent normal coordinates: theta_i = m_i + exp(w_i) z_i, lambda = (m, w).
//   log q = -sum_i (w_i + z_i^2 / 2) - dim log(2 pi) / 2,  entropy = sum_i w_i + dim log(2 pi e) / 2
// Through the draws: d theta_i = dm_i + exp(w_i) z_i dw_i, and the total derivative of log q is -dw_i.
// At a point, with z_i = (theta_i - m_i) / exp(w_i): score = (z_i / exp(w_i), z_i^2 - 1).
#include <cmath>
#include <numbers>

#include "infer/vi/family.hpp"

namespace kullback::infer {

namespace {

const double kLogTwoPi = std::log(2 * std::numbers::pi);

class MeanField final : public Family {
 public:
  explicit MeanField(std::size_t dim) : dim_(dim) {}

  std::size_t dim() const override { return dim_; }
  std::size_t parameters() const override { return 2 * dim_; }
  std::size_t noise() const override { return dim_; }
  Abilities abilities() const override { return {.entropy = true, .moments = true, .is_gaussian = true}; }

  void begin(const GaussianGuess& guess, std::uint64_t, std::span<double> lambda) const override {
    set_gaussian(guess, lambda);
  }

  void units(std::span<const double> lambda, std::span<double> result) const override {
    for (std::size_t i = 0; i < dim_; ++i) {
      result[i] = std::exp(lambda[dim_ + i]);
      result[dim_ + i] = 1;
    }
  }

  void draw(std::span<const double> lambda, const DrawBatch& batch) override {
    const std::size_t lanes = batch.lanes;
    noise_.assign(batch.noise, batch.noise + dim_ * lanes);
    std::vector<double> sum(lanes, -0.5 * static_cast<double>(dim_) * kLogTwoPi);
    for (std::size_t i = 0; i < dim_; ++i) {
      const double scale = std::exp(lambda[dim_ + i]);
      for (std::size_t k = 0; k < lanes; ++k) {
        const double z = noise_[i * lanes + k];
        batch.theta[i * lanes + k] = lambda[i] + scale * z;
        sum[k] -= lambda[dim_ + i] + 0.5 * z * z;
      }
    }
    for (std::size_t k = 0; batch.log_q != nullptr && k < lanes; ++k) batch.log_q[k] = sum[k];
  }

  void pull_back(std::span<const double> lambda, const DrawAdjoint& adjoint,
                 std::span<double> lambda_adjoint) override {
    const std::size_t lanes = adjoint.lanes;
    double of_log_q = 0;
    for (std::size_t k = 0; adjoint.log_q != nullptr && k < lanes; ++k) of_log_q += adjoint.log_q[k];
    for (std::size_t i = 0; i < dim_; ++i) {
      double of_mean = 0;
      double of_scale = 0;
      for (std::size_t k = 0; k < lanes; ++k) {
        of_mean += adjoint.theta[i * lanes + k];
        of_scale += adjoint.theta[i * lanes + k] * noise_[i * lanes + k];
      }
      lambda_adjoint[i] += of_mean;
      lambda_adjoint[dim_ + i] += std::exp(lambda[dim_ + i]) * of_scale - of_log_q;
    }
  }

  void slopes_of_draws(std::span<const double> lambda, double* slopes) override {
    const std::size_t lanes = dim_ == 0 ? 0 : noise_.size() / dim_;
    for (std::size_t i = 0; i < dim_; ++i) {
      const double inverse = std::exp(-lambda[dim_ + i]);
      for (std::size_t k = 0; k < lanes; ++k) slopes[i * lanes + k] = -inverse * noise_[i * lanes + k];
    }
  }

  void evaluate(std::span<const double> lambda, const PointBatch& batch) override {
    const std::size_t lanes = batch.lanes;
    std::vector<double> each(dim_ * lanes);
    factor_log_q(lambda, batch, each.data());
    for (std::size_t k = 0; k < lanes; ++k) batch.log_q[k] = 0;
    for (std::size_t i = 0; i < dim_; ++i) {
      const double precision = std::exp(-2 * lambda[dim_ + i]);
      for (std::size_t k = 0; k < lanes; ++k) {
        batch.log_q[k] += each[i * lanes + k];
        if (batch.slopes != nullptr)
          batch.slopes[i * lanes + k] = -precision * (batch.theta[i * lanes + k] - lambda[i]);
      }
    }
  }

  void score(std::span<const double> lambda, const PointBatch& batch, const double* weights,
             std::span<double> lambda_adjoint) override {
    for (std::size_t i = 0; i < dim_; ++i) {
      const double inverse = std::exp(-lambda[dim_ + i]);
      for (std::size_t k = 0; k < batch.lanes; ++k) {
        const double z = (batch.theta[i * batch.lanes + k] - lambda[i]) * inverse;
        lambda_adjoint[i] += weights[k] * z * inverse;
        lambda_adjoint[dim_ + i] += weights[k] * (z * z - 1);
      }
    }
  }

  void scores(std::span<const double> lambda, const PointBatch& batch, double* result) override {
    const std::size_t lanes = batch.lanes;
    for (std::size_t i = 0; i < dim_; ++i) {
      const double inverse = std::exp(-lambda[dim_ + i]);
      for (std::size_t k = 0; k < lanes; ++k) {
        const double z = (batch.theta[i * lanes + k] - lambda[i]) * inverse;
        result[i * lanes + k] = z * inverse;
        result[(dim_ + i) * lanes + k] = z * z - 1;
      }
    }
  }

  Factors factors() const override {
    Factors result{dim_, std::vector<std::uint32_t>(dim_), std::vector<std::uint32_t>(2 * dim_)};
    for (std::uint32_t i = 0; i < dim_; ++i)
      result.of_coordinate[i] = result.of_parameter[i] = result.of_parameter[dim_ + i] = i;
    return result;
  }

  void factor_log_q(std::span<const double> lambda, const PointBatch& batch, double* result) override {
    for (std::size_t i = 0; i < dim_; ++i) {
      const double inverse = std::exp(-lambda[dim_ + i]);
      const double constant = -lambda[dim_ + i] - 0.5 * kLogTwoPi;
      for (std::size_t k = 0; k < batch.lanes; ++k) {
        const double z = (batch.theta[i * batch.lanes + k] - lambda[i]) * inverse;
        result[i * batch.lanes + k] = constant - 0.5 * z * z;
      }
    }
  }

  double entropy(std::span<const double> lambda, double scale,
                 std::span<double> lambda_adjoint) const override {
    double sum = 0.5 * static_cast<double>(dim_) * (1 + kLogTwoPi);
    for (std::size_t i = 0; i < dim_; ++i) {
      sum += lambda[dim_ + i];
      if (!lambda_adjoint.empty()) lambda_adjoint[dim_ + i] += scale;
    }
    return sum;
  }

  void moments(std::span<const double> lambda, std::span<double> mean, std::span<double> sd) const override {
    for (std::size_t i = 0; i < dim_; ++i) {
      mean[i] = lambda[i];
      sd[i] = std::exp(lambda[dim_ + i]);
    }
  }

  GaussianGuess gaussian_of(std::span<const double> lambda) const override {
    GaussianGuess result{std::vector<double>(dim_), std::vector<double>(dim_), {}};
    moments(lambda, result.mean, result.sd);
    return result;
  }

  // KL(q || g) is least for the mean of g and variances 1 / (G^-1)_ii, G = L L' the covariance of g: column i
  // of L^-1 has the squared norm (G^-1)_ii.
  void set_gaussian(const GaussianGuess& gaussian, std::span<double> lambda) const override {
    for (std::size_t i = 0; i < dim_; ++i) {
      lambda[i] = gaussian.mean[i];
      lambda[dim_ + i] = gaussian.lower.empty() ? std::log(gaussian.sd[i])
                                                : -0.5 * std::log(precision_of(gaussian.lower, i));
    }
  }

 private:
  double precision_of(const std::vector<double>& lower, std::size_t i) const {
    std::vector<double> column(dim_);
    double sum = 0;
    for (std::size_t row = i; row < dim_; ++row) {
      double value = row == i ? 1.0 : 0.0;
      for (std::size_t j = i; j < row; ++j) value -= lower[j * dim_ + row] * column[j];
      column[row] = value / lower[row * dim_ + row];
      sum += column[row] * column[row];
    }
    return sum;
  }

  std::size_t dim_;
  std::vector<double> noise_;  // of the draws last made
};

std::unique_ptr<Family> make(const FamilySetting& setting) {
  return std::make_unique<MeanField>(setting.dim);
}

}  // namespace

const FamilyRecord& mean_field_family() {
  static const FamilyRecord record{
      .name = "meanfield",
      .summary = "independent normal coordinates",
      .citation =
          "Kucukelbir, Tran, Ranganath, Gelman and Blei (2017), Automatic differentiation variational "
          "inference, JMLR 18.",
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
