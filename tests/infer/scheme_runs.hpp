// Running a scheme on Gaussian targets, for the tests of schemes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "infer/optimize/lbfgs.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/guess.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/scheme.hpp"
#include "infer/vi/schemes/fixed_bound.hpp"
#include "infer/vi/schemes/gaussian_points.hpp"
#include "infer/vi/schemes/gaussian_scheme.hpp"
#include "infer/vi/schemes/linear_response.hpp"
#include "infer/vi/schemes/minibatches.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/test_densities.hpp"

namespace kullback::infer {

using testing::TestDensity;
using Numbers = std::vector<double>;

// Symmetric.
struct Matrix {
  std::size_t dim = 0;
  Numbers values;

  double at(std::size_t i, std::size_t j) const { return values[i * dim + j]; }
};

// Correlations rho, standard deviations from `scale` to 3 `scale`; the precision in closed form.
struct Equicorrelated {
  Numbers sd;
  Matrix precision;
  double log_det = 0;  // of the precision

  Equicorrelated(std::size_t dim, double rho, double scale) : sd(dim), precision{dim, Numbers(dim * dim)} {
    const auto d = static_cast<double>(dim);
    for (std::size_t i = 0; i < dim; ++i)
      sd[i] = scale * (1 + 2 * static_cast<double>(i) / std::max(1.0, d - 1));
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t j = 0; j < dim; ++j) {
        const double white = ((i == j ? 1 : 0) - rho / (1 + (d - 1) * rho)) / (1 - rho);
        precision.values[i * dim + j] = white / (sd[i] * sd[j]);
      }
      log_det -= 2 * std::log(sd[i]);
    }
    log_det -= (d - 1) * std::log(1 - rho) + std::log(1 + (d - 1) * rho);
  }
};

inline Numbers spaced(std::size_t count, double first, double last) {
  Numbers result(count, first);
  for (std::size_t i = 1; i < count; ++i)
    result[i] += (last - first) * static_cast<double>(i) / static_cast<double>(count - 1);
  return result;
}

// N(mean, precision^-1) with log evidence 0.
inline TestDensity gaussian_target(const Numbers& mean, const Equicorrelated& shape) {
  const double constant =
      0.5 * shape.log_det - 0.5 * static_cast<double>(mean.size()) * std::log(2 * std::numbers::pi);
  const Matrix precision = shape.precision;
  return {mean.size(), [=](const Numbers& theta, Numbers& gradient) {
            double value = constant;
            for (std::size_t i = 0; i < mean.size(); ++i) {
              gradient[i] = 0;
              for (std::size_t j = 0; j < mean.size(); ++j)
                gradient[i] -= precision.at(i, j) * (theta[j] - mean[j]);
              value += 0.5 * gradient[i] * (theta[i] - mean[i]);
            }
            return value;
          }};
}

struct Case {
  std::string family;
  std::string objective = "elbo";
  std::string optimizer = "adam";
};

// A scheme with the family and options that it must not outlive.
struct Run {
  Options options;
  std::unique_ptr<Family> family;
  std::unique_ptr<Scheme> scheme;

  GaussianGuess gaussian() const { return family->gaussian_of(scheme->lambda()); }
  void finish() {
    while (scheme->step()) {
    }
  }
};

inline std::unique_ptr<Run> begin(density::LogDensity& density, const Case& parts,
                                  const Options& options = {}, double start = 0.5, double sd = 0.7) {
  auto run = std::make_unique<Run>();
  run->options = options;
  run->family = find_family(parts.family).make({density.dim(), {}, {}, &run->options});
  run->scheme = make_scheme({&density,
                             run->family.get(),
                             &find_objective(parts.objective),
                             &find_estimator("stl"),
                             &find_optimizer(parts.optimizer),
                             &run->options,
                             {7, 0, static_cast<std::uint32_t>(Purpose::gradient_noise)},
                             {Numbers(density.dim(), start), Numbers(density.dim(), sd), {}}});
  return run;
}

