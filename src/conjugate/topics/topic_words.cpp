#include "conjugate/topics/topic_words.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "conjugate/topics/topic_kernels.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {

namespace {

std::string word_name(const Shape& shape, std::size_t word) {
  return word < shape.names.size() ? shape.names[word] : std::to_string(word + 1);
}

}  // namespace

TopicWords::TopicWords(std::size_t words, std::size_t topics, double eta)
    : words_(words), topics_(topics), width_((topics + kBlock - 1) / kBlock * kBlock), eta_(eta) {}

void TopicWords::begin(Random& random) {
  lambda_.resize(size());
  for (double& value : lambda_) value = random.gamma(100.0) / 100.0;
}

void TopicWords::prepare() {
  totals_.assign(topics_, 0.0);
  for (std::size_t w = 0; w < words_; ++w) {
    for (std::size_t k = 0; k < topics_; ++k) totals_[k] += lambda_[w * topics_ + k];
  }
  std::vector<double> of_totals(topics_);
  kernels::digamma(totals_.data(), topics_, of_totals.data());
  log_.assign(words_ * width_, 0.0);
  exp_.assign(words_ * width_, 0.0);
  shift_.resize(words_);
  for (std::size_t w = 0; w < words_; ++w) {
    double* row = log_.data() + w * width_;
    double* weights = exp_.data() + w * width_;
    kernels::digamma(lambda_.data() + w * topics_, topics_, row);
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < topics_; ++k) {
      row[k] -= of_totals[k];
      largest = std::max(largest, row[k]);
    }
    shift_[w] = largest;
    for (std::size_t k = 0; k < topics_; ++k) weights[k] = row[k] - largest;
    kernels::exp(weights, topics_, weights);
  }
}

void TopicWords::step(std::size_t block, const double* counts, Mover& mover) {
  target_.resize(size());
  for (std::size_t i = 0; i < target_.size(); ++i) target_[i] = prior_at(i) + counts[i];
  mover.move(block, lambda_, target_, [](std::span<const double> lambda) {
    return std::all_of(lambda.begin(), lambda.end(), [](double value) { return value > 0; });
  });
}

std::vector<double> TopicWords::mean_parameters() const {
  std::vector<double> result(size());
  for (std::size_t w = 0; w < words_; ++w) {
    std::copy_n(log_row(w), topics_, result.begin() + static_cast<std::ptrdiff_t>(w * topics_));
  }
  return result;
}

double TopicWords::expected_log(const double* counts) const {
  double sum = 0;
  for (std::size_t w = 0; w < words_; ++w) sum += kernels::dot(counts + w * topics_, log_row(w), topics_);
  return sum;
}

double TopicWords::minus_divergence() const {
  double sum = kernels::sum_log_gamma(lambda_.data(), lambda_.size());
  for (const double total : totals_) sum -= math::log_gamma(total);
  std::vector<double> prior_totals(topics_, prior_.empty() ? eta_ * static_cast<double>(words_) : 0.0);
  std::vector<double> difference(topics_);
  for (std::size_t w = 0; w < words_; ++w) {
    for (std::size_t k = 0; k < topics_; ++k) {
      const double prior = prior_at(w * topics_ + k);
      difference[k] = prior - lambda_[w * topics_ + k];
      if (!prior_.empty()) prior_totals[k] += prior;
    }
    sum += kernels::dot(difference.data(), log_row(w), topics_);
  }
  for (const double total : prior_totals) sum += math::log_gamma(total);
  return sum - (prior_.empty() ? static_cast<double>(size()) * math::log_gamma(eta_)
                               : kernels::sum_log_gamma(prior_.data(), prior_.size()));
}

std::vector<double> TopicWords::tokens() const {
  std::vector<double> result(topics_, 0.0);
  for (std::size_t i = 0; i < size(); ++i) result[i % topics_] += lambda_[i] - prior_at(i);
  return result;
}

