// In phi, where theta = center + L phi, the energy is split into that of a standard normal, whose motion is
// known, and the rest (Shahbaba, Lan, Johnson, Neal 2014, Split Hamiltonian Monte Carlo):
//   H = (|phi|^2 + |m|^2) / 2  +  (-log p(phi) - |phi|^2 / 2).
// A step of angle e is half a kick of the rest, m += e/2 (L' grad log p + phi), the motion of the first,
// which turns every pair (phi, m) by e, and the other half of the kick. Each part preserves volume and the
// whole is symmetric, so that Metropolis's decision leaves p invariant for any step. Where p is that normal
// the rest is constant: one step is a whole trajectory, and none is rejected. Elsewhere small steps are those
// of leapfrog.
//
// A trajectory of length pi / 2 is a quarter of a period of a standard normal target, after which position
// and start are uncorrelated. Its length is jittered, so that no frequency is met exactly.
#include "certify/lane_chains.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::certify {

namespace {

using Lanes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Square = Eigen::MatrixXd;

constexpr double kTargetAcceptance = 0.8;
constexpr std::size_t kMaxSteps = 32;
constexpr double kQuarter = std::numbers::pi / 2;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Eigen::Map<Lanes> lanes_of(std::vector<double>& values, std::size_t dim, std::size_t lanes) {
  return {values.data(), static_cast<Eigen::Index>(dim), static_cast<Eigen::Index>(lanes)};
}
Eigen::Map<const Lanes> lanes_of(const std::vector<double>& values, std::size_t dim, std::size_t lanes) {
  return {values.data(), static_cast<Eigen::Index>(dim), static_cast<Eigen::Index>(lanes)};
}
Eigen::Map<const Square> square_of(const std::vector<double>& values, std::size_t dim) {
  return {values.data(), static_cast<Eigen::Index>(dim), static_cast<Eigen::Index>(dim)};
}

}  // namespace

Scaling scaling_of(std::span<const double> theta, std::size_t dim, std::span<const double> weights) {
  constexpr std::size_t kPointsForEach = 4;
  const auto count = static_cast<Eigen::Index>(weights.size());
  const Eigen::Map<const Square> points(theta.data(), static_cast<Eigen::Index>(dim), count);
  const Eigen::Map<const Eigen::VectorXd> weight(weights.data(), count);
  const Eigen::VectorXd center = points * weight;
  const Eigen::MatrixXd offset = points.colwise() - center;
  Scaling result;
  result.center.assign(center.begin(), center.end());
  const Eigen::VectorXd variance = offset.array().square().matrix() * weight;
  for (const double value : variance) result.sd.push_back(value > 0 ? std::sqrt(value) : 1.0);
  if (dim > kDenseDim || weights.size() < kPointsForEach * dim) return result;
  Square lower = offset * weight.asDiagonal() * offset.transpose();
  if (!math::linear::cholesky(lower, lower)) return result;
  result.lower.assign(lower.data(), lower.data() + lower.size());
  return result;
}

LaneChains::LaneChains(density::LogDensity& density, const Scaling& scaling, ChainsName name,
                       std::span<const double> starts)
    : density_(density),
      scaling_(scaling),
      name_(name),
      dim_(density.dim()),
      lanes_(starts.size() / std::max<std::size_t>(1, dim_)),
      momentum_(dim_ * lanes_),
      status_(lanes_),
      step_size_(kQuarter) {
  now_ = {std::vector<double>(dim_ * lanes_),
          {},
          std::vector<double>(dim_ * lanes_),
          std::vector<double>(lanes_)};
  for (std::size_t k = 0; k < lanes_; ++k) {
    for (std::size_t i = 0; i < dim_; ++i) now_.theta[i * lanes_ + k] = starts[k * dim_ + i];
  }
  now_.phi = phi_of(now_.theta);
  evaluate(now_);
  next_ = now_;
}

std::vector<double> LaneChains::phi_of(const std::vector<double>& theta) const {
  std::vector<double> phi(theta.size());
  for (std::size_t i = 0; i < dim_; ++i) {
    const double unit = scaling_.lower.empty() ? scaling_.sd[i] : 1;
    for (std::size_t k = 0; k < lanes_; ++k)
      phi[i * lanes_ + k] = (theta[i * lanes_ + k] - scaling_.center[i]) / unit;
  }
  if (!scaling_.lower.empty())
    math::linear::solve_lower(square_of(scaling_.lower, dim_), lanes_of(phi, dim_, lanes_));
  return phi;
}

