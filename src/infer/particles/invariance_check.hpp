// Whether particles stay where they are, as a set, under Markov transitions that leave the density as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/finding.hpp"
#include "infer/archive.hpp"
#include "infer/mcmc/tempered_lanes.hpp"
#include "infer/particles/particle_coordinates.hpp"

namespace kullback::infer {

// Lanes are particles: coordinate a of particle k is at a * count + k.
class InvarianceCheck final {
 public:
  // Density and coordinates must outlive the check.
  InvarianceCheck(density::LogDensity& density, const ParticleCoordinates& coordinates, std::size_t count);
  ~InvarianceCheck();

  void begin(const std::vector<double>& theta);
  // One transition of all particles; false where enough were made: nothing was done.
  bool step(Random random);
  std::uint64_t transitions() const { return transitions_; }
  std::uint64_t gradients() const { return lanes_.gradients(); }

  // Code "moves-on": means or standard deviations change.
  std::optional<Finding> finding() const;

  void archive(Archive& archive);

 private:
  class Whitened;

  density::LogDensity& density_;
  const ParticleCoordinates& coordinates_;
  std::size_t count_;
  std::unique_ptr<Whitened> whitened_;
  TemperedLanes lanes_;
  double step_size_;
  std::uint64_t transitions_ = 0;
  std::vector<double> sums_;     // of how far a constrained value is from where it started
  std::vector<double> squares_;  // of the same
  std::vector<double> origin_;   // where it started
};

}  // namespace kullback::infer