void TopicWords::save(std::vector<double>& state) const {
  state.push_back(prior_.empty() ? 0.0 : 1.0);
  state.insert(state.end(), prior_.begin(), prior_.end());
  state.insert(state.end(), lambda_.begin(), lambda_.end());
}

void TopicWords::load(std::span<const double>& state) {
  const bool has_prior = state[0] != 0;
  state = state.subspan(1);
  prior_.clear();
  if (has_prior) {
    prior_.assign(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(size()));
    state = state.subspan(size());
  }
  lambda_.assign(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(size()));
  state = state.subspan(size());
}

std::vector<std::size_t> TopicWords::likeliest(std::size_t topic, std::size_t top) const {
  std::vector<std::size_t> order(words_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  top = std::min(top, words_);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const double x = lambda_[a * topics_ + topic];
                      const double y = lambda_[b * topics_ + topic];
                      return x != y ? x > y : a < b;
                    });
  order.resize(top);
  return order;
}

ResultTable TopicWords::top_words(const Shape& shape, std::size_t top) const {
  ResultTable table{
      .name = "topics", .columns = {"topic", "rank", "probability"}, .cells = {}, .row_head = "word"};
  for (std::size_t k = 0; k < topics_; ++k) {
    double rank = 0;
    for (const std::size_t word : likeliest(k, top)) {
      table.row_names.push_back(word_name(shape, word));
      table.cells.insert(table.cells.end(), {static_cast<double>(k + 1), ++rank, probability(word, k)});
    }
  }
  return table;
}

std::vector<std::string> TopicWords::word_lists(const Shape& shape) const {
  constexpr std::size_t kListed = 6;
  std::vector<std::string> lists(topics_);
  for (std::size_t k = 0; k < topics_; ++k) {
    for (const std::size_t word : likeliest(k, kListed)) {
      lists[k] += (lists[k].empty() ? "" : " ") + word_name(shape, word);
    }
  }
  return lists;
}

ResultTable TopicWords::probabilities(const Shape& shape) const {
  ResultTable table{.name = "topic_words", .columns = {}, .cells = {}, .row_head = "word"};
  for (std::size_t k = 0; k < topics_; ++k) table.columns.push_back(topic_name(k));
  for (std::size_t w = 0; w < words_; ++w) {
    table.row_names.push_back(word_name(shape, w));
    for (std::size_t k = 0; k < topics_; ++k) table.cells.push_back(probability(w, k));
  }
  return table;
}

std::string topic_name(std::size_t topic) { return "topic_" + std::to_string(topic + 1); }

void add_topic_figures(const std::vector<double>& tokens, Figures& figures) {
  std::vector<double> sorted = tokens;
  std::sort(sorted.rbegin(), sorted.rend());
  const double all = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  std::size_t in_use = 0, most = 0;
  double held = 0;
  for (const double value : sorted) {
    if (value >= 1) ++in_use;
    if (held < 0.99 * all) ++most;
    held += value;
  }
  figures.emplace_back("tokens", all);
  figures.emplace_back("topics in use", static_cast<double>(in_use));
  figures.emplace_back("topics that hold 99 % of the tokens", static_cast<double>(most));
}

void add_empty_topics(const std::vector<double>& tokens, Findings& findings) {
  std::string names;
  std::size_t empty = 0;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    if (tokens[k] >= 1) continue;
    if (++empty <= 8) names += (names.empty() ? "" : ", ") + topic_name(k);
  }
  if (empty == 0) return;
  findings.push_back({.code = "empty-topics",
                      .message = std::to_string(empty) + " of " + std::to_string(tokens.size()) +
                                 " topics lost all their words.",
                      .evidence = "less than one token each: " + names + (empty > 8 ? ", ..." : ""),
                      .advice = "They keep their prior and do no harm; fewer --topics, or more starts."});
}

}  // namespace kullback::conjugate
