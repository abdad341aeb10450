// q(beta) of topic models: topic k has words Dirichlet(lambda_k) under the prior Dirichlet(eta). Everything
// is kept word by word, the topics of a word side by side, for a document needs all topics of few words.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "conjugate/model.hpp"

namespace kullback::conjugate {

class TopicWords final {
 public:
  // Rows of the tables that documents read are padded to whole blocks of this many topics.
  static constexpr std::size_t kBlock = 8;

  TopicWords(std::size_t words, std::size_t topics, double eta);

  std::size_t words() const { return words_; }
  std::size_t topics() const { return topics_; }
  std::size_t width() const { return width_; }  // topics with the padding
  std::size_t size() const { return words_ * topics_; }

  // lambda from Gamma(100, rate 100), as Hoffman, Blei and Bach (2010) start.
  void begin(Random& random);
  // Tables of E log beta and its exponential, from lambda.
  void prepare();
  // lambda, words x topics. The natural parameters are these less 1.
  std::span<double> parameters() { return lambda_; }
  std::span<const double> parameters() const { return lambda_; }
  // Lambda goes towards prior + counts.
  void step(std::size_t block, const double* counts, Mover& mover);
  std::vector<double> mean_parameters() const;
  void adopt_posterior_as_prior() { prior_ = lambda_; }

  // ---- After prepare: rows of width() numbers, 0 in the padding.
  const double* log_row(std::size_t word) const { return log_.data() + word * width_; }  // E log beta
  // exp(E log beta - shift(word)); the largest is 1, so that no word loses all its topics to underflow.
  const double* row(std::size_t word) const { return exp_.data() + word * width_; }
  double shift(std::size_t word) const { return shift_[word]; }

  // sum of counts * E log beta, and E log p(beta) - E log q(beta).
  double expected_log(const double* counts) const;
  double minus_divergence() const;

  // Sum of lambda less the prior's, for each topic: its tokens.
  std::vector<double> tokens() const;
  // lambda summed over words.
  const std::vector<double>& totals() const { return totals_; }
  // E beta.
  double probability(std::size_t word, std::size_t topic) const {
    return lambda_[word * topics_ + topic] / totals_[topic];
  }

  void save(std::vector<double>& state) const;
  // Takes its numbers off the front.
  void load(std::span<const double>& state);

  // topics.csv: the `top` most probable words of each topic, one per line; topic_words.csv: E beta.
  ResultTable top_words(const Shape& shape, std::size_t top) const;
  // The likeliest words of each topic in one text.
  std::vector<std::string> word_lists(const Shape& shape) const;
  ResultTable probabilities(const Shape& shape) const;

 private:
  // The `top` words with the largest probabilities, in falling order.
  std::vector<std::size_t> likeliest(std::size_t topic, std::size_t top) const;

  double prior_at(std::size_t at) const { return prior_.empty() ? eta_ : prior_[at]; }

  std::size_t words_, topics_, width_;
  double eta_;
  std::vector<double> lambda_;
  std::vector<double> prior_;  // empty: eta everywhere
  std::vector<double> target_;
  std::vector<double> totals_;
  std::vector<double> log_, exp_, shift_;
};

// "topic_1", ...
std::string topic_name(std::size_t topic);
// How many topics hold at least one token, and how many of the largest hold 99 % of all.
void add_topic_figures(const std::vector<double>& tokens, Figures& figures);
// Topics without a token.
void add_empty_topics(const std::vector<double>& tokens, Findings& findings);

}  // namespace kullback::conjugate
