// Floor: 2 * distinct words * topics multiply-adds in each round, from tables that stay in the second cache.
//
// With a small alpha most topics leave a document after a few rounds: exp(digamma(0.01)) = e^-100. Rounds
// then run on those that hold more than kNothing of a token, side by side in a block of their own; the last
// round is always one on all topics, so that nothing is lost if a topic should come back.
#include "conjugate/topics/topic_document.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "conjugate/topics/topic_kernels.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {

namespace {

constexpr std::size_t kWords = 4;
constexpr double kNothing = 1e-12;
// A document starts afresh when this part of its tokens has changed topics since it last did.
constexpr double kDrift = 0.02;
// Below this the products of a word may have lost digits to underflow: alpha and eta below 0.005 both.
constexpr double kSmallestNorm = 1e-250;

std::size_t padded(std::size_t size, std::size_t block) { return (size + block - 1) / block * block; }

}  // namespace

DocumentAscent::DocumentAscent(const TopicWords& words, std::span<const double> alpha, Limits limits)
    : words_(words), topics_(words.topics()), width_(words.width()), limits_(limits) {
  alpha_.assign(width_, 1.0);
  std::copy(alpha.begin(), alpha.end(), alpha_.begin());
  for (std::vector<double>* each : {&start_, &sums_, &now_.t, &other_.t}) each->assign(width_, 0.0);
}

void DocumentAscent::take(std::span<const std::uint32_t> words, std::span<const double> counts) {
  indices_ = words;
  const std::size_t size = padded(words.size(), kWords);
  rows_.resize(size);
  counts_.assign(size, 0.0);
  now_.norms.resize(size);
  other_.norms.resize(size);
  logs_.resize(std::max(size, width_));
  tokens_ = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    rows_[i] = words_.row(words[i]);
    counts_[i] = counts[i];
    tokens_ += counts[i];
  }
  for (std::size_t i = words.size(); i < size; ++i) rows_[i] = rows_[words.size() - 1];
}

void DocumentAscent::run(std::span<const std::uint32_t> words, std::span<const double> counts) {
  take(words, counts);
  ascend({});
}

void DocumentAscent::run_again(std::span<const std::uint32_t> words, std::span<const double> counts,
                               std::span<double> memory) {
  take(words, counts);
  const std::span<double> gamma = memory.first(topics_);
  double& drift = memory[topics_];
  double& visits = memory[topics_ + 1];
  const bool is_fresh = visits == 0 || visits < static_cast<double>(limits_.fresh_passes);
  ascend(is_fresh ? std::span<const double>{} : gamma);
  if (!is_fresh) {
    for (std::size_t k = 0; k < topics_; ++k) drift += std::abs(now_.gamma[k] - gamma[k]);
    if (drift > kDrift * tokens_) {
      drift = 0;
      std::swap(now_, other_);
      ascend({});
      if (other_.bound > now_.bound) std::swap(now_, other_);
    }
  }
  visits += 1;
  std::copy_n(now_.gamma.begin(), topics_, gamma.begin());
}

void DocumentAscent::ascend(std::span<const double> start) {
  const double share = tokens_ / static_cast<double>(topics_);
  start_.assign(width_, 1.0);
  for (std::size_t k = 0; k < topics_; ++k) start_[k] = start.empty() ? alpha_[k] + share : start[k];
  rounds_ = 0;
  change_ = 0;
  now_.is_logarithmic = false;
  now_.gamma = indices_.empty() ? alpha_ : start_;
  if (indices_.empty()) return;
  full_round();
  while (!now_.is_logarithmic && !is_settled(change_) && rounds_ < limits_.rounds) {
    if (choose_active()) rounds_on_active();
    full_round();
  }
  if (now_.is_logarithmic) ascend_in_logarithms();
  weigh();
}

void DocumentAscent::full_round() {
  kernels::Round round{.rows = rows_.data(),
                       .counts = counts_.data(),
                       .words = counts_.size(),
                       .width = width_,
                       .alpha = alpha_.data(),
                       .gamma = now_.gamma.data(),
                       .t = now_.t.data(),
                       .sums = sums_.data(),
                       .norms = now_.norms.data()};
  kernels::run_round(round);
  ++rounds_;
  change_ = round.change;
  now_.is_logarithmic = !(round.smallest > kSmallestNorm);
}

