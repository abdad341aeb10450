// The Gaussian that a point of an L-BFGS path stands for, its covariance a diagonal plus a matrix of low
// rank.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "infer/archive.hpp"
#include "infer/optimize/curvature_pairs.hpp"

namespace kullback::infer {

class LowRankGaussian final {
 public:
  // One Newton step from a point of the path: the covariance is the inverse Hessian that BFGS makes of
  // `diagonal` and the pairs, `gradient` that of the log density. Nothing where rounding made it indefinite.
  static std::optional<LowRankGaussian> at(std::span<const double> theta, std::span<const double> gradient,
                                           std::span<const double> diagonal, const CurvaturePairs& pairs);

  std::size_t dim() const { return mean_.size(); }
  const std::vector<double>& mean() const { return mean_; }
  // From dim independent standard normal numbers.
  std::vector<double> draw(std::span<const double> normals) const;
  double log_density(std::span<const double> theta) const;
  // Of the draw from these numbers: the same value for less work.
  double log_density_of_draw(std::span<const double> normals) const;

  void archive(Archive& archive);

 private:
  std::size_t rank() const { return dim() == 0 ? 0 : basis_.size() / dim(); }

  std::vector<double> mean_;
  std::vector<double> scale_;   // square roots of the diagonal
  std::vector<double> basis_;   // orthonormal columns, dim * rank
  std::vector<double> factor_;  // lower triangular, rank * rank, column after column
  double log_determinant_ = 0;  // of a square root of the covariance
};

// The next diagonal, after a step s that changed the gradient of the negative log density by y; the same
// diagonal where rounding would make it negative.
void update_diagonal(std::vector<double>& diagonal, std::span<const double> s, std::span<const double> y);

}  // namespace kullback::infer
