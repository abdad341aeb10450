// The force of Stein variational gradient descent on each of n particles.
#pragma once

#include <cstddef>
#include <vector>

#include "stats/radial_kernel.hpp"

namespace kullback::infer {

class SteinForce final {
 public:
  // `bandwidth` 0: by the median distance of the particles, each time.
  SteinForce(std::size_t count, std::size_t dim, stats::RadialKernel::Kind kind, double bandwidth);

  // Lanes are particles: coordinate a of particle k is at a * count + k. `places` are where the kernel sees
  // the particles, `scores` the gradients of the log density in the coordinates that move, `slopes` the
  // derivatives of places by these coordinates, each by its own (empty: places are the coordinates).
  void compute(const std::vector<double>& places, const std::vector<double>& scores,
               const std::vector<double>& slopes, std::vector<double>& force);

  // Of the last computation.
  // Of each particle's kernels with all, itself included: force over it is about a distance.
  const std::vector<double>& mean_kernels() const { return mean_kernels_; }
  double bandwidth() const { return kernel_.bandwidth; }

 private:
  void measure(const std::vector<double>& places);
  double median_squared_distance();

  std::size_t count_;
  std::size_t dim_;
  stats::RadialKernel kernel_;
  bool is_adaptive_;
  std::vector<double> mean_kernels_;
  std::vector<double> squares_;  // count * count: squared distances, then kernels and their slopes
  std::vector<double> values_;
  std::vector<double> derivatives_;
  std::vector<double> sorted_;
};

}  // namespace kullback::infer
