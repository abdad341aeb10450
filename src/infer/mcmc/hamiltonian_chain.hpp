// What the samplers on phase space share: iterations, warm-up as in Stan, draws. A sampler is a transition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "infer/mcmc/hamiltonian.hpp"
#include "infer/mcmc/warmup.hpp"

namespace kullback::infer {

class HamiltonianChain : public Algorithm {
 public:
  HamiltonianChain(density::LogDensity& density, const Options& options, Start start, AcceptanceGoal goal);

  bool step(Draws& draws) final;
  Progress progress() const final;
  void archive(Archive& archive) final;
  std::optional<Adaptation> adaptation() const final;
  Findings findings() const final;

 protected:
  struct Outcome {
    double acceptance = 0;
    bool is_divergent = false;
  };

  // Moves `current` with steps of `step_size`.
  virtual Outcome transition(Random& random, double step_size, PhasePoint& current) = 0;
  // The sampler's own columns of the last transition.
  virtual void append_stats(const Outcome& outcome, double step_size, Draws& draws) const = 0;

  Hamiltonian& hamiltonian() { return hamiltonian_; }
  double nominal_step_size() const { return step_size_; }

 private:
  bool is_warming_up() const { return iteration_ < options_[option::kWarmup]; }
  void begin();
  void adapt(double acceptance, Random& random);
  void find_step_size(Random& random);
  double energy_gain(Random& random);

  Options options_;
  Start start_;
  Hamiltonian hamiltonian_;
  WindowSchedule schedule_;
  DualAveraging dual_averaging_;
  RunningMoments moments_;
  PhasePoints scratch_;  // the current point, and one beside it
  double step_size_;
  std::uint64_t iteration_ = 0;
  std::uint64_t divergences_ = 0;
};

}  // namespace kullback::infer