void LaneChains::evaluate(State& state) {
  density_.evaluate({lanes_, state.theta.data(), state.log_p.data(), state.gradient.data(), status_.data()});
  gradients_ += lanes_;
  for (std::size_t k = 0; k < lanes_; ++k) {
    bool is_ok = status_[k] == density::Status::ok;
    for (std::size_t i = 0; i < dim_ && is_ok; ++i) is_ok = std::isfinite(state.gradient[i * lanes_ + k]);
    if (is_ok) continue;
    state.log_p[k] = -kInfinity;
    for (std::size_t i = 0; i < dim_; ++i) state.gradient[i * lanes_ + k] = 0;
  }
}

void LaneChains::kick(const State& state, double step) {
  auto momentum = lanes_of(momentum_, dim_, lanes_);
  momentum += step * lanes_of(state.phi, dim_, lanes_);
  const auto gradient = lanes_of(state.gradient, dim_, lanes_);
  if (scaling_.lower.empty()) {
    const Eigen::Map<const Eigen::VectorXd> sd(scaling_.sd.data(), static_cast<Eigen::Index>(dim_));
    momentum += step * (sd.asDiagonal() * gradient);
  } else {
    const Lanes pulled =
        square_of(scaling_.lower, dim_).transpose().triangularView<Eigen::Upper>() * gradient;
    momentum += step * pulled;
  }
}

void LaneChains::turn(State& state, double angle) {
  const double cosine = std::cos(angle), sine = std::sin(angle);
  for (std::size_t i = 0; i < momentum_.size(); ++i) {
    const double phi = state.phi[i];
    state.phi[i] = cosine * phi + sine * momentum_[i];
    momentum_[i] = cosine * momentum_[i] - sine * phi;
  }
  auto theta = lanes_of(state.theta, dim_, lanes_);
  const auto phi = lanes_of(state.phi, dim_, lanes_);
  const Eigen::Map<const Eigen::VectorXd> center(scaling_.center.data(), static_cast<Eigen::Index>(dim_));
  if (scaling_.lower.empty()) {
    const Eigen::Map<const Eigen::VectorXd> sd(scaling_.sd.data(), static_cast<Eigen::Index>(dim_));
    theta = sd.asDiagonal() * phi;
  } else {
    theta = square_of(scaling_.lower, dim_).triangularView<Eigen::Lower>() * phi;
  }
  theta.colwise() += center;
}

void LaneChains::move(bool adapts) {
  Random random(name_.seed, name_.block, static_cast<std::uint32_t>(infer::Purpose::certificate), moves_++);
  for (double& value : momentum_) value = random.normal();
  std::vector<double> energy(lanes_);
  const auto add_kinetic = [&](double sign) {
    for (std::size_t k = 0; k < lanes_; ++k) {
      double squares = 0;
      for (std::size_t i = 0; i < dim_; ++i) squares += momentum_[i * lanes_ + k] * momentum_[i * lanes_ + k];
      energy[k] += sign * squares / 2;
    }
  };
  for (std::size_t k = 0; k < lanes_; ++k) energy[k] = -now_.log_p[k];
  add_kinetic(1);
  const double step = step_size_ * (0.9 + 0.2 * random.uniform());
  const double length = kQuarter * (0.8 + 0.4 * random.uniform());
  const auto steps =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(length / step)), 1, kMaxSteps);
  next_ = now_;
  kick(next_, step / 2);
  for (std::size_t s = 0; s < steps; ++s) {
    turn(next_, step);
    evaluate(next_);
    kick(next_, s + 1 < steps ? step : step / 2);
  }
  for (std::size_t k = 0; k < lanes_; ++k) energy[k] += next_.log_p[k];
  add_kinetic(-1);
  acceptance_ = 0;
  for (std::size_t k = 0; k < lanes_; ++k) {
    const double probability = std::isnan(energy[k]) ? 0 : std::min(1.0, std::exp(energy[k]));
    acceptance_ += probability / static_cast<double>(lanes_);
    if (random.uniform() >= probability) continue;
    now_.log_p[k] = next_.log_p[k];
    for (std::size_t i = 0; i < dim_; ++i) {
      now_.theta[i * lanes_ + k] = next_.theta[i * lanes_ + k];
      now_.phi[i * lanes_ + k] = next_.phi[i * lanes_ + k];
      now_.gradient[i * lanes_ + k] = next_.gradient[i * lanes_ + k];
    }
  }
  if (adapts) step_size_ = std::min(kQuarter, step_size_ * std::exp(1.5 * (acceptance_ - kTargetAcceptance)));
}

std::vector<double> LaneChains::by_points(const std::vector<double>& by_lanes) const {
  std::vector<double> result(by_lanes.size());
  for (std::size_t k = 0; k < lanes_; ++k) {
    for (std::size_t i = 0; i < dim_; ++i) result[k * dim_ + i] = by_lanes[i * lanes_ + k];
  }
  return result;
}

std::vector<double> LaneChains::theta() const { return by_points(now_.theta); }
std::vector<double> LaneChains::gradient() const { return by_points(now_.gradient); }

}  // namespace kullback::certify
