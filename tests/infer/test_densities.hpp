// Densities for tests: a function of one point with its gradient, evaluated lane by lane.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "density/log_density.hpp"

namespace kullback::infer::testing {

using Vector = std::vector<double>;
// Returns log p and sets the gradient.
using PointFunction = std::function<double(const Vector& theta, Vector& gradient)>;

class TestDensity final : public density::LogDensity {
 public:
  TestDensity(std::size_t dim, PointFunction function, std::vector<density::Block> blocks = {})
      : dim_(dim), function_(std::move(function)), blocks_(std::move(blocks)) {}

  std::size_t dim() const override { return dim_; }
  std::span<const density::Block> blocks() const override { return blocks_; }
  std::span<const density::Support> supports() const override { return supports_; }
  void set_supports(std::vector<density::Support> supports) { supports_ = std::move(supports); }

  void evaluate(const density::Batch& batch) override {
    Vector theta(dim_);
    Vector gradient(dim_);
    most_lanes = std::max(most_lanes, batch.lanes);
    evaluations += batch.lanes;
    for (std::size_t lane = 0; lane < batch.lanes; ++lane) {
      for (std::size_t i = 0; i < dim_; ++i) theta[i] = batch.theta[i * batch.lanes + lane];
      const double value = function_(theta, gradient);
      batch.log_density[lane] = value;
      bool is_finite = std::isfinite(value);
      for (const double g : gradient) is_finite = is_finite && std::isfinite(g);
      batch.status[lane] = is_finite ? density::Status::ok : density::Status::not_finite;
      if (batch.gradient == nullptr) continue;
      for (std::size_t i = 0; i < dim_; ++i) batch.gradient[i * batch.lanes + lane] = gradient[i];
    }
  }

  std::size_t most_lanes = 0;
  std::size_t evaluations = 0;

 private:
  std::size_t dim_;
  PointFunction function_;
  std::vector<density::Block> blocks_;
  std::vector<density::Support> supports_;
};

// Independent normal coordinates.
inline PointFunction normal(Vector mean, Vector sd) {
  return [mean = std::move(mean), sd = std::move(sd)](const Vector& theta, Vector& gradient) {
    double value = 0;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      const double z = (theta[i] - mean[i]) / sd[i];
      value -= 0.5 * z * z;
      gradient[i] = -z / sd[i];
    }
    return value;
  };
}

// Minus the chained Rosenbrock function, whose maximum is 0 at (1, ..., 1).
inline double rosenbrock(const Vector& x, Vector& gradient) {
  double value = 0;
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double a = x[i + 1] - x[i] * x[i];
    const double b = 1 - x[i];
    value -= 100 * a * a + b * b;
    gradient[i] += 400 * a * x[i] + 2 * b;
    gradient[i + 1] -= 200 * a;
  }
  return value;
}

}  // namespace kullback::infer::testing
