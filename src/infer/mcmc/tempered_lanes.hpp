// Many points at once, each with a temperature on the path from a reference normal q to the target p,
//   log pi_beta = beta log p + (1 - beta) log q,
// moved by Hamiltonian Monte Carlo. All points are lanes of one evaluation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "density/log_density.hpp"
#include "infer/archive.hpp"

namespace kullback::infer {

// Independent normals.
struct Reference {
  std::vector<double> mean;
  std::vector<double> sd;
};

// Around the origin, wide enough for the start and for its mirror image: sd 2 + |start|. Starts that nobody
// chose lie in (-2, 2); one that somebody chose may be in one of several modes.
Reference wide_reference(const std::vector<double>& start);

class TemperedLanes final {
 public:
  TemperedLanes(density::LogDensity& density, std::size_t lanes);

  std::size_t dim() const { return dim_; }
  std::size_t lanes() const { return lanes_; }
  std::uint64_t gradients() const { return gradients_; }

  void set_point(std::size_t lane, const std::vector<double>& theta);
  void set_reference(std::size_t lane, const Reference& reference);
  // Puts a lane at a draw from its reference; log p there is found by the next evaluate() or move().
  void draw_reference(std::size_t lane, Random& random);

  // One trajectory of so many steps for each lane; `acceptance` has one number for each. Lanes at beta = 0
  // stay where they are, and their log p is found.
  void move(Random& random, std::size_t leapfrogs, std::span<double> acceptance);
  // log p and its gradient at theta.
  void evaluate();

  // Of the point of `at`, on the path and with the temperature of `lane`.
  double log_path(std::size_t lane, std::size_t at) const;
  double log_reference(std::size_t lane, std::size_t at) const;
  double log_target(std::size_t lane) const { return log_p_[lane]; }  // -infinity where it is not ok

  void swap(std::size_t a, std::size_t b);
  // Lane k becomes lane sources[k].
  void select(const std::vector<std::size_t>& sources);

  const double& theta(std::size_t i, std::size_t lane) const { return theta_[i * lanes_ + lane]; }
  void copy_point(std::size_t lane, std::vector<double>& end) const;  // appends it

  std::vector<double> beta;        // of each lane
  std::vector<double> step_size;   // of each lane
  std::vector<double> inv_metric;  // diagonals, laid out as theta

  void archive(Archive& archive);

 private:
  void evaluate_into(std::vector<double>& theta, std::vector<double>& gradient, std::vector<double>& log_p);
  void kick(const std::vector<double>& theta, const std::vector<double>& gradient, double steps);
  std::vector<double> energies(const std::vector<double>& theta, const std::vector<double>& log_p) const;

  density::LogDensity& density_;
  std::size_t dim_;
  std::size_t lanes_;
  std::vector<double> theta_;
  std::vector<double> gradient_;  // of log p; 0 where it is not ok
  std::vector<double> log_p_;
  std::vector<double> mean_;       // of the references, laid out as theta
  std::vector<double> precision_;  // likewise
  std::vector<double> log_scale_;  // of the references: sum of -log(sd sqrt(2 pi))
  std::vector<double> p_;
  std::vector<double> new_theta_;
  std::vector<double> new_gradient_;
  std::vector<double> new_log_p_;
  std::vector<density::Status> status_;
  std::uint64_t gradients_ = 0;
};

}  // namespace kullback::infer
