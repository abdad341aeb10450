// AdaGrad as in Liu and Wang (2016): with a running mean of squares v = 0.9 v + 0.1 force^2, element by
// element,
//   move = step_size force / sqrt(v).
// Such steps do not shrink as the force does. In each window of 10 moves the way gone is compared with the
// distance covered; where it is more than three times as long, particles go to and fro, and the step size is
// halved.
//
// Coin betting (Sharrock and Nemeth 2023, algorithm 3): with L the largest |force| so far, element by
// element,
//   reward = max(reward + offset force, 0),   offset = sum force / (L (sum |force| + L)) (L + reward),
// where the offset from the start is the bet and the force the outcome. There is no step size. Where a
// bet was undone a new game begins, with stakes of a quarter.
#include "infer/particles/particle_steps.hpp"

#include <algorithm>
#include <cmath>

#include "infer/mcmc/archive_fixed.hpp"

namespace kullback::infer {

namespace {

constexpr double kFirstStep = 0.1;
constexpr double kLastStep = 1e-3;
constexpr double kMemory = 0.9;
constexpr std::uint64_t kWindow = 10;
constexpr double kStraight = 0.3;  // distance over way
constexpr double kTiny = 1e-12;    // a force that counts as none
constexpr double kRecovery = 1.1;  // of the damping, each step

double mean_square(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x * x;
  return sum / static_cast<double>(numbers.size());
}

}  // namespace

ParticleSteps::ParticleSteps(SvgdOptimizer optimizer, std::size_t count, std::size_t dim)
    : optimizer_(optimizer), count_(count) {
  const std::size_t size = count * dim;
  if (optimizer == SvgdOptimizer::adagrad) {
    for (auto* numbers : {&squares_, &net_}) numbers->resize(size);
    damping_.resize(count);
  } else {
    for (auto* numbers : {&offset_, &last_, &largest_, &sum_, &absolute_, &reward_}) numbers->resize(size);
  }
  restart();
}

void ParticleSteps::restart() {
  steps_ = 0;
  step_size_ = kFirstStep;
  path_ = 0;
  for (auto* numbers : {&squares_, &net_, &offset_, &last_, &sum_, &absolute_, &reward_})
    std::fill(numbers->begin(), numbers->end(), 0.0);
  std::fill(largest_.begin(), largest_.end(), kTiny);
  std::fill(damping_.begin(), damping_.end(), 1.0);
}

void ParticleSteps::propose(const std::vector<double>& force, std::vector<double>& move) {
  if (optimizer_ == SvgdOptimizer::adagrad)
    propose_adagrad(force, move);
  else
    propose_coin(force, move);
  ++steps_;
}

void ParticleSteps::propose_adagrad(const std::vector<double>& force, std::vector<double>& move) {
  const double memory = steps_ == 0 ? 0 : kMemory;
  for (std::size_t at = 0; at < force.size(); ++at) {
    squares_[at] = memory * squares_[at] + (1 - memory) * force[at] * force[at];
    move[at] = step_size_ * damping_[at % count_] * force[at] / (kTiny + std::sqrt(squares_[at]));
  }
  for (double& damping : damping_) damping = std::min(1.0, kRecovery * damping);
}

void ParticleSteps::propose_coin(const std::vector<double>& force, std::vector<double>& move) {
  last_ = offset_;
  for (std::size_t at = 0; at < force.size(); ++at) {
    const double size = std::abs(force[at]);
    largest_[at] = std::max(largest_[at], size);
    sum_[at] += force[at];
    absolute_[at] += size;
    reward_[at] = std::max(reward_[at] + offset_[at] * force[at], 0.0);
    offset_[at] = sum_[at] / (largest_[at] * (absolute_[at] + largest_[at])) * (largest_[at] + reward_[at]);
    move[at] = offset_[at] - last_[at];
  }
}

void ParticleSteps::undo(std::size_t k) {
  if (optimizer_ == SvgdOptimizer::adagrad) {
    damping_[k] *= 0.25;
    return;
  }
  for (std::size_t at = k; at < offset_.size(); at += count_) {
    offset_[at] = sum_[at] = absolute_[at] = reward_[at] = 0;
    largest_[at] *= 4;
  }
}

void ParticleSteps::settle(const std::vector<double>& move) {
  if (optimizer_ != SvgdOptimizer::adagrad || move.empty()) return;
  for (std::size_t at = 0; at < move.size(); ++at) net_[at] += move[at];
  path_ += std::sqrt(mean_square(move));
  if (steps_ % kWindow != 0) return;
  if (std::sqrt(mean_square(net_)) < kStraight * path_) step_size_ *= 0.5;
  std::fill(net_.begin(), net_.end(), 0.0);
  path_ = 0;
}

bool ParticleSteps::is_exhausted() const {
  return optimizer_ == SvgdOptimizer::adagrad && step_size_ < kLastStep;
}

void ParticleSteps::archive(Archive& archive) {
  archive.value(steps_);
  archive.value(step_size_);
  archive.value(path_);
  for (auto* numbers :
       {&squares_, &net_, &damping_, &offset_, &last_, &largest_, &sum_, &absolute_, &reward_})
    archive_fixed(archive, *numbers);
}

}  // namespace kullback::infer
