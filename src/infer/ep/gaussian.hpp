// Gaussians in natural parameters, of which products are sums.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace kullback::infer {

// exp(shift' x - x' precision x / 2), proper or not.
struct NaturalGaussian {
  explicit NaturalGaussian(std::size_t dim = 0) : precision(dim * dim, 0.0), shift(dim, 0.0) {}

  std::vector<double> precision;  // symmetric, dim * dim
  std::vector<double> shift;
};

// A proper one.
class JointGaussian final {
 public:
  // Nothing where the precision is not positive definite.
  static std::optional<JointGaussian> from(const NaturalGaussian& natural);
  // The standard one.
  explicit JointGaussian(std::size_t dim);

  std::size_t dim() const { return mean_.size(); }
  const std::vector<double>& mean() const { return mean_; }
  const std::vector<double>& covariance() const { return covariance_; }  // dim * dim
  // L, column after column, with L L' = covariance.
  const std::vector<double>& root() const { return root_; }
  double sd(std::size_t i) const;
  std::vector<double> root_times(std::span<const double> z) const;
  double log_determinant() const { return log_determinant_; }  // of L
  double log_integral() const { return log_integral_; }        // of exp(shift' x - x' precision x / 2)
  // The same mean, standard deviations times `factor`.
  JointGaussian scaled(double factor) const;

 private:
  JointGaussian() = default;

  std::vector<double> mean_;
  std::vector<double> covariance_;
  std::vector<double> root_;
  double log_determinant_ = 0;
  double log_integral_ = 0;
};

}  // namespace kullback::infer
