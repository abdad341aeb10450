// Chains of Hamiltonian Monte Carlo side by side, in the lanes of one evaluation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "density/log_density.hpp"

namespace kullback::certify {

// Coordinates in which the draws of the approximation are about standard normal: theta = center + lower phi,
// or sd * phi where lower is empty.
struct Scaling {
  std::vector<double> sd;
  std::vector<double> lower;  // column after column
  std::vector<double> center;
};

// From points one after another, with weights that sum to 1; dense up to so many coordinates, as far as there
// are points enough.
inline constexpr std::size_t kDenseDim = 200;
Scaling scaling_of(std::span<const double> theta, std::size_t dim, std::span<const double> weights);

// Names the random streams.
struct ChainsName {
  std::uint64_t seed = 0;
  std::uint32_t block = 0;
};

class LaneChains final {
 public:
  // `starts`: point after point, finite densities. Density and scaling must outlive the object.
  LaneChains(density::LogDensity& density, const Scaling& scaling, ChainsName name,
             std::span<const double> starts);

  std::size_t lanes() const { return lanes_; }
  // One trajectory of every chain, of about a quarter of a period of a standard normal; while it adapts, the
  // step size goes towards a mean acceptance of 0.8, or to the whole trajectory.
  void move(bool adapts);

  double acceptance() const { return acceptance_; }  // mean over the lanes of the last move
  double step_size() const { return step_size_; }
  std::uint64_t gradients() const { return gradients_; }
  // Point after point.
  std::vector<double> theta() const;
  std::vector<double> gradient() const;

 private:
  struct State {
    std::vector<double> theta;  // lanes innermost
    std::vector<double> phi;
    std::vector<double> gradient;
    std::vector<double> log_p;
  };

  void evaluate(State& state);
  std::vector<double> phi_of(const std::vector<double>& theta) const;
  void kick(const State& state, double step);  // momentum += step * (lower' gradient + phi)
  void turn(State& state, double angle);       // (phi, momentum) by the angle; theta follows
  std::vector<double> by_points(const std::vector<double>& by_lanes) const;

  density::LogDensity& density_;
  const Scaling& scaling_;
  ChainsName name_;
  std::size_t dim_;
  std::size_t lanes_;
  State now_;
  State next_;
  std::vector<double> momentum_;
  std::vector<density::Status> status_;
  double step_size_;
  double acceptance_ = 0;
  std::uint64_t gradients_ = 0;
  std::uint32_t moves_ = 0;
};

}  // namespace kullback::certify
