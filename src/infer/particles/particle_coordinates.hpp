// Linear coordinates z = A theta in which particles move: each has about the same scale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "density/log_density.hpp"
#include "infer/archive.hpp"

namespace kullback::infer {

// Lanes are particles: coordinate a of particle k is at a * count + k.
class ParticleCoordinates final {
 public:
  explicit ParticleCoordinates(std::size_t dim) : dim_(dim), units_(dim, 1.0) {}

  // z = theta / units.
  void set_units(std::vector<double> units);
  // The coordinates in which this average of negative Hessians is the identity; a curvature that is negative
  // counts as positive, and a scale is at most 100 units.
  void set_curvature(std::span<const double> curvature);

  std::vector<double> to_z(const std::vector<double>& theta, std::size_t count) const;
  std::vector<double> scores_to_z(const std::vector<double>& gradient, std::size_t count) const;
  // theta += A^-1 move
  void add_move(const std::vector<double>& move, std::size_t count, std::vector<double>& theta) const;
  const std::vector<double>& units() const { return units_; }

  void archive(Archive& archive);

 private:
  std::size_t dim_;
  std::vector<double> units_;
  std::vector<double> to_z_;    // dim * dim, row after row; empty: z = theta / units
  std::vector<double> from_z_;  // its inverse
};

struct AverageCurvature {
  std::vector<double> matrix;   // dim * dim; empty where no particle gave a finite one
  std::uint64_t gradients = 0;  // evaluations
};

// The negative Hessian, averaged over up to eight of the particles.
AverageCurvature average_curvature(density::LogDensity& density, const std::vector<double>& theta,
                                   std::size_t count);

}  // namespace kullback::infer
