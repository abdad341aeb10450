// q(w, tau) normal-gamma with a full precision matrix, q(alpha) a product of gammas (Drugowitsch 2013):
//   w | tau, alpha ~ N(0, (tau diag(alpha))^-1),  tau ~ Gamma(a0, b0),  alpha_g ~ Gamma(c0, d0),
//   q(w | tau) = N(m, (tau L)^-1),  q(tau) = Gamma(a, b).
// In the natural parameters of the statistics (log tau, tau, tau w, tau w_i w_j for j <= i)
//   (a - 1 + P/2,  -b - m'Lm/2,  Lm,  -L_ii/2 and -L_ij)
// the likelihood is (n/2, -s/2, r, -G_ii/2 and -G_ij): an update adds it to the prior. With alpha known that
// is the exact posterior and the bound is the log evidence. Groups g of coefficients that share a precision:
// none (gaussian), all but the intercept (ridge), each but the intercept (ard).
//
// Data that became the prior are kept as a likelihood, since alpha goes on being learned from w; the bound
// after that is of what is new, given the old.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "conjugate/regress/pieces.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::conjugate::regress {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr std::size_t kCoefficients = 0;  // blocks
constexpr std::size_t kPrecisions = 1;
constexpr std::size_t kTau = 2;  // natural parameters of tau come before those of w

class Dense final : public Posterior {
 public:
  explicit Dense(const PriorChoice& choice)
      : choice_(choice),
        size_(choice.size),
        groups_(choice.prior == Prior::gaussian ? 0
                : choice.prior == Prior::ridge  ? 1
                                                : size_ - 1),
        natural_(kTau + size_ + packed_size(size_)),
        known_(natural_.size()),
        precision_natural_(2 * groups_),
        used_precisions_(size_) {}

  void begin(double tau, double rows, Random&) override {
    tau_ = tau;
    refreshed_.clear();
    std::fill(known_.begin(), known_.end(), 0.0);
    known_bound_ = 0;
    const double shape = choice_.precisions.shape + 0.5;  // expectation 1
    for (std::size_t g = 0; g < groups_; ++g) {
      precision_natural_[2 * g] = shape - 1;
      precision_natural_[2 * g + 1] = -shape;
    }
    // Narrow around 0: bounds of logistic likelihoods are tight there.
    std::fill(natural_.begin(), natural_.end(), 0.0);
    natural_[0] = 0.5 * static_cast<double>(size_) + choice_.noise.rate;  // E tau = 1
    natural_[1] = -1 - choice_.noise.rate;
    used_precisions_ = precisions();
    for (std::size_t i = 0; i < size_; ++i) square(i) = -0.5 * (used_precisions_[i] + rows);
  }

  void prepare() override {
    if (natural_ == refreshed_) return;
    refresh();
  }

  std::size_t blocks() const override { return groups_ > 0 ? 2 : 1; }
  std::span<double> natural(std::size_t block) override {
    return block == kCoefficients ? natural_ : precision_natural_;
  }

  void update(std::size_t block, const Likelihood& data, Mover& mover) override {
    if (block == kPrecisions) return update_precisions(mover);
    used_precisions_ = precisions();
    std::vector<double> target = prior_natural(used_precisions_);
    for (std::size_t i = 0; i < target.size(); ++i) target[i] += known_[i];
    add(data, target);
    mover.move(block, natural_, target, [this](std::span<const double> x) { return is_inside(x); });
    refresh();
  }

