// Coordinates z in which given draws are about standard normal: theta = L z. Lanes innermost.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kullback::certify {

class Whitening final {
 public:
  // L is a Cholesky factor of the draws' covariance where there are draws enough for it, else diagonal: their
  // standard deviations. A coordinate that does not vary has the unit 1.
  Whitening(std::span<const double> draws, std::size_t dim);

  bool is_dense() const { return !lower_.empty(); }
  // dim * lanes numbers each; z and theta must not overlap.
  void to_theta(std::size_t lanes, const double* z, double* theta) const;
  void to_z(std::size_t lanes, const double* theta, double* z) const;
  void pull_gradient(std::size_t lanes, const double* gradient, double* of_z) const;  // L' gradient

 private:
  std::size_t dim_;
  std::vector<double> sd_;
  std::vector<double> lower_;  // row after row, dim * dim; empty: diagonal
};

}  // namespace kullback::certify
