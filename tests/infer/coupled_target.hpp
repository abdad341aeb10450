// A density in two dimensions that is no Gaussian, has Gaussian tails and tells its terms; functionals of it
// and of a mean-field Gaussian by quadrature, to ten digits.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "density/log_density.hpp"

namespace kullback::infer::testing {

class CoupledTarget final : public density::LogDensity, public density::Terms {
 public:
  std::size_t dim() const override { return 2; }
  density::Terms* terms() override { return this; }

  void evaluate(const density::Batch& batch) override {
    const std::size_t lanes = batch.lanes;
    for (std::size_t k = 0; k < lanes; ++k) {
      const double x = batch.theta[k];
      const double y = batch.theta[lanes + k];
      const double a = std::tanh(2 * x);
      const double b = std::tanh(x * y);
      batch.log_density[k] = -1.4 - 0.5 * (x * x + y * y) / 0.81 + 0.5 * a + 0.3 * b;
      batch.status[k] = density::Status::ok;
      if (batch.gradient == nullptr) continue;
      batch.gradient[k] = -x / 0.81 + (1 - a * a) + 0.3 * (1 - b * b) * y;
      batch.gradient[lanes + k] = -y / 0.81 + 0.3 * (1 - b * b) * x;
    }
  }

  std::size_t count() const override { return 3; }
  std::span<const std::uint32_t> coordinates(std::size_t term) const override {
    static constexpr std::uint32_t kBoth[] = {0, 1};
    return std::span(kBoth).subspan(term == 1 ? 1 : 0, term == 2 ? 2 : 1);
  }
  void evaluate(std::size_t lanes, const double* theta, double* result) override {
    for (std::size_t k = 0; k < lanes; ++k) {
      const double x = theta[k];
      const double y = theta[lanes + k];
      result[k] = -1.4 - 0.5 * x * x / 0.81 + 0.5 * std::tanh(2 * x);
      result[lanes + k] = -0.5 * y * y / 0.81;
      result[2 * lanes + k] = 0.3 * std::tanh(x * y);
    }
  }
};

// The trapezoidal rule on a square: exact up to rounding for such functions.
class Quadrature {
 public:
  Quadrature() {
    std::vector<double> theta(2 * kSide * kSide);
    for (std::size_t i = 0; i < kSide; ++i) {
      for (std::size_t j = 0; j < kSide; ++j) {
        theta[i * kSide + j] = at(i);
        theta[kSide * kSide + i * kSide + j] = at(j);
      }
    }
    log_p_.resize(kSide * kSide);
    std::vector<density::Status> status(log_p_.size());
    CoupledTarget target;
    static_cast<density::LogDensity&>(target).evaluate(
        {log_p_.size(), theta.data(), log_p_.data(), nullptr, status.data()});
  }

  // The integral of f(log p, log q) over the plane; lambda = (means, log standard deviations).
  template <class Function>
  double integral(const std::vector<double>& lambda, const Function& f) const {
    double sum = 0;
    for (std::size_t i = 0; i < kSide; ++i) {
      const double first = log_normal(at(i), lambda[0], lambda[2]);
      for (std::size_t j = 0; j < kSide; ++j)
        sum += f(log_p_[i * kSide + j], first + log_normal(at(j), lambda[1], lambda[3]));
    }
    return sum * kStep * kStep;
  }

  double log_evidence() const {
    return std::log(integral({0, 0, 0, 0}, [](double p, double) { return std::exp(p); }));
  }

  template <class Functional>
  static std::vector<double> gradient(const Functional& f, std::vector<double> lambda) {
    std::vector<double> result(lambda.size());
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      const double middle = lambda[i];
      const auto difference = [&](double h) {
        lambda[i] = middle + h;
        const double above = f(lambda);
        lambda[i] = middle - h;
        const double below = f(lambda);
        lambda[i] = middle;
        return (above - below) / (2 * h);
      };
      result[i] = (4 * difference(1e-3) - difference(2e-3)) / 3;
    }
    return result;
  }

 private:
  static constexpr std::size_t kSide = 121;
  static constexpr double kStep = 0.1;
  static double at(std::size_t i) { return kStep * (static_cast<double>(i) - 60); }
  static double log_normal(double x, double mean, double log_sd) {
    const double z = (x - mean) * std::exp(-log_sd);
    return -0.5 * z * z - log_sd - 0.5 * std::log(2 * std::numbers::pi);
  }

  std::vector<double> log_p_;
};

}  // namespace kullback::infer::testing
