// The Hessian of a log density at a point, and the Gaussian that it stands for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "density/log_density.hpp"
#include "infer/archive.hpp"

namespace kullback::infer {

// Computed some columns at a time.
class Hessian final {
 public:
  explicit Hessian(std::size_t dim) : dim_(dim) {}

  bool is_complete() const { return columns_ == dim_; }
  // Up to 16 further columns; false where the density is not finite at or beside the point.
  bool advance(density::LogDensity& density, std::span<const double> theta);
  std::size_t dim() const { return dim_; }
  std::uint64_t gradients() const { return gradients_; }  // evaluations: at least so many
  double at(std::size_t row, std::size_t column) const { return values_[column * dim_ + row]; }

  void archive(Archive& archive);

 private:
  std::size_t dim_;
  std::uint64_t columns_ = 0;
  std::uint64_t gradients_ = 0;
  std::vector<double> values_;  // column after column
};

// The precision P = L L' of a Gaussian, P the negative Hessian.
class PrecisionFactor final {
 public:
  PrecisionFactor(std::size_t dim, std::vector<double> lower) : dim_(dim), lower_(std::move(lower)) {}

  std::vector<double> covariance_times(std::span<const double> v) const;  // P^-1 v
  std::vector<double> unwhiten(std::span<const double> z) const;          // L^-T z, of covariance P^-1
  double log_determinant() const;                                         // of L

 private:
  std::size_t dim_;
  std::vector<double> lower_;  // column after column
};

struct CurvatureDirection {
  double curvature = 0;  // of the negative log density, along the direction
  std::vector<double> direction;
};

struct Curvature {
  std::optional<PrecisionFactor> precision;         // absent where it is not positive definite
  std::vector<CurvatureDirection> without_maximum;  // then: the worst directions, three at most
  double asymmetry = 0;                             // largest |H_ij - H_ji| / sqrt(H_ii H_jj)
};

// `is_exact`: not by differences.
Curvature analyse(const Hessian& hessian, bool is_exact);

// A direction of ascent at a point with this Hessian that need not be negative definite: Newton's, with the
// absolute values of the curvatures. Empty where there are too many coordinates.
std::vector<double> modified_newton(const Hessian& hessian, std::span<const double> gradient);

}  // namespace kullback::infer