  std::vector<double> mean_parameters(std::size_t block) const override {
    if (block == kPrecisions) {
      std::vector<double> means;
      for (std::size_t g = 0; g < groups_; ++g) {
        means.push_back(expected_log(group(g)));
        means.push_back(expectation(group(g)));
      }
      return means;
    }
    std::vector<double> means = {expected_log_tau(), expected_tau()};
    for (const double m : mean_) means.push_back(expected_tau() * m);
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) means.push_back(expected_product(i, j));
    }
    return means;
  }

  Terms bound(const Likelihood& data) const override {
    std::vector<double> natural(natural_.size());
    add(data, natural);
    Terms terms = {{"log likelihood", expected(natural)}};
    terms.emplace_back("KL of coefficients", -divergence_of_coefficients());
    if (!choice_.knows_noise) terms.emplace_back("KL of noise", -divergence(noise(), choice_.noise));
    if (groups_ > 0) terms.emplace_back("KL of precisions", -divergence_of_precisions());
    if (is_known()) terms.emplace_back("data that are the prior", expected(known_) - known_bound_);
    return terms;
  }

  void adopt_as_prior() override {
    const std::vector<double> prior = prior_natural(used_precisions_);
    for (std::size_t i = 0; i < known_.size(); ++i) known_[i] = natural_[i] - prior[i];
    known_bound_ = 0;
    const std::vector<double> nothing(packed_size(size_));
    known_bound_ = total(bound({.gram = nothing, .moments = std::span(nothing).first(size_)}));
  }

  void add_state(std::vector<double>& state) const override {
    state.push_back(tau_);
    state.push_back(known_bound_);
    for (const auto* part : {&natural_, &known_, &precision_natural_, &used_precisions_}) {
      state.insert(state.end(), part->begin(), part->end());
    }
  }
  void take_state(std::span<const double>& state) override {
    tau_ = state[0];
    known_bound_ = state[1];
    state = state.subspan(2);
    for (auto* part : {&natural_, &known_, &precision_natural_, &used_precisions_}) {
      std::copy_n(state.begin(), part->size(), part->begin());
      state = state.subspan(part->size());
    }
    refresh();
  }

  std::span<const double> mean() const override { return mean_; }
  const Spread& spread() const override { return spread_; }
  double degrees() const override {
    return choice_.knows_noise ? std::numeric_limits<double>::infinity() : 2 * noise().shape;
  }
  double quantile(std::size_t i, double probability) const override {
    return mean_[i] + std::sqrt(inverse(i, i) / expected_tau()) * t_quantile(probability, degrees());
  }
  Gamma noise() const override { return {shape_, rate_}; }
  double expected_tau() const override { return choice_.knows_noise ? tau_ : expectation(noise()); }

  std::vector<double> determined() const override {
    const std::vector<double> prior = precisions();
    std::vector<double> parts(size_);
    for (std::size_t i = 0; i < size_; ++i) parts[i] = std::clamp(1 - prior[i] * inverse(i, i), 0.0, 1.0);
    return parts;
  }
  std::vector<double> expected_precisions() const override {
    std::vector<double> means(groups_);
    for (std::size_t g = 0; g < groups_; ++g) means[g] = expectation(group(g));
    return means;
  }

 private:
  double& square(std::size_t i) { return natural_[kTau + size_ + packed_place(i, i)]; }
  double inverse(std::size_t i, std::size_t j) const { return inverse_[i * size_ + j]; }
  Gamma group(std::size_t g) const { return gamma_of(std::span(precision_natural_).subspan(2 * g, 2)); }
  double expected_log_tau() const { return choice_.knows_noise ? std::log(tau_) : expected_log(noise()); }
  double expected_product(std::size_t i, std::size_t j) const {
    return inverse(i, j) + expected_tau() * mean_[i] * mean_[j];
  }
  bool is_known() const {
    return std::any_of(known_.begin(), known_.end(), [](double x) { return x != 0; });
  }

  // The group of coefficient i > 0.
  std::size_t group_of(std::size_t i) const { return groups_ == 1 ? 0 : i - 1; }
  std::vector<double> precisions() const {
    std::vector<double> all(size_, choice_.precision);
    all[0] = choice_.intercept_precision;
    if (groups_ > 0) {
      for (std::size_t i = 1; i < size_; ++i) all[i] = expectation(group(group_of(i)));
    }
    return all;
  }

  std::vector<double> prior_natural(std::span<const double> precisions) const {
    std::vector<double> natural(natural_.size());
    natural[0] = choice_.noise.shape - 1 + 0.5 * static_cast<double>(size_);
    natural[1] = -choice_.noise.rate;
    for (std::size_t i = 0; i < size_; ++i) natural[kTau + size_ + packed_place(i, i)] = -0.5 * precisions[i];
    return natural;
  }

  void add(const Likelihood& data, std::vector<double>& natural) const {
    natural[0] += 0.5 * data.rows;
    natural[1] -= 0.5 * data.squares;
    for (std::size_t i = 0; i < size_; ++i) natural[kTau + i] += data.moments[i];
    double* gram = natural.data() + kTau + size_;
    for (std::size_t i = 0, at = 0; i < size_; ++i, ++at) {
      for (std::size_t j = 0; j < i; ++j, ++at) gram[at] -= data.gram[at];
      gram[at] -= 0.5 * data.gram[at];
    }
  }

  // The expectation of a likelihood in natural form: its product with the mean parameters, arranged so that
  // squares of residuals, not of the target, meet E tau.
  double expected(const std::vector<double>& natural) const {
    double residual = natural[1];
    for (std::size_t i = 0; i < size_; ++i) residual += natural[kTau + i] * mean_[i];
    const double* gram = natural.data() + kTau + size_;
    double trace = 0;
    for (std::size_t i = 0, at = 0; i < size_; ++i) {
      double row = 0;
      for (std::size_t j = 0; j <= i; ++j, ++at) {
        row += gram[at] * mean_[j];
        trace += gram[at] * inverse(i, j);
      }
      residual += row * mean_[i];
    }
    return natural[0] * expected_log_tau() + expected_tau() * residual + trace;
  }

  static Matrix precision_matrix(std::span<const double> natural, std::size_t size) {
    Matrix matrix(size, size);
    for (std::size_t i = 0, at = kTau + size; i < size; ++i, ++at) {
      for (std::size_t j = 0; j < i; ++j, ++at) matrix(i, j) = matrix(j, i) = -natural[at];
      matrix(i, i) = -2 * natural[at];
    }
    return matrix;
  }

  bool is_inside(std::span<const double> natural) const {
    Matrix factor = precision_matrix(natural, size_);
    if (!math::linear::cholesky(factor, factor)) return false;
    if (choice_.knows_noise) return true;
    const Eigen::Map<const Vector> moments(natural.data() + kTau, size_);
    Vector mean = moments;
    math::linear::solve_cholesky(factor, mean);
    return natural[0] + 1 > 0.5 * static_cast<double>(size_) && -natural[1] > 0.5 * moments.dot(mean);
  }

  // Collinear columns and precisions below rounding leave a matrix that is singular to working precision; the
  // least ridge that mends it is some roundings of its diagonal.
  static Matrix factorise(Matrix matrix) {
    Matrix lower(matrix.rows(), matrix.cols());
    for (double ridge = 1e-15 * matrix.diagonal().maxCoeff();
         !math::linear::cholesky(matrix, lower) && std::isfinite(ridge); ridge *= 10)
      matrix.diagonal().array() += ridge;
    return lower;
  }

  void refresh() {
    const Matrix factor = factorise(precision_matrix(natural_, size_));
    const Eigen::Map<const Vector> moments(natural_.data() + kTau, size_);
    mean_.resize(size_);
    Eigen::Map<Vector> mean(mean_.data(), size_);
    mean = moments;
    math::linear::solve_cholesky(factor, mean);
    Matrix lower_inverse = Matrix::Identity(size_, size_);
    math::linear::solve_lower(factor, lower_inverse);
    inverse_.resize(size_ * size_);
    Eigen::Map<Matrix> inverse(inverse_.data(), size_, size_);
    inverse.setZero();
    inverse.selfadjointView<Eigen::Lower>().rankUpdate(lower_inverse.transpose());
    inverse.triangularView<Eigen::StrictlyUpper>() = inverse.transpose();
    log_determinant_ = math::linear::log_determinant_of_cholesky(factor);
    shape_ = natural_[0] + 1 - 0.5 * static_cast<double>(size_);
    // A fit without residuals leaves rounding of the squares.
    const double left = -natural_[1] - 0.5 * moments.dot(mean);
    rate_ = std::max(left, 1e-16 * -natural_[1]);
    const double scale = 1 / std::sqrt(expected_tau());
    spread_.factor.resize(packed_size(size_));
    for (std::size_t i = 0, at = 0; i < size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j, ++at) spread_.factor[at] = scale * lower_inverse(i, j);
    }
    refreshed_ = natural_;
  }

  void update_precisions(Mover& mover) {
    std::vector<double> target;
    for (std::size_t g = 0; g < groups_; ++g) {
      target.push_back(choice_.precisions.shape - 1);
      target.push_back(-choice_.precisions.rate);
    }
    for (std::size_t i = 1; i < size_; ++i) {
      target[2 * group_of(i)] += 0.5;
      target[2 * group_of(i) + 1] -= 0.5 * expected_product(i, i);
    }
    mover.move(kPrecisions, precision_natural_, target, [this](std::span<const double> x) {
      for (std::size_t g = 0; g < groups_; ++g) {
        if (!is_gamma(x.subspan(2 * g, 2))) return false;
      }
      return true;
    });
  }

  // E log q(w | tau) - E log p(w | tau, alpha).
  double divergence_of_coefficients() const {
    double twice = log_determinant_ - static_cast<double>(size_);
    const std::vector<double> prior = precisions();
    for (std::size_t i = 0; i < size_; ++i) {
      const bool is_learned = i > 0 && groups_ > 0;
      twice -= is_learned ? expected_log(group(group_of(i))) : std::log(prior[i]);
      twice += prior[i] * expected_product(i, i);
    }
    return 0.5 * twice;
  }
  double divergence_of_precisions() const {
    double sum = 0;
    for (std::size_t g = 0; g < groups_; ++g) sum += divergence(group(g), choice_.precisions);
    return sum;
  }

  PriorChoice choice_;
  std::size_t size_;
  std::size_t groups_;
  std::vector<double> natural_;            // of w and tau
  std::vector<double> known_;              // the likelihood of data that count as known, in the same form
  std::vector<double> precision_natural_;  // (shape - 1, -rate) of each group
  std::vector<double> used_precisions_;    // E alpha of the last update of w
  double tau_ = 1;
  double known_bound_ = 0;
  // Of natural_:
  std::vector<double> refreshed_;
  std::vector<double> mean_;
  std::vector<double> inverse_;  // of the matrix L
  double log_determinant_ = 0;
  double shape_ = 1;
  double rate_ = 1;
  Spread spread_;
};

}  // namespace

std::unique_ptr<Posterior> make_dense(const PriorChoice& choice) { return std::make_unique<Dense>(choice); }

}  // namespace kullback::conjugate::regress
