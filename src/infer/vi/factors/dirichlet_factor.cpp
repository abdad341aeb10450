// A simplex x of K elements, x ~ Dirichlet(a). The coordinates are the isometric log-ratios theta = V' log x
// (base/helmert.hpp), so that theta = V' v with v_i independent logarithms of gamma variables; lambda_i = log
// a_i. With x = softmax(V theta) and A = sum a:
//   log q = sum a_i log x_i - log B(a) + log(K) / 2,  slope V' (a - A x)
//   entropy log B(a) - log(K) / 2 - sum a_i (psi(a_i) - psi(A))
#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <vector>

#include "base/helmert.hpp"
#include "infer/vi/factors/factor.hpp"
#include "infer/vi/factors/log_gamma.hpp"

namespace kullback::infer {

namespace {

using boost::math::digamma;
using boost::math::trigamma;
using Vector = std::vector<double>;

class DirichletFactor final : public Factor {
 public:
  explicit DirichletFactor(std::size_t coordinates)
      : Factor({coordinates, coordinates + 1, coordinates + 1}),
        free_(coordinates),
        count_(coordinates + 1) {}

  // The log-ratios have variances of about 1 / a_i.
  void begin(const double* mean, const double* sd, double* lambda) const override {
    const Vector log_x = log_simplex(mean, 1);
    double variance = 0;
    double inverse = 0;
    for (std::size_t i = 0; i < free_; ++i) variance += sd[i] * sd[i] / static_cast<double>(free_);
    for (const double value : log_x) inverse += std::exp(-value) / static_cast<double>(count_);
    for (std::size_t i = 0; i < count_; ++i)
      lambda[i] = std::log(inverse / variance * std::exp(log_x[i]) + 0.5);
  }
  void units(const double*, double* result) const override { std::fill_n(result, count_, 1.0); }
  void draw(const double* lambda, std::size_t lanes, const double* noise, double* theta) override {
    kept_.resize(count_ * lanes);
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k)
        kept_[i * lanes + k] = log_gamma_draw(std::exp(lambda[i]), noise[i * lanes + k]);
    }
    std::fill_n(theta, free_ * lanes, 0.0);
    for (std::size_t k = 0; k < lanes; ++k) add_helmert_transpose(free_, &kept_[k], lanes, theta + k, lanes);
  }
  void add_log_q(const double* lambda, std::size_t lanes, const double* theta, double* log_q,
                 double* slopes) const override {
    const Vector a = shapes(lambda);
    const double total = sum(a);
    const double constant = log_beta(a) - 0.5 * std::log(static_cast<double>(count_));
    if (slopes != nullptr) std::fill_n(slopes, free_ * lanes, 0.0);
    Vector outer(count_);
    for (std::size_t k = 0; k < lanes; ++k) {
      const Vector log_x = log_simplex(theta + k, lanes);
      log_q[k] -= constant;
      for (std::size_t i = 0; i < count_; ++i) {
        log_q[k] += a[i] * log_x[i];
        outer[i] = a[i] - total * std::exp(log_x[i]);
      }
      if (slopes != nullptr) add_helmert_transpose(free_, outer.data(), 1, slopes + k, lanes);
    }
  }
  void scores(const double* lambda, std::size_t lanes, const double* theta, double* result) const override {
    const Vector a = shapes(lambda);
    const double of_total = digamma(sum(a));
    for (std::size_t k = 0; k < lanes; ++k) {
      const Vector log_x = log_simplex(theta + k, lanes);
      for (std::size_t i = 0; i < count_; ++i)
        result[i * lanes + k] = a[i] * (log_x[i] - digamma(a[i]) + of_total);
    }
  }
  void pull_back(const double* lambda, const FactorDraws& draws, double* lambda_adjoint) const override {
    pull_back_by(lambda, draws, nullptr, lambda_adjoint);
  }
  void pull_back_rejection(const double* lambda, const FactorDraws& draws, const double* weights,
                           double* lambda_adjoint) const override {
    pull_back_by(lambda, draws, weights, lambda_adjoint);
  }
  double entropy(const double* lambda, double scale, double* lambda_adjoint) const override {
    const Vector a = shapes(lambda);
    const double total = sum(a);
    double result = log_beta(a) - 0.5 * std::log(static_cast<double>(count_)) + total * digamma(total);
    for (std::size_t i = 0; i < count_; ++i) {
      result -= a[i] * digamma(a[i]);
      if (lambda_adjoint != nullptr)
        lambda_adjoint[i] += scale * a[i] * (total * trigamma(total) - a[i] * trigamma(a[i]));
    }
    return result;
  }
  void moments(const double* lambda, double* mean, double* sd) const override {
    const Vector a = shapes(lambda);
    Vector means(count_);
    for (std::size_t i = 0; i < count_; ++i) means[i] = digamma(a[i]);
    std::fill_n(mean, free_, 0.0);
    add_helmert_transpose(free_, means.data(), 1, mean, 1);
    Vector unit(free_);
    Vector column(count_);
    for (std::size_t j = 0; j < free_; ++j) {
      unit[j] = 1;
      helmert(free_, unit.data(), 1, column.data(), 1);
      unit[j] = 0;
      double variance = 0;
      for (std::size_t i = 0; i < count_; ++i) variance += column[i] * column[i] * trigamma(a[i]);
      sd[j] = std::sqrt(variance);
    }
  }

 private:
  Vector shapes(const double* lambda) const {
    Vector a(count_);
    for (std::size_t i = 0; i < count_; ++i) a[i] = std::exp(lambda[i]);
    return a;
  }
  static double sum(const Vector& values) {
    double total = 0;
    for (const double value : values) total += value;
    return total;
  }
  static double log_beta(const Vector& a) {
    double result = -std::lgamma(sum(a));
    for (const double value : a) result += std::lgamma(value);
    return result;
  }
  Vector log_simplex(const double* theta, std::size_t step) const {
    Vector z(count_);
    helmert(free_, theta, step, z.data(), 1);
    const double largest = *std::max_element(z.begin(), z.end());
    double total = 0;
    for (const double value : z) total += std::exp(value - largest);
    for (double& value : z) value -= largest + std::log(total);
    return z;
  }
  // By the rejection sampler where `weights` are given and the shape is 1 at least, else implicitly.
  void pull_back_by(const double* lambda, const FactorDraws& draws, const double* weights,
                    double* lambda_adjoint) const {
    const Vector a = shapes(lambda);
    Vector adjoint(count_);
    for (std::size_t k = 0; k < draws.lanes; ++k) {
      helmert(free_, draws.adjoint + k, draws.lanes, adjoint.data(), 1);
      for (std::size_t i = 0; i < count_; ++i) {
        const double v = kept_[i * draws.lanes + k];
        const RejectionSlope slope = weights == nullptr || a[i] < 1
                                         ? RejectionSlope{log_gamma_slope(a[i], v), 0}
                                         : log_gamma_rejection(a[i], v);
        lambda_adjoint[i] +=
            a[i] * (adjoint[i] * slope.draw + (weights == nullptr ? 0 : weights[k] * slope.correction));
      }
    }
  }

  std::size_t free_;
  std::size_t count_;
  Vector kept_;  // v of the draws last made
};

}  // namespace

std::unique_ptr<Factor> make_dirichlet_factor(std::size_t coordinates) {
  return std::make_unique<DirichletFactor>(coordinates);
}

}  // namespace kullback::infer
