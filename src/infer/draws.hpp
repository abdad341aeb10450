// What an algorithm yields: unconstrained draws, one after another.
#pragma once

#include <cstddef>
#include <vector>

namespace kullback::infer {

struct Draws {
  std::size_t dim = 0;
  std::vector<double> theta;        // draw after draw, dim numbers each
  std::vector<double> log_density;  // of the target, with Jacobian, constants dropped
  std::vector<double> log_q;        // of an approximation that was drawn from; else empty
  std::vector<double> log_weight;   // of importance samples that were not resampled; else empty
  std::vector<double> stats;        // draw after draw, as many as the method's record names

  std::size_t count() const { return log_density.size(); }
};

}  // namespace kullback::infer
