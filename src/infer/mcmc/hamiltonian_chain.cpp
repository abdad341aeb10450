// The order of things is Stan's. Before the first iteration: a step size whose single step has an acceptance
// about 0.8, by doubling or halving. In each iteration of warm-up: transition, step size, metric; where a
// window ends, the metric is set, a step size is sought again and dual averaging starts afresh. The gradient
// at the current point is kept from the trajectory that found it.
#include "infer/mcmc/hamiltonian_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "infer/mcmc/options.hpp"

namespace kullback::infer {

namespace {

constexpr double kLargestStepSize = 1e7;
const double kLogStepTarget = std::log(0.8);
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Error improper() {
  return {ErrorKind::bad_input,
          "the step size grew beyond 1e7: along its gradient the density does not fall; the posterior is "
          "improper.",
          "Give each parameter a proper prior, or bounds."};
}

Error discontinuous() {
  return {ErrorKind::bad_input,
          "no step size is small enough: the density changes however short a step is; it is not continuous, "
          "or its gradient is wrong.",
          "Look for rounding, if and step functions of parameters; check the gradient with `kullback density "
          "--check`."};
}

Error overflowing() {
  return {ErrorKind::bad_input,
          "the variances of the draws in a warm-up window are not finite: the posterior is improper or too "
          "wide.",
          "Give each parameter a proper prior on a sensible scale."};
}

}  // namespace

HamiltonianChain::HamiltonianChain(density::LogDensity& density, const Options& options, Start start,
                                   AcceptanceGoal goal)
    : options_(options),
      start_(std::move(start)),
      hamiltonian_(density, options[option::kMetric]),
      schedule_(options[option::kMetric] == Metric::unit ? 0 : options[option::kWarmup]),
      dual_averaging_(goal, options[option::kStepSize]),
      moments_(density.dim(), options[option::kMetric] == Metric::dense),
      scratch_(2, density.dim()),
      step_size_(options[option::kStepSize]) {
  if (start_.theta.size() != density.dim())
    throw Error(ErrorKind::internal, "a chain starts at " + std::to_string(start_.theta.size()) +
                                         " coordinates of " + std::to_string(density.dim()));
}

void HamiltonianChain::begin() {
  PhasePoint& current = scratch_[0];
  std::copy(start_.theta.begin(), start_.theta.end(), current.theta);
  hamiltonian_.evaluate(current);
  if (!std::isfinite(current.log_density))
    throw Error(ErrorKind::bad_input,
                "the density is not finite where the chain starts: " + hamiltonian_.message(),
                "Give initial values inside the support.");
}

bool HamiltonianChain::step(Draws& draws) {
  if (iteration_ >= options_[option::kWarmup] + options_[option::kDraws]) return false;
  Random random(start_.seed, start_.chain, static_cast<std::uint32_t>(Purpose::transition),
                static_cast<std::uint32_t>(iteration_));
  PhasePoint& current = scratch_[0];
  if (iteration_ == 0) {
    begin();
    if (is_warming_up()) find_step_size(random);
  }
  double step_size = step_size_;
  if (options_[option::kStepSizeJitter] > 0)
    step_size *= 1 + options_[option::kStepSizeJitter] * (2 * random.uniform() - 1);
  const Outcome outcome = transition(random, step_size, current);
  if (is_warming_up()) {
    adapt(outcome.acceptance, random);
  } else {
    divergences_ += outcome.is_divergent ? 1 : 0;
    if ((iteration_ - options_[option::kWarmup]) % options_[option::kThin] == 0) {
      draws.dim = hamiltonian_.dim();
      draws.theta.insert(draws.theta.end(), current.theta, current.theta + hamiltonian_.dim());
      draws.log_density.push_back(current.log_density);
      append_stats(outcome, step_size, draws);
    }
  }
  ++iteration_;
  return true;
}

void HamiltonianChain::adapt(double acceptance, Random& random) {
  step_size_ = dual_averaging_.learn(acceptance);
  if (schedule_.collects(iteration_)) moments_.add(scratch_[0].theta);
  if (schedule_.ends_window(iteration_)) {
    if (!hamiltonian_.inv_metric().set(moments_.shrunk())) throw overflowing();
    moments_.restart();
    find_step_size(random);
    dual_averaging_.restart(step_size_);
  }
  if (iteration_ + 1 == options_[option::kWarmup]) step_size_ = dual_averaging_.average();
}

// The log acceptance of one step with a new momentum.
double HamiltonianChain::energy_gain(Random& random) {
  PhasePoint& current = scratch_[0];
  hamiltonian_.draw_momentum(random, current);
  hamiltonian_.leapfrog(current, step_size_, scratch_[1]);
  return current.energy() - scratch_[1].energy();
}

void HamiltonianChain::find_step_size(Random& random) {
  if (hamiltonian_.dim() == 0 || step_size_ == 0 || step_size_ > kLargestStepSize) return;
  const bool grows = energy_gain(random) > kLogStepTarget;
  for (;;) {
    const double gain = energy_gain(random);
    if (grows ? !(gain > kLogStepTarget) : !(gain < kLogStepTarget)) return;
    step_size_ *= grows ? 2.0 : 0.5;
    if (step_size_ > kLargestStepSize) throw improper();
    if (step_size_ == 0) throw discontinuous();
  }
}

Progress HamiltonianChain::progress() const {
  return {iteration_,      options_[option::kWarmup] + options_[option::kDraws],
          is_warming_up(), hamiltonian_.gradients(),
          divergences_,    iteration_ > 0 ? scratch_[0].log_density : kNone};
}

void HamiltonianChain::archive(Archive& archive) {
  archive.value(iteration_);
  archive.value(divergences_);
  archive.value(step_size_);
  hamiltonian_.archive(archive);
  dual_averaging_.archive(archive);
  moments_.archive(archive);
  PhasePoint& current = scratch_[0];
  for (double* vector : {current.theta, current.gradient}) {
    for (std::size_t i = 0; i < hamiltonian_.dim(); ++i) archive.value(vector[i]);
  }
  archive.value(current.log_density);
}

std::optional<Adaptation> HamiltonianChain::adaptation() const {
  return Adaptation{step_size_, options_[option::kMetric], hamiltonian_.inv_metric().values()};
}

Findings HamiltonianChain::findings() const {
  if (options_[option::kMetric] == Metric::unit || options_[option::kWarmup] == 0 ||
      !schedule_.ends().empty())
    return {};
  return {
      {"short-warmup",
       "Warm-up of " + std::to_string(options_[option::kWarmup]) + " iterations adapted the step size only.",
       "The metric is estimated where warm-up has 20 iterations or more.",
       "Use --warmup 200 or more, or `--metric unit`."}};
}

}  // namespace kullback::infer
