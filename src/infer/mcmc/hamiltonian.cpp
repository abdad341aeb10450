// Leapfrog: p += (e/2) grad, theta += e M^-1 p, p += (e/2) grad at the new theta. It is reversible and keeps
// volume, so that the energy error alone decides about acceptance. The half steps of a diagonal metric are
// fused with the position's step; the kinetic energy is summed over even and odd coordinates, in one vector.
#include "infer/mcmc/hamiltonian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kullback::infer {

double PhasePoint::energy() const {
  const double energy = kinetic - log_density;
  return std::isnan(energy) ? std::numeric_limits<double>::infinity() : energy;
}

PhasePoints::PhasePoints(std::size_t count, std::size_t dim) : dim_(dim) {
  while (points_.size() < count) add();
}

void PhasePoints::add() {
  memory_.push_back(std::make_unique<double[]>(4 * dim_));
  double* memory = memory_.back().get();
  points_.push_back({memory, memory + dim_, memory + 2 * dim_, memory + 3 * dim_, 0, 0});
}

void Hamiltonian::evaluate(PhasePoint& point) {
  density::Status status = density::Status::ok;
  density_.evaluate({1, point.theta, &point.log_density, point.gradient, &status});
  ++gradients_;
  if (status != density::Status::ok) point.log_density = -std::numeric_limits<double>::infinity();
}

void Hamiltonian::draw_momentum(Random& random, PhasePoint& point) const {
  inv_metric_.draw_momentum(random, point.p);
  finish_kinetic(point);
}

void Hamiltonian::finish_kinetic(PhasePoint& point) const {
  inv_metric_.velocity(point.p, point.velocity);
  double sum = 0;
  for (std::size_t i = 0; i < dim_; ++i) sum += point.p[i] * point.velocity[i];
  point.kinetic = 0.5 * sum;
}

void Hamiltonian::leapfrog(const PhasePoint& from, double step_size, PhasePoint& to) {
  const double half = 0.5 * step_size;
  const double* __restrict gradient = from.gradient;
  const double* __restrict theta = from.theta;
  const double* __restrict p = from.p;
  double* __restrict new_theta = to.theta;
  double* __restrict new_p = to.p;
  double* __restrict velocity = to.velocity;
  if (inv_metric_.is_dense()) {
    for (std::size_t i = 0; i < dim_; ++i) new_p[i] = p[i] + half * gradient[i];
    inv_metric_.velocity(new_p, velocity);
    for (std::size_t i = 0; i < dim_; ++i) new_theta[i] = theta[i] + step_size * velocity[i];
    evaluate(to);
    for (std::size_t i = 0; i < dim_; ++i) new_p[i] += half * to.gradient[i];
    finish_kinetic(to);
    return;
  }
  const double* __restrict inverse = inv_metric_.values().data();
  for (std::size_t i = 0; i < dim_; ++i) {
    const double moved = p[i] + half * gradient[i];
    new_p[i] = moved;
    new_theta[i] = theta[i] + step_size * (inverse[i] * moved);
  }
  evaluate(to);
  const double* __restrict new_gradient = to.gradient;
  double even = 0;
  double odd = 0;
  std::size_t i = 0;
  for (; i + 1 < dim_; i += 2) {
    const double moved0 = new_p[i] + half * new_gradient[i];
    const double moved1 = new_p[i + 1] + half * new_gradient[i + 1];
    new_p[i] = moved0;
    new_p[i + 1] = moved1;
    velocity[i] = inverse[i] * moved0;
    velocity[i + 1] = inverse[i + 1] * moved1;
    even += moved0 * velocity[i];
    odd += moved1 * velocity[i + 1];
  }
  if (i < dim_) {
    new_p[i] += half * new_gradient[i];
    velocity[i] = inverse[i] * new_p[i];
    even += new_p[i] * velocity[i];
  }
  to.kinetic = 0.5 * (even + odd);
}

void Hamiltonian::copy_position(const PhasePoint& from, PhasePoint& to) const {
  std::copy_n(from.theta, dim_, to.theta);
  std::copy_n(from.gradient, dim_, to.gradient);
  to.log_density = from.log_density;
}

void Hamiltonian::archive(Archive& archive) {
  inv_metric_.archive(archive);
  archive.value(gradients_);
}

}  // namespace kullback::infer
