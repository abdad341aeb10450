// How far particles go along their forces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "infer/archive.hpp"
#include "infer/particles/svgd_choices.hpp"

namespace kullback::infer {

// Lanes are particles: coordinate a of particle k is at a * count + k. Coordinates are such that a move by 1
// is one of about a standard deviation.
class ParticleSteps final {
 public:
  ParticleSteps(SvgdOptimizer optimizer, std::size_t count, std::size_t dim);

  void propose(const std::vector<double>& force, std::vector<double>& move);
  // Particle k was put back to where it was before its last move.
  void undo(std::size_t k);
  // After the moves of all particles: where AdaGrad goes to and fro its step size is halved.
  void settle(const std::vector<double>& move);
  // The coordinates have changed.
  void restart();
  // The steps have become so short that nothing is left to gain.
  bool is_exhausted() const;

  void archive(Archive& archive);

 private:
  void propose_adagrad(const std::vector<double>& force, std::vector<double>& move);
  void propose_coin(const std::vector<double>& force, std::vector<double>& move);

  SvgdOptimizer optimizer_;
  std::size_t count_;
  std::uint64_t steps_ = 0;       // since the last start
  double step_size_ = 0;          // of AdaGrad
  std::vector<double> squares_;   // AdaGrad: a running mean of squared forces
  std::vector<double> net_;       // AdaGrad: the move since the window began
  double path_ = 0;               // and its length
  std::vector<double> damping_;   // AdaGrad: of each particle, below 1 after moves that were undone
  std::vector<double> offset_;    // coin: from the start
  std::vector<double> last_;      // coin: the offset before the last move
  std::vector<double> largest_;   // coin: the largest force
  std::vector<double> sum_;       // coin: of forces
  std::vector<double> absolute_;  // coin: of their absolute values
  std::vector<double> reward_;    // coin: won so far
};

}  // namespace kullback::infer
