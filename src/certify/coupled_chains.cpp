// Leapfrog steps in whitened coordinates with unit mass, then a Metropolis decision:
//   m += e/2 g(z);  z += e m;  m += e/2 g(z);   accept with probability min(1, exp(H(z, m) - H(z', m'))).
#include "certify/coupled_chains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/random.hpp"
#include "infer/algorithm.hpp"

namespace kullback::certify {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

ChainNoise::ChainNoise(std::size_t dim, std::size_t count)
    : streams(count), momentum(dim * count), log_uniform(count), stretch(count) {}

void ChainNoise::draw(std::uint64_t seed, std::uint32_t index) {
  const std::size_t dim = momentum.size() / streams;
  for (std::size_t k = 0; k < streams; ++k) {
    Random random(seed, static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(infer::Purpose::transition),
                  index);
    log_uniform[k] = std::log(random.uniform());
    stretch[k] = 0.5 + random.uniform();
    for (std::size_t i = 0; i < dim; ++i) momentum[i * streams + k] = random.normal();
  }
}

CoupledChains::CoupledChains(density::LogDensity& density, const Whitening& whitening, std::size_t lanes)
    : density_(density),
      whitening_(whitening),
      dim_(density.dim()),
      lanes_(lanes),
      z_(dim_ * lanes),
      log_density_(lanes),
      gradient_(dim_ * lanes),
      new_z_(dim_ * lanes),
      new_log_density_(lanes),
      new_gradient_(dim_ * lanes),
      momentum_(dim_ * lanes),
      step_size_(lanes),
      theta_(dim_ * lanes),
      theta_gradient_(dim_ * lanes),
      status_(lanes) {}

// Where the density fails it is -inf with gradient 0.
void CoupledChains::evaluate(const std::vector<double>& z, std::vector<double>& log_density,
                             std::vector<double>& gradient) {
  whitening_.to_theta(lanes_, z.data(), theta_.data());
  density_.evaluate({lanes_, theta_.data(), log_density.data(), theta_gradient_.data(), status_.data()});
  evaluations_ += lanes_;
  whitening_.pull_gradient(lanes_, theta_gradient_.data(), gradient.data());
  for (std::size_t k = 0; k < lanes_; ++k) {
    bool is_ok = status_[k] == density::Status::ok && std::isfinite(log_density[k]);
    for (std::size_t i = 0; i < dim_; ++i) is_ok = is_ok && std::isfinite(gradient[i * lanes_ + k]);
    if (is_ok) continue;
    log_density[k] = -kInfinity;
    for (std::size_t i = 0; i < dim_; ++i) gradient[i * lanes_ + k] = 0;
  }
}

bool CoupledChains::place(std::span<const double> z) {
  z_.assign(z.begin(), z.end());
  evaluate(z_, log_density_, gradient_);
  const auto good =
      std::find_if(log_density_.begin(), log_density_.end(), [](double lp) { return lp > -kInfinity; });
  if (good == log_density_.end()) return false;
  const auto from = static_cast<std::size_t>(good - log_density_.begin());
  for (std::size_t k = 0; k < lanes_; ++k) {
    if (log_density_[k] > -kInfinity) continue;
    log_density_[k] = log_density_[from];
    for (std::size_t i = 0; i < dim_; ++i) {
      z_[i * lanes_ + k] = z_[i * lanes_ + from];
      gradient_[i * lanes_ + k] = gradient_[i * lanes_ + from];
    }
  }
  return true;
}

void CoupledChains::kick(double part) {
  for (std::size_t i = 0; i < dim_; ++i) {
    for (std::size_t k = 0; k < lanes_; ++k)
      momentum_[i * lanes_ + k] += part * step_size_[k] * new_gradient_[i * lanes_ + k];
  }
}

std::vector<double> CoupledChains::kinetic() const {
  std::vector<double> energy(lanes_, 0.0);
  for (std::size_t i = 0; i < dim_; ++i) {
    for (std::size_t k = 0; k < lanes_; ++k)
      energy[k] += 0.5 * momentum_[i * lanes_ + k] * momentum_[i * lanes_ + k];
  }
  return energy;
}

double CoupledChains::accept(const ChainNoise& noise, const std::vector<double>& energy) {
  const std::vector<double> after = kinetic();
  double total = 0;
  for (std::size_t k = 0; k < lanes_; ++k) {
    const double log_ratio = new_log_density_[k] - after[k] - log_density_[k] + energy[k];
    if (std::isnan(log_ratio)) continue;
    total += std::min(1.0, std::exp(log_ratio));
    if (!(noise.log_uniform[k % noise.streams] < log_ratio)) continue;
    log_density_[k] = new_log_density_[k];
    for (std::size_t i = 0; i < dim_; ++i) {
      z_[i * lanes_ + k] = new_z_[i * lanes_ + k];
      gradient_[i * lanes_ + k] = new_gradient_[i * lanes_ + k];
    }
  }
  return total / static_cast<double>(lanes_);
}

double CoupledChains::step(const ChainNoise& noise, const PathLength& path) {
  for (std::size_t k = 0; k < lanes_; ++k) step_size_[k] = path.step_size * noise.stretch[k % noise.streams];
  for (std::size_t i = 0; i < dim_; ++i) {
    for (std::size_t k = 0; k < lanes_; ++k)
      momentum_[i * lanes_ + k] = noise.momentum[i * noise.streams + k % noise.streams];
  }
  const std::vector<double> energy = kinetic();
  new_z_ = z_;
  new_gradient_ = gradient_;
  for (std::size_t n = 0; n < path.steps; ++n) {
    kick(n == 0 ? 0.5 : 1.0);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes_; ++k)
        new_z_[i * lanes_ + k] += step_size_[k] * momentum_[i * lanes_ + k];
    }
    evaluate(new_z_, new_log_density_, new_gradient_);
  }
  kick(0.5);
  return accept(noise, energy);
}

}  // namespace kullback::certify
