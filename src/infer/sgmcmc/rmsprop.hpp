// The preconditioner of pSGLD.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "infer/archive.hpp"
#include "infer/options.hpp"
#include "infer/sgmcmc/options.hpp"

namespace kullback::infer {

// Of each coordinate G = 1 / (floor + sqrt(v)), with v the running mean of squared gradients, and the
// derivative of G to the coordinate. Both are made of gradients before the present one, whose noise they must
// not depend on.
class RmsProp final {
 public:
  explicit RmsProp(const Options& options)
      : decay_(options[option::kSgRmsDecay]), floor_(options[option::kSgRmsFloor]) {}

  void begin(std::span<const double> mean_squares);
  double at(std::size_t i) const;
  double derivative(std::size_t i) const;
  void learn(std::size_t i, double gradient, double curvature);
  void archive(Archive& archive);

 private:
  double decay_;
  double floor_;
  std::vector<double> mean_squares_;
  std::vector<double> slopes_;  // of the mean squares to their coordinates
};

}  // namespace kullback::infer
