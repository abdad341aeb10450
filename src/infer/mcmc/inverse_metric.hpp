// The inverse of the Euclidean metric, an estimate of the target's covariance: momenta have the distribution
// normal(0, M), velocities are M^-1 p.
#pragma once

#include <cstddef>
#include <vector>

#include "base/random.hpp"
#include "infer/archive.hpp"
#include "infer/options.hpp"

namespace kullback::infer {

class InverseMetric final {
 public:
  InverseMetric(Metric kind, std::size_t dim);  // of ones

  Metric kind() const { return kind_; }
  bool is_dense() const { return kind_ == Metric::dense; }
  // dim numbers, or dim * dim of a dense one. False where they are not finite, or no positive definite
  // matrix.
  bool set(std::vector<double> values);
  const std::vector<double>& values() const { return values_; }

  void draw_momentum(Random& random, double* p) const;
  void velocity(const double* p, double* result) const;

  void archive(Archive& archive);

 private:
  bool factorise();

  Metric kind_;
  std::size_t dim_;
  std::vector<double> values_;
  std::vector<double> factor_;  // sd of the momenta, or the Cholesky factor of M^-1
};

}  // namespace kullback::infer
