// A multivariate Student t: theta = m + L y, y = r z with r = sqrt(nu / W), W chi-square with nu degrees of
// freedom. Of the dim + 1 numbers of the noise the last makes W as a quantile (infer/vi/chi_square.hpp).
// lambda = (m, L as in infer/vi/lower_factor.hpp, v) with nu = 2 + 1 / (exp(-v) + 1/1000) in (2, 1002):
// variances exist, and beyond a thousand degrees nothing tells the t from a normal. L is diagonal where there
// are more than kMostDense coordinates (in the coordinates that whiten the start, where these are used).
// With u = |y|^2:
//   log q = C(nu) - log det L - (nu + dim) / 2 log(1 + u / nu),
//   C = log Gamma((nu + dim) / 2) - log Gamma(nu / 2) - dim / 2 log(nu pi)
// Through the draws y depends on nu alone: with g = d log r / d nu = (1 / nu - W' / W) / 2,
//   d theta = dm + dL y + L y g dnu,  d log q = -d log det L + (N - (nu + dim) u / (nu + u) g) dnu,
//   N = [psi((nu + dim) / 2) - psi(nu / 2) - dim / nu - log(1 + u / nu) + (nu + dim) u / (nu (nu + u))] / 2
// At a point, s = L^-T y (nu + dim) / (nu + u): slopes -s, score (s, s y' less d log det L, N dnu).
#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <numbers>

#include "infer/vi/chi_square.hpp"
#include "infer/vi/family.hpp"
#include "infer/vi/lower_factor.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kMostDense = 200;
constexpr double kLeastDegrees = 2;
constexpr double kInverseRange = 1e-3;
constexpr double kFirstDegrees = 10;

struct Degrees {
  double nu = 0;
  double slope = 0;  // d nu / d v
};

Degrees degrees_of(double v) {
  const double inverse = std::exp(-v);
  const double sum = inverse + kInverseRange;
  return {kLeastDegrees + 1 / sum, inverse / sum / sum};
}

// psi((nu + dim) / 2) - psi(nu / 2), where both are positive and finite.
double digamma_gap(double nu, double dim) {
  if (!std::isfinite(nu)) return nu;
  return boost::math::digamma((nu + dim) / 2) - boost::math::digamma(nu / 2);
}

class Student final : public Family {
 public:
  explicit Student(std::size_t dim)
      : dim_(dim), count_(static_cast<double>(dim)), factor_(dim, shape_of(dim)) {}

  std::size_t dim() const override { return dim_; }
  std::size_t parameters() const override { return dim_ + factor_.parameters() + 1; }
  std::size_t noise() const override { return dim_ + 1; }
  Abilities abilities() const override { return {.entropy = true, .moments = true}; }

  void begin(const GaussianGuess& guess, std::uint64_t, std::span<double> lambda) const override {
    std::copy(guess.mean.begin(), guess.mean.end(), lambda.begin());
    factor_.pack(guess.lower, guess.sd, packed(lambda));
    factor_.scale_by(std::sqrt((kFirstDegrees - 2) / kFirstDegrees), packed(lambda));  // sd of the guess
    lambda.back() = -std::log(1 / (kFirstDegrees - kLeastDegrees) - kInverseRange);
  }

  void units(std::span<const double> lambda, std::span<double> result) const override {
    LowerFactor factor = factor_;
    factor.set(packed(lambda));
    factor.units(result.first(dim_), packed(result));
    result.back() = 1;
  }

