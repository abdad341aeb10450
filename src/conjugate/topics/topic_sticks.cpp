#include "conjugate/topics/topic_sticks.hpp"

#include <algorithm>

#include "math/gamma_functions.hpp"

namespace kullback::conjugate {

Sticks::Sticks(std::size_t size, double concentration) : breaks_(size - 1), prior_(2 * (size - 1), 1.0) {
  std::fill(prior_.begin() + static_cast<std::ptrdiff_t>(breaks_), prior_.end(), concentration);
  parameters_ = prior_;
}

// v_k is broken off once for each use of k, and passed over once for each use of a later piece.
std::vector<double> Sticks::target(std::span<const double> uses) const {
  std::vector<double> result = prior_;
  double later = 0;
  for (std::size_t k = breaks_; k-- > 0;) {
    later += uses[k + 1];
    result[k] += uses[k];
    result[breaks_ + k] += later;
  }
  return result;
}

void Sticks::update(std::span<const double> uses) { parameters_ = target(uses); }

void Sticks::step(std::size_t block, const double* uses, Mover& mover) {
  mover.move(block, parameters_, target({uses, breaks_ + 1}), [](std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
  });
}

std::vector<double> Sticks::mean_parameters() const {
  std::vector<double> result(2 * breaks_);
  for (std::size_t k = 0; k < breaks_; ++k) {
    const double of_sum = math::digamma_positive(parameters_[k] + parameters_[breaks_ + k]);
    result[k] = math::digamma_positive(parameters_[k]) - of_sum;
    result[breaks_ + k] = math::digamma_positive(parameters_[breaks_ + k]) - of_sum;
  }
  return result;
}

std::vector<double> Sticks::expected_logs() const {
  const std::vector<double> logs = mean_parameters();
  std::vector<double> result(breaks_ + 1);
  double left = 0;
  for (std::size_t k = 0; k < breaks_; ++k) {
    result[k] = left + logs[k];
    left += logs[breaks_ + k];
  }
  result[breaks_] = left;
  return result;
}

std::vector<double> Sticks::means() const {
  std::vector<double> result(breaks_ + 1);
  double left = 1;
  for (std::size_t k = 0; k < breaks_; ++k) {
    const double share = parameters_[k] / (parameters_[k] + parameters_[breaks_ + k]);
    result[k] = left * share;
    left *= 1 - share;
  }
  result[breaks_] = left;
  return result;
}

double Sticks::minus_divergence() const {
  const std::vector<double> logs = mean_parameters();
  double sum = 0;
  for (std::size_t i = 0; i < 2 * breaks_; ++i) sum += (prior_[i] - parameters_[i]) * logs[i];
  for (std::size_t k = 0; k < breaks_; ++k) {
    sum += math::log_beta(parameters_[k], parameters_[breaks_ + k]) -
           math::log_beta(prior_[k], prior_[breaks_ + k]);
  }
  return sum;
}

void Sticks::save(std::vector<double>& state) const {
  state.insert(state.end(), prior_.begin(), prior_.end());
  state.insert(state.end(), parameters_.begin(), parameters_.end());
}

void Sticks::load(std::span<const double>& state) {
  std::copy_n(state.begin(), 2 * breaks_, prior_.begin());
  std::copy_n(state.begin() + static_cast<std::ptrdiff_t>(2 * breaks_), 2 * breaks_, parameters_.begin());
  state = state.subspan(4 * breaks_);
}

}  // namespace kullback::conjugate
