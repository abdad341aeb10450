#include "conjugate/mixture/weights.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate::mixture {

using math::digamma_positive;

Weights::Weights(std::size_t components, bool is_process, double concentration)
    : components_(components), is_process_(is_process) {
  if (is_process) {
    for (std::size_t k = 0; k < components; ++k) {
      prior_.push_back(1.0);
      prior_.push_back(concentration);
    }
  } else {
    prior_.assign(components, concentration);
  }
  natural_ = prior_;
}

std::vector<double> Weights::target(std::span<const double> counts) const {
  std::vector<double> result = prior_;
  double beyond = 0;
  for (std::size_t k = components_; k-- > 0;) {
    if (is_process_) {
      result[2 * k] += counts[k];
      result[2 * k + 1] += beyond;
      beyond += counts[k];
    } else {
      result[k] += counts[k];
    }
  }
  return result;
}

std::vector<double> Weights::mean_parameters() const {
  std::vector<double> means(natural_.size());
  if (!is_process_) {
    const double all = digamma_positive(std::accumulate(natural_.begin(), natural_.end(), 0.0));
    for (std::size_t k = 0; k < components_; ++k) means[k] = digamma_positive(natural_[k]) - all;
    return means;
  }
  for (std::size_t k = 0; k < components_; ++k) {
    const double both = digamma_positive(natural_[2 * k] + natural_[2 * k + 1]);
    means[2 * k] = digamma_positive(natural_[2 * k]) - both;
    means[2 * k + 1] = digamma_positive(natural_[2 * k + 1]) - both;
  }
  return means;
}

bool Weights::is_inside(std::span<const double> natural) const {
  return std::all_of(natural.begin(), natural.end(), [](double value) { return value > 0; });
}

std::vector<double> Weights::expected_logs() const {
  const std::vector<double> means = mean_parameters();
  if (!is_process_) return means;
  std::vector<double> logs(components_);
  double before = 0;
  for (std::size_t k = 0; k < components_; ++k) {
    logs[k] = before + means[2 * k];
    before += means[2 * k + 1];
  }
  return logs;
}

std::vector<double> Weights::expected() const {
  std::vector<double> result(components_);
  if (!is_process_) {
    const double all = std::accumulate(natural_.begin(), natural_.end(), 0.0);
    for (std::size_t k = 0; k < components_; ++k) result[k] = natural_[k] / all;
    return result;
  }
  double rest = 1;
  for (std::size_t k = 0; k < components_; ++k) {
    const double both = natural_[2 * k] + natural_[2 * k + 1];
    result[k] = rest * natural_[2 * k] / both;
    rest *= natural_[2 * k + 1] / both;
  }
  return result;
}

double Weights::remainder() const {
  if (!is_process_) return 0;
  double rest = 1;
  for (std::size_t k = 0; k < components_; ++k) {
    rest *= natural_[2 * k + 1] / (natural_[2 * k] + natural_[2 * k + 1]);
  }
  return rest;
}

double Weights::log_partition(std::span<const double> natural) const {
  double sum = 0;
  if (is_process_) {
    for (std::size_t k = 0; k < components_; ++k) sum += math::log_beta(natural[2 * k], natural[2 * k + 1]);
    return sum;
  }
  for (const double alpha : natural) sum += math::log_gamma(alpha);
  return sum - math::log_gamma(std::accumulate(natural.begin(), natural.end(), 0.0));
}

double Weights::kl() const {
  const std::vector<double> means = mean_parameters();
  double sum = log_partition(prior_) - log_partition(natural_);
  for (std::size_t i = 0; i < means.size(); ++i) sum += (natural_[i] - prior_[i]) * means[i];
  return sum;
}

void Weights::append_state(std::vector<double>& state) const {
  state.insert(state.end(), prior_.begin(), prior_.end());
  state.insert(state.end(), natural_.begin(), natural_.end());
}

void Weights::take_state(std::span<const double>& state) {
  take(state, prior_);
  take(state, natural_);
}

void take(std::span<const double>& state, std::span<double> into) {
  if (state.size() < into.size()) {
    throw Error(ErrorKind::internal, "the state of a mixture is shorter than its settings need.");
  }
  std::copy_n(state.begin(), into.size(), into.begin());
  state = state.subspan(into.size());
}

}  // namespace kullback::conjugate::mixture
