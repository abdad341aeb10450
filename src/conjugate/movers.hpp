// Ways from one q(theta) to the next under noisy statistics.
#pragma once

#include <map>
#include <vector>

#include "conjugate/model.hpp"

namespace kullback::conjugate {

// natural <- (1 - rho) natural + rho target, rho_t = (delay + t)^-forgetting (Robbins & Monro 1951; Hoffman
// et al. 2013): a natural-gradient step of length rho.
class RobbinsMonroMover final : public Mover {
 public:
  RobbinsMonroMover(double delay, double forgetting) : delay_(delay), forgetting_(forgetting) {}
  void set_step(std::uint64_t step);  // from 0
  double rho() const { return rho_; }
  void move(std::size_t block, std::span<double> natural, std::span<const double> target,
            const Inside& inside) override;

 private:
  double delay_;
  double forgetting_;
  double rho_ = 1;
};

// Adam (Kingma & Ba 2015) on the natural gradient, each coordinate in units of its size: the running mean of
// target - natural over the root of its running square, times rate * (1 + |natural|). A step that would leave
// the family is halved until it does not.
class AdamMover final : public Mover {
 public:
  explicit AdamMover(double rate) : rate_(rate) {}
  void set_step(std::uint64_t step) { step_ = step; }
  void move(std::size_t block, std::span<double> natural, std::span<const double> target,
            const Inside& inside) override;

  // Moments of all blocks, for a checkpoint.
  std::vector<double> state() const;
  void set_state(std::span<const double> state);

 private:
  struct Moments {
    std::vector<double> mean;
    std::vector<double> square;
  };

  double rate_;
  std::uint64_t step_ = 0;
  std::map<std::size_t, Moments> moments_;
};

}  // namespace kullback::conjugate
