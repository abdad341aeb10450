#include "deep/chains/hamiltonian.hpp"

#include <cmath>

namespace kullback::deep {

namespace {

constexpr double kDivergence = 1000;  // error of the energy

torch::Tensor kinetic(const torch::Tensor& momentum, const torch::Tensor& inverse_mass) {
  return 0.5 * (momentum.square() * inverse_mass).sum(1, true).to(torch::kFloat64);
}

}  // namespace

Transition hamiltonian_transition(const PotentialAt& potential, const torch::Tensor& from,
                                  const Trajectory& trajectory) {
  return hamiltonian_transition(potential, from, potential(from), trajectory);
}

Transition hamiltonian_transition(const PotentialAt& potential, const torch::Tensor& from,
                                  const Potential& before, const Trajectory& trajectory) {
  const torch::Tensor& inverse_mass = trajectory.inverse_mass;
  torch::Tensor momentum = trajectory.momentum;
  const torch::Tensor energy = before.value + kinetic(momentum, inverse_mass);
  Potential here = before;
  torch::Tensor end = from.clone();
  for (std::int64_t i = 0; i < trajectory.most; ++i) {
    const torch::Tensor length = trajectory.leapfrogs.defined()
                                     ? trajectory.step * (trajectory.leapfrogs > static_cast<double>(i))
                                     : trajectory.step;
    momentum = momentum - 0.5 * length * here.gradient;
    end = end + length * inverse_mass * momentum;
    here = potential(end);
    momentum = momentum - 0.5 * length * here.gradient;
  }
  const torch::Tensor gain = energy - here.value - kinetic(momentum, inverse_mass);
  const torch::Tensor error = at::nan_to_num(gain, -HUGE_VAL);
  const torch::Tensor acceptance = at::clamp_max(error, 0).exp();
  return {.end = end,
          .acceptance = acceptance.to(from.scalar_type()),
          .is_accepted = trajectory.uniform < acceptance,
          .is_divergent = error < -kDivergence,
          .before = before,
          .after = here};
}

}  // namespace kullback::deep
