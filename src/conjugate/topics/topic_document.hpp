// Coordinate ascent in one document of latent Dirichlet allocation, and what it adds to statistics and bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "conjugate/topics/topic_words.hpp"

namespace kullback::conjugate {

// theta ~ Dirichlet(alpha), z_n ~ theta, word n ~ beta_{z_n}; q(theta) = Dirichlet(gamma), q(z_n = k) = phi.
// One object serves many documents in turn: it keeps its memory.
class DocumentAscent final {
 public:
  // Until gamma changes by less than `tolerance` per topic on average (scikit-learn's and gensim's rule).
  struct Limits {
    double tolerance = 1e-3;
    std::size_t rounds = 100;
    std::size_t fresh_passes = 0;
  };

  DocumentAscent(const TopicWords& words, std::span<const double> alpha, Limits limits);

  // From alpha + tokens / topics alone.
  void run(std::span<const std::uint32_t> words, std::span<const double> counts);
  // Goes on from what `memory` (memory_size numbers) holds of this document, and keeps there what was found;
  // zeros: nothing. The bound does not fall by it. But topics leave a document for good, and a document that
  // only went on would stay with what the first, meaningless topics made of it. So the first fresh_passes
  // times it starts afresh, which may lower the bound; later it does so besides where it has changed much
  // since it last did, and the better of the two ends counts.
  void run_again(std::span<const std::uint32_t> words, std::span<const double> counts,
                 std::span<double> memory);
  static std::size_t memory_size(std::size_t topics) { return topics + 2; }
  std::span<const double> gamma() const { return {now_.gamma.data(), topics_}; }
  std::size_t rounds() const { return rounds_; }

  // Adds weight * n_w phi_wk to counts[w * topics + k] and weight * E log theta_k to log_theta; the result is
  // weight times
  //   H(q(z)) + E log p(z | theta) - E log q(theta),
  // all that the document adds to the bound but E log p(w | z, beta) and E log p(theta | alpha).
  double add(double weight, double* counts, double* log_theta);

 private:
  // An end of the ascent. phi_wk = t_k B_wk / norm_w, or, where that underflows, in phi.
  struct Solution {
    std::vector<double> gamma, t, norms;
    bool is_logarithmic = false;
    std::vector<double> phi;
    double entropy = 0;  // of q(z), plus sum_wk n_w phi_wk E log beta_wk
    double bound = 0;    // but for what all solutions have in common
  };

  void take(std::span<const std::uint32_t> words, std::span<const double> counts);
  void ascend(std::span<const double> start);
  void full_round();
  void rounds_on_active();
  bool choose_active();
  void gather_active();
  bool is_settled(double change) const { return change <= limits_.tolerance * static_cast<double>(topics_); }
  void ascend_in_logarithms();
  double log_round(std::vector<double>& logits);
  void weigh();
  double spread(double weight, double* counts);
  double spread_in_logarithms(double weight, double* counts);

  const TopicWords& words_;
  std::size_t topics_, width_;
  Limits limits_;
  std::vector<double> alpha_;  // 1 in the padding

  // The document; words are padded to fours with count 0.
  std::span<const std::uint32_t> indices_;
  std::vector<const double*> rows_, log_rows_;
  std::vector<double*> into_;
  std::vector<double> counts_;
  double tokens_ = 0;

  Solution now_, other_;
  std::vector<double> start_, sums_, logs_;
  double change_ = 0;
  std::size_t rounds_ = 0;

  // The topics that the document still uses, side by side.
  std::vector<std::size_t> active_;
  std::size_t active_width_ = 0;
  std::vector<double> block_, active_alpha_, active_gamma_, active_t_;
  std::vector<const double*> active_rows_;
};

}  // namespace kullback::conjugate
