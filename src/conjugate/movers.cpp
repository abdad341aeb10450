#include "conjugate/movers.hpp"

#include <algorithm>
#include <cmath>

namespace kullback::conjugate {

namespace {

constexpr double kMeanDecay = 0.9;
constexpr double kSquareDecay = 0.999;
constexpr double kTiny = 1e-8;
constexpr int kHalvings = 60;

}  // namespace

void RobbinsMonroMover::set_step(std::uint64_t step) {
  rho_ = std::min(1.0, std::pow(delay_ + static_cast<double>(step), -forgetting_));
}

void RobbinsMonroMover::move(std::size_t, std::span<double> natural, std::span<const double> target,
                             const Inside&) {
  // Both ends are inside the family, and the domain of natural parameters is convex.
  for (std::size_t i = 0; i < natural.size(); ++i) natural[i] += rho_ * (target[i] - natural[i]);
}

void AdamMover::move(std::size_t block, std::span<double> natural, std::span<const double> target,
                     const Inside& inside) {
  Moments& moments = moments_[block];
  moments.mean.resize(natural.size());
  moments.square.resize(natural.size());
  const double count = static_cast<double>(step_) + 1;
  const double mean_share = 1 - std::pow(kMeanDecay, count);
  const double square_share = 1 - std::pow(kSquareDecay, count);
  std::vector<double> step(natural.size());
  for (std::size_t i = 0; i < natural.size(); ++i) {
    const double unit = 1 + std::abs(natural[i]);
    const double gradient = (target[i] - natural[i]) / unit;
    moments.mean[i] += (1 - kMeanDecay) * (gradient - moments.mean[i]);
    moments.square[i] += (1 - kSquareDecay) * (gradient * gradient - moments.square[i]);
    step[i] =
        rate_ * unit * (moments.mean[i] / mean_share) / (std::sqrt(moments.square[i] / square_share) + kTiny);
  }
  std::vector<double> next(natural.size());
  for (int halving = 0; halving < kHalvings; ++halving) {
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = natural[i] + step[i];
    if (!inside || inside(next)) {
      std::copy(next.begin(), next.end(), natural.begin());
      return;
    }
    for (double& part : step) part /= 2;
  }
}

std::vector<double> AdamMover::state() const {
  std::vector<double> all;
  for (const auto& [block, moments] : moments_) {
    all.push_back(static_cast<double>(block));
    all.push_back(static_cast<double>(moments.mean.size()));
    all.insert(all.end(), moments.mean.begin(), moments.mean.end());
    all.insert(all.end(), moments.square.begin(), moments.square.end());
  }
  return all;
}

void AdamMover::set_state(std::span<const double> state) {
  moments_.clear();
  while (!state.empty()) {
    Moments& moments = moments_[static_cast<std::size_t>(state[0])];
    const auto size = static_cast<std::size_t>(state[1]);
    moments.mean.assign(state.begin() + 2, state.begin() + 2 + static_cast<std::ptrdiff_t>(size));
    moments.square.assign(state.begin() + 2 + static_cast<std::ptrdiff_t>(size),
                          state.begin() + 2 + static_cast<std::ptrdiff_t>(2 * size));
    state = state.subspan(2 + 2 * size);
  }
}

}  // namespace kullback::conjugate