// True where there are so few that it pays to copy them.
bool DocumentAscent::choose_active() {
  active_.clear();
  for (std::size_t k = 0; k < topics_; ++k) {
    if (now_.gamma[k] - alpha_[k] > kNothing) active_.push_back(k);
  }
  active_width_ = padded(active_.size(), TopicWords::kBlock);
  return 4 * active_width_ <= 3 * width_;
}

void DocumentAscent::gather_active() {
  const std::size_t size = counts_.size();
  block_.assign(size * active_width_, 0.0);
  active_rows_.resize(size);
  for (std::size_t w = 0; w < size; ++w) {
    double* row = block_.data() + w * active_width_;
    for (std::size_t j = 0; j < active_.size(); ++j) row[j] = rows_[w][active_[j]];
    active_rows_[w] = row;
  }
  active_alpha_.assign(active_width_, 1.0);
  active_gamma_.assign(active_width_, 1.0);
  active_t_.resize(active_width_);
  for (std::size_t j = 0; j < active_.size(); ++j) {
    active_alpha_[j] = alpha_[active_[j]];
    active_gamma_[j] = now_.gamma[active_[j]];
  }
}

void DocumentAscent::rounds_on_active() {
  gather_active();
  while (rounds_ + 1 < limits_.rounds) {
    kernels::Round round{.rows = active_rows_.data(),
                         .counts = counts_.data(),
                         .words = counts_.size(),
                         .width = active_width_,
                         .alpha = active_alpha_.data(),
                         .gamma = active_gamma_.data(),
                         .t = active_t_.data(),
                         .sums = sums_.data(),
                         .norms = now_.norms.data()};
    kernels::run_round(round);
    if (!(round.smallest > kSmallestNorm)) break;  // the full round that follows sees to it
    ++rounds_;
    for (std::size_t j = 0; j < active_.size(); ++j) now_.gamma[active_[j]] = active_gamma_[j];
    if (is_settled(round.change)) break;
    const std::size_t width = active_width_;
    std::size_t left = 0;
    for (std::size_t j = 0; j < active_.size(); ++j) left += active_gamma_[j] - active_alpha_[j] > kNothing;
    if (2 * padded(left, TopicWords::kBlock) <= width) {
      choose_active();
      gather_active();
    }
  }
}

// The same from logarithms: for documents in which exponentials underflow. Slow, and rare.
void DocumentAscent::ascend_in_logarithms() {
  now_.gamma = start_;
  rounds_ = 0;
  now_.phi.resize(indices_.size() * topics_);
  std::vector<double> logits(topics_);
  do {
    change_ = log_round(logits);
    ++rounds_;
  } while (!is_settled(change_) && rounds_ < limits_.rounds);
}

double DocumentAscent::log_round(std::vector<double>& logits) {
  kernels::digamma(now_.gamma.data(), topics_, now_.t.data());
  std::vector<double> updated = alpha_;
  for (std::size_t w = 0; w < indices_.size(); ++w) {
    const double* log_row = words_.log_row(indices_[w]);
    double* phi = now_.phi.data() + w * topics_;
    for (std::size_t k = 0; k < topics_; ++k) logits[k] = now_.t[k] + log_row[k];
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (double& logit : logits) sum += logit = std::exp(logit - largest);
    for (std::size_t k = 0; k < topics_; ++k) {
      phi[k] = logits[k] / sum;
      updated[k] += counts_[w] * phi[k];
    }
  }
  double change = 0;
  for (std::size_t k = 0; k < topics_; ++k) change += std::abs(updated[k] - now_.gamma[k]);
  now_.gamma = updated;
  return change;
}