  void draw(std::span<const double> lambda, const DrawBatch& batch) override {
    const std::size_t lanes = batch.lanes;
    const double nu = degrees_of(lambda.back()).nu;
    factor_.set(packed(lambda));
    y_.assign(batch.noise, batch.noise + dim_ * lanes);
    growth_.resize(lanes);
    std::vector<double> radius(lanes);
    for (std::size_t k = 0; k < lanes; ++k) {
      const ChiSquareDraw w = chi_square_of_normal(nu, batch.noise[dim_ * lanes + k]);
      radius[k] = std::sqrt(nu / w.value);
      growth_[k] = 0.5 * (1 / nu - w.slope / w.value);
    }
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) y_[i * lanes + k] *= radius[k];
    }
    offset_.resize(dim_ * lanes);
    factor_.times(lanes, y_.data(), offset_.data());
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) batch.theta[i * lanes + k] = lambda[i] + offset_[i * lanes + k];
    }
    if (batch.log_q != nullptr) write_log_q(nu, y_, lanes, batch.log_q);
  }

  void pull_back(std::span<const double> lambda, const DrawAdjoint& adjoint,
                 std::span<double> lambda_adjoint) override {
    const std::size_t lanes = adjoint.lanes;
    const Degrees degrees = degrees_of(lambda.back());
    const double nu = degrees.nu;
    factor_.set(packed(lambda));
    std::vector<double> of_radius(lanes);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) {
        lambda_adjoint[i] += adjoint.theta[i * lanes + k];
        of_radius[k] += adjoint.theta[i * lanes + k] * offset_[i * lanes + k];
      }
    }
    factor_.add_outer(lanes, adjoint.theta, y_.data(), packed(lambda_adjoint));
    const std::vector<double> u = squares(y_, lanes);
    double of_nu = 0;
    for (std::size_t k = 0; k < lanes; ++k) {
      const double weight = adjoint.log_q == nullptr ? 0 : adjoint.log_q[k];
      of_nu += (of_radius[k] - weight * (nu + count_) * u[k] / (nu + u[k])) * growth_[k];
      if (weight != 0) of_nu += weight * nu_slope(nu, u[k]);
      factor_.add_log_det(-weight, packed(lambda_adjoint));
    }
    lambda_adjoint.back() += of_nu * degrees.slope;
  }

  void slopes_of_draws(std::span<const double> lambda, double* slopes) override {
    factor_.set(packed(lambda));
    write_slopes(degrees_of(lambda.back()).nu, y_, growth_.size(), slopes);
  }

  void evaluate(std::span<const double> lambda, const PointBatch& batch) override {
    const double nu = degrees_of(lambda.back()).nu;
    standardise(lambda, batch);
    write_log_q(nu, point_, batch.lanes, batch.log_q);
    if (batch.slopes != nullptr) write_slopes(nu, point_, batch.lanes, batch.slopes);
  }

  void score(std::span<const double> lambda, const PointBatch& batch, const double* weights,
             std::span<double> lambda_adjoint) override {
    const std::size_t lanes = batch.lanes;
    const Degrees degrees = degrees_of(lambda.back());
    standardise(lambda, batch);
    std::vector<double> weighted(dim_ * lanes);
    write_slopes(degrees.nu, point_, lanes, weighted.data());
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) {
        weighted[i * lanes + k] *= -weights[k];
        lambda_adjoint[i] += weighted[i * lanes + k];
      }
    }
    factor_.add_outer(lanes, weighted.data(), point_.data(), packed(lambda_adjoint));
    const std::vector<double> u = squares(point_, lanes);
    for (std::size_t k = 0; k < lanes; ++k) {
      factor_.add_log_det(-weights[k], packed(lambda_adjoint));
      lambda_adjoint.back() += weights[k] * nu_slope(degrees.nu, u[k]) * degrees.slope;
    }
  }

  // log det L - C(nu) + (nu + dim) / 2 [psi((nu + dim) / 2) - psi(nu / 2)]: E log(1 + u / nu) is the bracket.
  double entropy(std::span<const double> lambda, double scale,
                 std::span<double> lambda_adjoint) const override {
    const Degrees degrees = degrees_of(lambda.back());
    const double nu = degrees.nu;
    const double gap = digamma_gap(nu, count_);
    double sum = 0.5 * (nu + count_) * gap - constant(nu);
    for (std::size_t i = 0; i < dim_; ++i) sum += packed(lambda)[factor_.place(i, i)];
    if (!lambda_adjoint.empty() && std::isfinite(nu)) {
      factor_.add_log_det(scale, packed(lambda_adjoint));
      const double curve = boost::math::trigamma((nu + count_) / 2) - boost::math::trigamma(nu / 2);
      lambda_adjoint.back() += scale * degrees.slope * (0.25 * (nu + count_) * curve + 0.5 * count_ / nu);
    }
    return sum;
  }

  void moments(std::span<const double> lambda, std::span<double> mean, std::span<double> sd) const override {
    const double nu = degrees_of(lambda.back()).nu;
    LowerFactor factor = factor_;
    factor.set(packed(lambda));
    for (std::size_t i = 0; i < dim_; ++i) {
      mean[i] = lambda[i];
      sd[i] = factor.row_norm(i) * std::sqrt(nu / (nu - 2));
    }
  }

 private:
  static Shape shape_of(std::size_t dim) { return dim <= kMostDense ? Shape::triangle : Shape::diagonal; }

  template <class Number>
  std::span<Number> packed(std::span<Number> lambda) const {
    return lambda.subspan(dim_, factor_.parameters());
  }

  double constant(double nu) const {
    return std::lgamma((nu + count_) / 2) - std::lgamma(nu / 2) -
           0.5 * count_ * std::log(nu * std::numbers::pi);
  }

  // N
  double nu_slope(double nu, double u) const {
    return 0.5 *
           (digamma_gap(nu, count_) - count_ / nu - std::log1p(u / nu) + (nu + count_) * u / (nu * (nu + u)));
  }

  std::vector<double> squares(const std::vector<double>& y, std::size_t lanes) const {
    std::vector<double> result(lanes);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) result[k] += y[i * lanes + k] * y[i * lanes + k];
    }
    return result;
  }

  // point_ = L^-1 (theta - m).
  void standardise(std::span<const double> lambda, const PointBatch& batch) {
    const std::size_t lanes = batch.lanes;
    factor_.set(packed(lambda));
    point_.resize(dim_ * lanes);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) point_[i * lanes + k] = batch.theta[i * lanes + k] - lambda[i];
    }
    factor_.solve(lanes, point_.data());
  }

  void write_log_q(double nu, const std::vector<double>& y, std::size_t lanes, double* log_q) const {
    const std::vector<double> u = squares(y, lanes);
    const double first = constant(nu) - factor_.log_det();
    for (std::size_t k = 0; k < lanes; ++k) log_q[k] = first - 0.5 * (nu + count_) * std::log1p(u[k] / nu);
  }

  void write_slopes(double nu, const std::vector<double>& y, std::size_t lanes, double* slopes) const {
    const std::vector<double> u = squares(y, lanes);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k)
        slopes[i * lanes + k] = -y[i * lanes + k] * (nu + count_) / (nu + u[k]);
    }
    factor_.solve_transposed(lanes, slopes);
  }

  std::size_t dim_;
  double count_;  // dim
  LowerFactor factor_;
  std::vector<double> y_;       // of the draws last made
  std::vector<double> offset_;  // L y of these
  std::vector<double> growth_;  // d log r / d nu of these
  std::vector<double> point_;   // y of points
};

std::unique_ptr<Family> make(const FamilySetting& setting) { return std::make_unique<Student>(setting.dim); }

}  // namespace

const FamilyRecord& student_family() {
  static const FamilyRecord record{
      .name = "student",
      .summary = "a multivariate Student t with free degrees of freedom: heavier tails than the normal's",
      .citation =
          "Figurnov, Mohamed and Mnih (2018), Implicit reparameterization gradients, NeurIPS; Dieng, Tran, "
          "Ranganath, Paisley and Blei (2017), Variational inference via chi upper bound minimization, "
          "NeurIPS.",
      .is_affine = true,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
