// Densities with known moments, and running a method on them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "density/log_density.hpp"
#include "infer/algorithm.hpp"

namespace kullback::infer {

// One point at a time; `f` gives the log density and writes the gradient.
class Target final : public density::LogDensity {
 public:
  using Function = std::function<double(const double* theta, double* gradient)>;
  Target(std::size_t dim, Function f) : dim_(dim), f_(std::move(f)) {}

  std::size_t dim() const override { return dim_; }
  void evaluate(const density::Batch& batch) override {
    std::vector<double> theta(dim_);
    std::vector<double> gradient(dim_);
    for (std::size_t k = 0; k < batch.lanes; ++k) {
      for (std::size_t i = 0; i < dim_; ++i) theta[i] = batch.theta[i * batch.lanes + k];
      batch.log_density[k] = f_(theta.data(), gradient.data());
      if (batch.gradient != nullptr) {
        for (std::size_t i = 0; i < dim_; ++i) batch.gradient[i * batch.lanes + k] = gradient[i];
      }
      batch.status[k] =
          std::isfinite(batch.log_density[k]) ? density::Status::ok : density::Status::not_finite;
      ++evaluations;
    }
  }

  std::string message() const override { return "the test's density is not finite"; }

  std::size_t evaluations = 0;

 private:
  std::size_t dim_;
  Function f_;
};

// Independent, unnormalised.
inline Target gaussian(std::vector<double> mean, std::vector<double> sd) {
  const std::size_t dim = mean.size();
  return {dim, [mean, sd, dim](const double* theta, double* gradient) {
            double sum = 0;
            for (std::size_t i = 0; i < dim; ++i) {
              const double z = (theta[i] - mean[i]) / sd[i];
              gradient[i] = -z / sd[i];
              sum -= 0.5 * z * z;
            }
            return sum;
          }};
}

// Stationary first-order autoregression: correlation r^|i - j|, variance 1. Precision is tridiagonal:
// (1 + r^2) inside, 1 at the ends, -r beside, all over 1 - r^2.
inline Target autoregression(std::size_t dim, double r) {
  return {dim, [dim, r](const double* theta, double* gradient) {
            const double scale = 1 / (1 - r * r);
            double sum = 0;
            for (std::size_t i = 0; i < dim; ++i) {
              double row = (i == 0 || i + 1 == dim ? 1.0 : 1 + r * r) * theta[i];
              if (i > 0) row -= r * theta[i - 1];
              if (i + 1 < dim) row -= r * theta[i + 1];
              gradient[i] = -scale * row;
              sum -= 0.5 * scale * row * theta[i];
            }
            return sum;
          }};
}

// Neal's: v ~ normal(0, 3), x_i ~ normal(0, exp(v / 2)).
inline Target funnel(std::size_t dim) {
  return {dim, [dim](const double* theta, double* gradient) {
            const double v = theta[0];
            const double precision = std::exp(-v);
            double sum = -v * v / 18;
            gradient[0] = -v / 9;
            for (std::size_t i = 1; i < dim; ++i) {
              gradient[i] = -theta[i] * precision;
              sum -= 0.5 * theta[i] * theta[i] * precision + 0.5 * v;
              gradient[0] += 0.5 * theta[i] * theta[i] * precision - 0.5;
            }
            return sum;
          }};
}

// x ~ normal(0, 1), y ~ normal(b (x^2 - 1), 1): mean of y 0, variance 1 + 2 b^2.
inline Target banana(double b) {
  return {2, [b](const double* theta, double* gradient) {
            const double x = theta[0];
            const double residual = theta[1] - b * (x * x - 1);
            gradient[0] = -x + residual * 2 * b * x;
            gradient[1] = -residual;
            return -0.5 * x * x - 0.5 * residual * residual;
          }};
}

inline Target student_t(double nu) {
  return {1, [nu](const double* theta, double* gradient) {
            const double x = theta[0];
            gradient[0] = -(nu + 1) * x / (nu + x * x);
            return -0.5 * (nu + 1) * std::log1p(x * x / nu);
          }};
}

// weight normal(-at, 1) + (1 - weight) normal(at, 1) in the first coordinate, standard normal in the others;
// the log normalising constant is dim / 2 log(2 pi).
inline Target two_modes(std::size_t dim, double at, double weight) {
  return {dim, [dim, at, weight](const double* theta, double* gradient) {
            const double x = theta[0];
            const double left = std::log(weight) - 0.5 * (x + at) * (x + at);
            const double right = std::log1p(-weight) - 0.5 * (x - at) * (x - at);
            const double larger = std::max(left, right);
            const double log_sum = larger + std::log(std::exp(left - larger) + std::exp(right - larger));
            gradient[0] = -std::exp(left - log_sum) * (x + at) - std::exp(right - log_sum) * (x - at);
            double sum = log_sum;
            for (std::size_t i = 1; i < dim; ++i) {
              gradient[i] = -theta[i];
              sum -= 0.5 * theta[i] * theta[i];
            }
            return sum;
          }};
}

inline Start start_at(std::vector<double> theta, std::uint64_t seed = 1, std::uint32_t chain = 0) {
  return {std::move(theta), seed, chain};
}

inline Draws run(Algorithm& algorithm) {
  Draws draws;
  while (algorithm.step(draws)) {
  }
  return draws;
}

inline std::vector<double> coordinate(const Draws& draws, std::size_t i) {
  std::vector<double> values;
  for (std::size_t n = 0; n < draws.count(); ++n) values.push_back(draws.theta[n * draws.dim + i]);
  return values;
}

inline std::vector<double> column(const Draws& draws, const Method& method, std::string_view name) {
  const auto found = std::find(method.stats.begin(), method.stats.end(), name);
  std::vector<double> values;
  const std::size_t width = method.stats.size();
  const auto at = static_cast<std::size_t>(found - method.stats.begin());
  for (std::size_t n = 0; n < draws.count(); ++n) values.push_back(draws.stats[n * width + at]);
  return values;
}

// Mean and its standard error by batch means.
struct DrawEstimate {
  double value = 0;
  double error = 0;

  double errors_from(double truth) const { return std::abs(value - truth) / error; }
};

inline DrawEstimate estimate(const std::vector<double>& values, std::size_t batches = 25) {
  const std::size_t size = values.size() / batches;
  std::vector<double> means;
  double total = 0;
  for (std::size_t b = 0; b < batches; ++b) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += values[b * size + i];
    means.push_back(sum / static_cast<double>(size));
    total += means.back();
  }
  const double mean = total / static_cast<double>(batches);
  double squares = 0;
  for (const double m : means) squares += (m - mean) * (m - mean);
  return {mean, std::sqrt(squares / static_cast<double>(batches * (batches - 1)))};
}

template <typename F>
DrawEstimate estimate_of(const std::vector<double>& values, F f) {
  std::vector<double> mapped;
  for (const double value : values) mapped.push_back(f(value));
  return estimate(mapped);
}

inline DrawEstimate estimate_variance(const std::vector<double>& values, double mean) {
  return estimate_of(values, [mean](double x) { return (x - mean) * (x - mean); });
}

// The error of 25 batches has a t distribution with 24 degrees of freedom: beyond 5 once in 23 000 checks.
inline constexpr double kErrors = 5;

}  // namespace kullback::infer