// With C_k = sum_w n_w phi_wk = gamma_k - alpha_k, S = sum of gamma and B = exp(E log beta - shift):
//   H(q(z)) + sum_wk n_w phi_wk E log beta_wk = sum_w n_w (log norm_w + shift_w) - sum_k C_k log t_k
//   E log p(z | theta) = sum_k C_k E log theta_k,   E log theta_k = digamma(gamma_k) - digamma(S)
//   - E log q(theta) = sum_k log Gamma(gamma_k) - log Gamma(S) - sum_k (gamma_k - 1) E log theta_k
// and the factors of E log theta_k in all, E log p(theta | alpha) too, add up to 0.
void DocumentAscent::weigh() {
  const std::size_t size = indices_.size();
  double entropy = 0;
  if (now_.is_logarithmic) {
    for (std::size_t w = 0; w < size; ++w) {
      for (std::size_t k = 0; k < topics_; ++k) {
        const double phi = now_.phi[w * topics_ + k];
        if (phi > 0) entropy += counts_[w] * phi * (words_.log_row(indices_[w])[k] - std::log(phi));
      }
    }
  } else {
    kernels::log(now_.norms.data(), size, logs_.data());
    for (std::size_t w = 0; w < size; ++w) entropy += counts_[w] * (logs_[w] + words_.shift(indices_[w]));
    // t_k = 0 where topic k has no part in the document.
    for (std::size_t k = 0; k < topics_; ++k) logs_[k] = std::max(now_.t[k], 1e-300);
    kernels::log(logs_.data(), topics_, logs_.data());
    for (std::size_t k = 0; k < topics_; ++k) entropy -= (now_.gamma[k] - alpha_[k]) * logs_[k];
  }
  now_.entropy = entropy;
  now_.bound = entropy + kernels::sum_log_gamma(now_.gamma.data(), topics_);
}

double DocumentAscent::add(double weight, double* counts, double* log_theta) {
  const std::vector<double>& gamma = now_.gamma;
  double entropy = 0;
  double log_gammas = 0;
  if (indices_.empty()) {
    log_gammas = kernels::sum_log_gamma(gamma.data(), topics_);
  } else {
    entropy = now_.entropy;
    log_gammas = now_.bound - now_.entropy;
  }
  const double sum =
      std::accumulate(gamma.begin(), gamma.begin() + static_cast<std::ptrdiff_t>(topics_), 0.0);
  const double of_sum = math::digamma_positive(sum);
  kernels::digamma(gamma.data(), topics_, logs_.data());
  double rest = log_gammas - math::log_gamma(sum);
  for (std::size_t k = 0; k < topics_; ++k) {
    const double log_share = logs_[k] - of_sum;
    rest += (1 - alpha_[k]) * log_share;  // C_k - (gamma_k - 1)
    log_theta[k] += weight * log_share;
  }
  const double expected_log =
      now_.is_logarithmic ? spread_in_logarithms(weight, counts) : spread(weight, counts);
  return weight * (entropy + rest) - expected_log;
}

// Adds to counts; the sum of weight * n_w phi_wk E log beta_wk.
double DocumentAscent::spread(double weight, double* counts) {
  const std::size_t size = indices_.size();
  log_rows_.resize(size);
  into_.resize(size);
  for (std::size_t w = 0; w < size; ++w) {
    log_rows_[w] = words_.log_row(indices_[w]);
    into_[w] = counts + indices_[w] * topics_;
  }
  return kernels::spread({.rows = rows_.data(),
                          .log_rows = log_rows_.data(),
                          .into = into_.data(),
                          .counts = counts_.data(),
                          .norms = now_.norms.data(),
                          .words = size,
                          .t = now_.t.data(),
                          .topics = topics_,
                          .scale = weight});
}

double DocumentAscent::spread_in_logarithms(double weight, double* counts) {
  double sum = 0;
  for (std::size_t w = 0; w < indices_.size(); ++w) {
    for (std::size_t k = 0; k < topics_; ++k) {
      const double part = weight * counts_[w] * now_.phi[w * topics_ + k];
      counts[indices_[w] * topics_ + k] += part;
      sum += part * words_.log_row(indices_[w])[k];
    }
  }
  return sum;
}

}  // namespace kullback::conjugate
