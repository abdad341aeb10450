// A stochastic-gradient dynamics in its discrete form: how a point moves with a gradient and noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "infer/archive.hpp"
#include "infer/options.hpp"

namespace kullback::infer {

// One update. Coordinates that are not active rest.
struct Move {
  double step_size = 0;
  std::span<const double> gradient;
  std::span<const double> hessian_diagonal;            // estimates; empty unless the dynamics wants them
  const std::vector<std::uint32_t>* active = nullptr;  // null: all
};

// What is known of the target before the chain moves, in its coordinates.
struct Surroundings {
  std::vector<double> sd;              // of a Gaussian approximation
  double curvature = 1;                // the largest one of minus the log density
  std::vector<double> gradient_noise;  // variances of the gradient's coordinates
};

class Dynamics {
 public:
  virtual ~Dynamics() = default;

  // Before the first update.
  virtual void begin(const Surroundings& around, Random& random) = 0;
  virtual void update(const Move& move, Random& random, std::vector<double>& phi) = 0;
  // After a point had to be taken back.
  virtual void restart(Random& /*random*/) {}
  virtual bool wants_hessian() const { return false; }

  // The step size at which a Gaussian's largest curvature is the share `share` of what would be unstable: its
  // variance comes out 1 / (1 - share) times too large.
  virtual double step_for(double share, const Surroundings& around) const = 0;
  // The step size at which the noise of gradients makes variances `excess` too large, relatively.
  virtual double step_for_noise(double excess, const Surroundings& around) const = 0;
  struct Inflation {
    double share = 0;     // as above; 1 and more: unstable
    double noise = 0;     // relative excess
    double taken_up = 0;  // of what it would be without a thermostat: the part that all coordinates share
    double variance() const { return (1 + noise) / (1 - share); }
  };
  // What a step size predicts for a Gaussian target.
  virtual Inflation inflation(double step_size, const Surroundings& around) const = 0;
  // The step size where what multiplies the gradient is `factor` times that of `step_size`.
  virtual double scaled(double step_size, double factor) const = 0;
  // Of the diffusion: the time of an update, and the one in which a coordinate of this sd forgets where it
  // was.
  virtual double time_of(double step_size) const = 0;
  virtual double relaxation(double sd) const = 0;
  // Columns of its own for the last update.
  virtual void append_stats(std::vector<double>& /*stats*/) const {}

  virtual void archive(Archive& archive) = 0;
};

template <typename F>
void for_active(const Move& move, F f) {
  if (move.active == nullptr) {
    for (std::size_t i = 0; i < move.gradient.size(); ++i) f(i);
  } else {
    for (const std::uint32_t i : *move.active) f(static_cast<std::size_t>(i));
  }
}

inline double largest(const std::vector<double>& numbers) {
  double result = 0;
  for (const double number : numbers) result = number > result ? number : result;
  return result;
}

// Of the noise that the diffusion has, what is left to add where the gradient brings `brought` of its own.
inline double remaining(double wanted, double brought) { return wanted > brought ? wanted - brought : 0.0; }

}  // namespace kullback::infer
