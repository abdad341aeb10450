// Where the density is not ok its gradient is taken as 0: leapfrog is reversible and keeps volume with any
// force that depends on the position alone, and the energy there is infinite for beta > 0.
#include "infer/mcmc/tempered_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "infer/mcmc/archive_fixed.hpp"
namespace kullback::infer {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kHalfLogTwoPi = 0.5 * std::log(8 * std::atan(1.0));

}  // namespace

Reference wide_reference(const std::vector<double>& start) {
  Reference result{std::vector<double>(start.size(), 0.0), {}};
  for (const double x : start) result.sd.push_back(2 + std::abs(x));
  return result;
}

TemperedLanes::TemperedLanes(density::LogDensity& density, std::size_t lanes)
    : beta(lanes),
      step_size(lanes, 1.0),
      inv_metric(density.dim() * lanes, 1.0),
      density_(density),
      dim_(density.dim()),
      lanes_(lanes),
      theta_(dim_ * lanes),
      gradient_(dim_ * lanes),
      log_p_(lanes, -kInfinity),
      mean_(dim_ * lanes),
      precision_(dim_ * lanes, 1.0),
      log_scale_(lanes),
      p_(dim_ * lanes),
      new_theta_(dim_ * lanes),
      new_gradient_(dim_ * lanes),
      new_log_p_(lanes),
      status_(lanes) {}

void TemperedLanes::set_point(std::size_t lane, const std::vector<double>& theta) {
  for (std::size_t i = 0; i < dim_; ++i) theta_[i * lanes_ + lane] = theta[i];
}

void TemperedLanes::set_reference(std::size_t lane, const Reference& reference) {
  log_scale_[lane] = 0;
  for (std::size_t i = 0; i < dim_; ++i) {
    mean_[i * lanes_ + lane] = reference.mean[i];
    precision_[i * lanes_ + lane] = 1 / (reference.sd[i] * reference.sd[i]);
    log_scale_[lane] -= std::log(reference.sd[i]) + kHalfLogTwoPi;
  }
}

void TemperedLanes::draw_reference(std::size_t lane, Random& random) {
  for (std::size_t i = 0; i < dim_; ++i) {
    const std::size_t at = i * lanes_ + lane;
    theta_[at] = mean_[at] + random.normal() / std::sqrt(precision_[at]);
  }
}

void TemperedLanes::evaluate() { evaluate_into(theta_, gradient_, log_p_); }

void TemperedLanes::evaluate_into(std::vector<double>& theta, std::vector<double>& gradient,
                                  std::vector<double>& log_p) {
  density_.evaluate({lanes_, theta.data(), log_p.data(), gradient.data(), status_.data()});
  gradients_ += lanes_;
  for (std::size_t k = 0; k < lanes_; ++k) {
    if (status_[k] == density::Status::ok) continue;
    log_p[k] = -kInfinity;
    for (std::size_t i = 0; i < dim_; ++i) gradient[i * lanes_ + k] = 0;
  }
}

// p += steps * step_size * gradient on the path.
void TemperedLanes::kick(const std::vector<double>& theta, const std::vector<double>& gradient,
                         double steps) {
  for (std::size_t i = 0; i < dim_; ++i) {
    for (std::size_t k = 0; k < lanes_; ++k) {
      const std::size_t at = i * lanes_ + k;
      const double pull = (1 - beta[k]) * precision_[at] * (mean_[at] - theta[at]);
      p_[at] += steps * step_size[k] * (beta[k] * gradient[at] + pull);
    }
  }
}

std::vector<double> TemperedLanes::energies(const std::vector<double>& theta,
                                            const std::vector<double>& log_p) const {
  std::vector<double> result(lanes_);
  for (std::size_t i = 0; i < dim_; ++i) {
    for (std::size_t k = 0; k < lanes_; ++k) {
      const std::size_t at = i * lanes_ + k;
      const double deviation = theta[at] - mean_[at];
      result[k] += 0.5 * inv_metric[at] * p_[at] * p_[at] +
                   0.5 * (1 - beta[k]) * precision_[at] * deviation * deviation;
    }
  }
  for (std::size_t k = 0; k < lanes_; ++k) {
    if (beta[k] > 0) result[k] -= beta[k] * log_p[k];
    if (std::isnan(result[k])) result[k] = kInfinity;
  }
  return result;
}