inline Matrix covariance_of(const GaussianGuess& gaussian) {
  const std::size_t dim = gaussian.mean.size();
  Matrix result{dim, Numbers(dim * dim, 0.0)};
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < dim; ++j) {
      if (gaussian.lower.empty()) {
        result.values[i * dim + j] = i == j ? gaussian.sd[i] * gaussian.sd[i] : 0;
        continue;
      }
      for (std::size_t k = 0; k < dim; ++k)
        result.values[i * dim + j] += gaussian.lower[k * dim + i] * gaussian.lower[k * dim + j];
    }
  }
  return result;
}

// Largest entry of covariance * precision - 1.
inline double distance(const GaussianGuess& found, const Matrix& precision) {
  const Matrix covariance = covariance_of(found);
  double largest = 0;
  for (std::size_t i = 0; i < precision.dim; ++i) {
    for (std::size_t j = 0; j < precision.dim; ++j) {
      double sum = i == j ? -1 : 0;
      for (std::size_t k = 0; k < precision.dim; ++k) sum += covariance.at(i, k) * precision.at(k, j);
      largest = std::max(largest, std::abs(sum * found.sd[j] / found.sd[i]));
    }
  }
  return largest;
}

inline void expect_near(const GaussianGuess& found, const Numbers& mean, const Matrix& precision,
                        double tolerance) {
  EXPECT_LT(distance(found, precision), tolerance);
  for (std::size_t i = 0; i < mean.size(); ++i)
    EXPECT_NEAR(found.mean[i], mean[i], tolerance * found.sd[i]) << i;
}

inline std::string refusal(density::LogDensity& density, const Case& parts, const Options& options = {}) {
  try {
    begin(density, parts, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.message() + " " + error.hint();
  }
  return "not refused";
}

// A regression as a finite sum: y_n ~ normal(a + b x_n, 1), flat priors.
class RowSum final : public density::LogDensity, public density::Rows {
 public:
  explicit RowSum(std::size_t count) {
    Random random(5);
    for (std::size_t n = 0; n < count; ++n) {
      x_.push_back(random.normal());
      y_.push_back(1.5 - 2 * x_.back() + random.normal());
      all_.push_back(static_cast<std::uint32_t>(n));
    }
    chosen_ = all_;
  }
  std::size_t dim() const override { return 2; }
  density::Rows* rows() override { return this; }
  std::size_t count() const override { return all_.size(); }
  void choose(std::span<const std::uint32_t> rows) override {
    if (rows.empty())
      chosen_ = all_;
    else
      chosen_.assign(rows.begin(), rows.end());
  }
  void evaluate(const density::Batch& batch) override {
    const double scale = static_cast<double>(count()) / static_cast<double>(chosen_.size());
    for (std::size_t k = 0; k < batch.lanes; ++k) {
      double value = 0, of_a = 0, of_b = 0;
      for (const std::uint32_t n : chosen_) {
        const double rest = y_[n] - batch.theta[k] - batch.theta[batch.lanes + k] * x_[n];
        value -= 0.5 * rest * rest;
        of_a += rest;
        of_b += rest * x_[n];
      }
      batch.log_density[k] = scale * value;
      batch.status[k] = density::Status::ok;
      if (batch.gradient == nullptr) continue;
      batch.gradient[k] = scale * of_a;
      batch.gradient[batch.lanes + k] = scale * of_b;
    }
  }
  bool sees_all() const { return chosen_.size() == all_.size(); }
  // The posterior: precisions, and the means by Cramer's rule.
  Numbers precisions() const {
    Numbers result{static_cast<double>(x_.size()), 0.0};
    for (const double x : x_) result[1] += x * x;
    return result;
  }
  Numbers means() const {
    double sum_x = 0, sum_y = 0, sum_xy = 0;
    for (std::size_t n = 0; n < x_.size(); ++n) {
      sum_x += x_[n];
      sum_y += y_[n];
      sum_xy += x_[n] * y_[n];
    }
    const Numbers squares = precisions();
    const double determinant = squares[0] * squares[1] - sum_x * sum_x;
    return {(squares[1] * sum_y - sum_x * sum_xy) / determinant,
            (squares[0] * sum_xy - sum_x * sum_y) / determinant};
  }

 private:
  Numbers x_;
  Numbers y_;
  std::vector<std::uint32_t> all_;
  std::vector<std::uint32_t> chosen_;
};

}  // namespace kullback::infer
