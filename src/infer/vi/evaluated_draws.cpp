#include "infer/vi/evaluated_draws.hpp"

#include <algorithm>
#include <cmath>

namespace kullback::infer {

namespace {

constexpr std::size_t kMostBadShare = 4;  // at most one draw in so many

void copy_lane(std::vector<double>& values, std::size_t lanes, std::size_t from, std::size_t to) {
  for (std::size_t first = 0; first < values.size(); first += lanes)
    values[first + to] = values[first + from];
}

}  // namespace

void EvaluatedDraws::draw(std::span<const double> lambda) {
  family_.draw(lambda, {lanes(), noise_.data(), theta_.data(), log_q_.empty() ? nullptr : log_q_.data()});
}

bool EvaluatedDraws::evaluate(std::span<const double> lambda, const NoiseSource& noise, std::uint32_t index,
                              std::size_t lanes, bool wants_gradient) {
  noise_.resize(noise.size() * lanes);
  theta_.resize(family_.dim() * lanes);
  log_q_.resize(family_.abilities().log_q ? lanes : 0);
  log_p_.resize(lanes);
  gradient_.resize(wants_gradient ? theta_.size() : 0);
  status_.resize(lanes);
  noise.fill(index, lanes, noise_.data());
  draw(lambda);
  density_.evaluate(
      {lanes, theta_.data(), log_p_.data(), wants_gradient ? gradient_.data() : nullptr, status_.data()});
  (wants_gradient ? gradients_ : evaluations_) += lanes;
  const std::size_t bad = count_bad();
  if (bad == 0) return true;
  message_ = density_.message();
  replaced_ += bad;
  if (bad * kMostBadShare > lanes) return false;
  replace_bad();
  draw(lambda);
  return true;
}

std::span<const double> EvaluatedDraws::evaluate_terms(density::Terms& terms) {
  terms_.resize(terms.count() * lanes());
  terms.evaluate(lanes(), theta_.data(), terms_.data());
  evaluations_ += lanes();
  return terms_;
}

std::size_t EvaluatedDraws::count_bad() const {
  std::size_t bad = 0;
  for (std::size_t k = 0; k < lanes(); ++k) bad += status_[k] != density::Status::ok;
  return bad;
}

void EvaluatedDraws::replace_bad() {
  std::size_t good = 0;
  for (std::size_t k = 0; k < lanes(); ++k) {
    if (status_[k] == density::Status::ok) continue;
    while (status_[good] != density::Status::ok) good = (good + 1) % lanes();
    copy_lane(noise_, lanes(), good, k);
    copy_lane(log_p_, lanes(), good, k);
    copy_lane(gradient_, lanes(), good, k);
    good = (good + 1) % lanes();
  }
}

void EvaluatedDraws::archive(Archive& archive) {
  archive.value(gradients_);
  archive.value(evaluations_);
  archive.value(replaced_);
  archive.value(message_);
}

}  // namespace kullback::infer