void TemperedLanes::move(Random& random, std::size_t leapfrogs, std::span<double> acceptance) {
  for (std::size_t at = 0; at < p_.size(); ++at) p_[at] = random.normal() / std::sqrt(inv_metric[at]);
  const std::vector<double> before = energies(theta_, log_p_);
  new_theta_ = theta_;
  kick(theta_, gradient_, 0.5);
  for (std::size_t step = 1; step <= leapfrogs; ++step) {
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes_; ++k) {
        const std::size_t at = i * lanes_ + k;
        if (beta[k] > 0) new_theta_[at] += step_size[k] * inv_metric[at] * p_[at];
      }
    }
    evaluate_into(new_theta_, new_gradient_, new_log_p_);
    kick(new_theta_, new_gradient_, step < leapfrogs ? 1.0 : 0.5);
  }
  const std::vector<double> after = energies(new_theta_, new_log_p_);
  for (std::size_t k = 0; k < lanes_; ++k) {
    const double gain = before[k] - after[k];
    acceptance[k] = beta[k] == 0 ? 1.0 : std::isnan(gain) ? 0.0 : std::min(1.0, std::exp(gain));
    if (!(random.uniform() < acceptance[k])) continue;
    for (std::size_t at = k; at < theta_.size(); at += lanes_) {
      theta_[at] = new_theta_[at];
      gradient_[at] = new_gradient_[at];
    }
    log_p_[k] = new_log_p_[k];
  }
}

double TemperedLanes::log_reference(std::size_t lane, std::size_t at) const {
  double sum = log_scale_[lane];
  for (std::size_t i = 0; i < dim_; ++i) {
    const double deviation = theta_[i * lanes_ + at] - mean_[i * lanes_ + lane];
    sum -= 0.5 * precision_[i * lanes_ + lane] * deviation * deviation;
  }
  return sum;
}

double TemperedLanes::log_path(std::size_t lane, std::size_t at) const {
  if (beta[lane] == 0) return log_reference(lane, at);
  if (beta[lane] == 1) return log_p_[at];
  return beta[lane] * log_p_[at] + (1 - beta[lane]) * log_reference(lane, at);
}

void TemperedLanes::swap(std::size_t a, std::size_t b) {
  for (std::size_t i = 0; i < dim_; ++i) {
    std::swap(theta_[i * lanes_ + a], theta_[i * lanes_ + b]);
    std::swap(gradient_[i * lanes_ + a], gradient_[i * lanes_ + b]);
  }
  std::swap(log_p_[a], log_p_[b]);
}

void TemperedLanes::select(const std::vector<std::size_t>& sources) {
  for (std::size_t i = 0; i < dim_; ++i) {
    for (std::size_t k = 0; k < lanes_; ++k) {
      new_theta_[i * lanes_ + k] = theta_[i * lanes_ + sources[k]];
      new_gradient_[i * lanes_ + k] = gradient_[i * lanes_ + sources[k]];
    }
  }
  for (std::size_t k = 0; k < lanes_; ++k) new_log_p_[k] = log_p_[sources[k]];
  theta_.swap(new_theta_);
  gradient_.swap(new_gradient_);
  log_p_.swap(new_log_p_);
}

void TemperedLanes::copy_point(std::size_t lane, std::vector<double>& end) const {
  for (std::size_t i = 0; i < dim_; ++i) end.push_back(theta(i, lane));
}

void TemperedLanes::archive(Archive& archive) {
  for (std::vector<double>* numbers :
       {&theta_, &gradient_, &log_p_, &mean_, &precision_, &log_scale_, &beta, &step_size, &inv_metric})
    archive_fixed(archive, *numbers);
  archive.value(gradients_);
}

}  // namespace kullback::infer
