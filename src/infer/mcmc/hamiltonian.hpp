// Phase space: positions with the potential -log density, momenta with the kinetic energy p' M^-1 p / 2, and
// the leapfrog integrator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "density/log_density.hpp"
#include "infer/mcmc/inverse_metric.hpp"

namespace kullback::infer {

// An error of the energy above it is a divergence.
inline constexpr double kDivergence = 1000;

// Four vectors in somebody's memory.
struct PhasePoint {
  double* theta = nullptr;
  double* gradient = nullptr;
  double* p = nullptr;
  double* velocity = nullptr;
  double log_density = 0;
  double kinetic = 0;

  // +infinity where the density is not ok or the integrator has failed.
  double energy() const;
};

// Points of one dimension and their memory.
class PhasePoints final {
 public:
  PhasePoints(std::size_t count, std::size_t dim);
  PhasePoint& operator[](std::size_t i) { return points_[i]; }
  const PhasePoint& operator[](std::size_t i) const { return points_[i]; }
  std::size_t count() const { return points_.size(); }
  void add();  // references to other points end

 private:
  std::size_t dim_;
  std::vector<std::unique_ptr<double[]>> memory_;
  std::vector<PhasePoint> points_;
};

class Hamiltonian final {
 public:
  Hamiltonian(density::LogDensity& density, Metric kind)
      : density_(density), dim_(density.dim()), inv_metric_(kind, density.dim()) {}

  std::size_t dim() const { return dim_; }
  InverseMetric& inv_metric() { return inv_metric_; }
  const InverseMetric& inv_metric() const { return inv_metric_; }
  std::uint64_t gradients() const { return gradients_; }
  std::string message() const { return density_.message(); }

  // Log density and gradient at point.theta; the log density is -infinity where the density is not ok.
  void evaluate(PhasePoint& point);
  void draw_momentum(Random& random, PhasePoint& point) const;
  // One step of leapfrog (backwards where step_size < 0); `to` is another point.
  void leapfrog(const PhasePoint& from, double step_size, PhasePoint& to);
  // Theta, gradient and log density.
  void copy_position(const PhasePoint& from, PhasePoint& to) const;

  void archive(Archive& archive);

 private:
  void finish_kinetic(PhasePoint& point) const;

  density::LogDensity& density_;
  std::size_t dim_;
  InverseMetric inv_metric_;
  std::uint64_t gradients_ = 0;
};

}  // namespace kullback::infer
