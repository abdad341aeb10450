// The largest curvature of a log density at a point, by power iterations.
#pragma once

#include <cstdint>
#include <vector>

#include "density/log_density.hpp"
#include "infer/archive.hpp"
#include "infer/sgmcmc/coordinates.hpp"

namespace kullback::infer {

class LargestCurvature final {
 public:
  // From a direction that must not be 0, in the coordinates' phi.
  explicit LargestCurvature(std::vector<double> direction);
  LargestCurvature() = default;

  // One product with the Hessian at the centre; false where it has converged or failed: nothing was done.
  bool step(density::LogDensity& density, const Coordinates& coordinates);
  bool has_failed() const { return has_failed_; }
  double value() const { return value_; }  // in absolute value
  std::uint64_t gradients() const { return 4 * products_; }

  void archive(Archive& archive);

 private:
  std::vector<double> direction_;
  double value_ = 0;
  std::uint64_t products_ = 0;
  bool has_converged_ = false;
  bool has_failed_ = false;
};

}  // namespace kullback::infer
