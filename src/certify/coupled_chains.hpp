// Chains of Hamiltonian Monte Carlo side by side, one a lane, whose random numbers are given: chains that are
// given the same ones are coupled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "certify/whitening.hpp"
#include "density/log_density.hpp"

namespace kullback::certify {

// Of one iteration, for `streams` chains. Chain k of more takes those of k modulo streams.
struct ChainNoise {
  ChainNoise(std::size_t dim, std::size_t streams);
  // Streams (seed, k, transition, index).
  void draw(std::uint64_t seed, std::uint32_t index);

  std::size_t streams;
  std::vector<double> momentum;     // dim * streams, standard normal
  std::vector<double> log_uniform;  // for acceptance
  std::vector<double> stretch;      // of the step size, in (1/2, 3/2): no path length suits all scales
};

struct PathLength {
  double step_size = 1;
  std::size_t steps = 1;
};

class CoupledChains final {
 public:
  // Both must outlive the chains.
  CoupledChains(density::LogDensity& density, const Whitening& whitening, std::size_t lanes);

  // At points z, dim * lanes. A chain where the density is not finite goes to the first one where it is;
  // false where it is finite nowhere.
  bool place(std::span<const double> z);
  // One transition of each chain. Returns the mean probability of acceptance.
  double step(const ChainNoise& noise, const PathLength& path);

  std::span<const double> z() const { return z_; }
  std::size_t evaluations() const { return evaluations_; }

 private:
  void evaluate(const std::vector<double>& z, std::vector<double>& log_density,
                std::vector<double>& gradient);
  void kick(double part);
  double accept(const ChainNoise& noise, const std::vector<double>& energy);
  std::vector<double> kinetic() const;

  density::LogDensity& density_;
  const Whitening& whitening_;
  std::size_t dim_;
  std::size_t lanes_;
  std::vector<double> z_, log_density_, gradient_;              // states
  std::vector<double> new_z_, new_log_density_, new_gradient_;  // proposals
  std::vector<double> momentum_, step_size_, theta_, theta_gradient_;
  std::vector<density::Status> status_;
  std::size_t evaluations_ = 0;
};

}  // namespace kullback::certify
