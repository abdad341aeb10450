// Control variates with known expectation 0 under the posterior, from the gradient of its log density.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kullback::certify {

// Points one after another (dim numbers each); values quantity after quantity.
struct ValuedPoints {
  std::size_t dim = 0;
  std::size_t count = 0;
  std::size_t quantities = 0;
  std::span<const double> theta;
  std::span<const double> values;
};

class SteinControls final {
 public:
  static constexpr std::size_t kControls = 3;
  static constexpr std::size_t kMaxDim = 512;

  // One direction for each quantity, from points with weights that sum to 1. Without use (is_available() is
  // false) where there are too few points for a covariance, or too many coordinates.
  SteinControls(const ValuedPoints& points, std::span<const double> weights);

  bool is_available() const { return !along_.empty(); }

  // Control c of quantity j at point i is result[(j * kControls + c) * count + i]. `theta` and `gradient` (of
  // log p): point after point.
  std::vector<double> evaluate(std::size_t count, std::span<const double> theta,
                               std::span<const double> gradient) const;

 private:
  std::size_t dim_;
  std::size_t quantities_;
  std::vector<double> center_;
  std::vector<double> along_;  // a of the formula, by quantity
  std::vector<double> field_;  // b of the formula, by quantity
};

// Least squares of y on controls (rows of `count`) and a constant, observations weighted by `weights`;
// y minus the fitted part of the controls, with coefficients of the other half of the observations (even and
// odd), so that the means of y keep their expectation.
std::vector<double> without_controls(std::span<const double> y, const double* controls, std::size_t count,
                                     std::span<const double> weights);

}  // namespace kullback::certify
