// The coordinates that a chain moves in: theta = centre + S phi, with S the identity, standard deviations or
// a Cholesky factor. A fixed preconditioner S S' is plain motion in phi.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "infer/archive.hpp"
#include "infer/gaussian_guess.hpp"
#include "infer/options.hpp"

namespace kullback::infer {

class Coordinates final {
 public:
  Coordinates() = default;
  // `dense` without a Cholesky factor in the guess becomes `diagonal`.
  Coordinates(Metric metric, GaussianGuess guess);

  std::size_t dim() const { return centre_.size(); }
  Metric metric() const { return metric_; }
  const std::vector<double>& centre() const { return centre_; }
  // Of the guess in phi: 1 but for the unit metric.
  const std::vector<double>& sd() const { return sd_; }

  std::vector<double> theta_of(std::span<const double> phi) const;
  // S v: a direction in theta.
  std::vector<double> forward(std::span<const double> v) const;
  // S' g: the gradient to phi from the one to theta; the two may be the same.
  void pull_back(std::span<const double> gradient, std::span<double> result) const;
  std::vector<double> phi_of(std::span<const double> theta) const;
  // S S': none, dim or dim * dim numbers.
  std::vector<double> inv_metric() const;

  void archive(Archive& archive);

 private:
  Metric metric_ = Metric::unit;
  std::vector<double> centre_;
  std::vector<double> sd_;
  std::vector<double> scale_;  // of the diagonal metric
  std::vector<double> lower_;  // of the dense one, column after column
};

}  // namespace kullback::infer
