// Document completion: half of a document is seen, the other half is predicted. The evaluator of all topic
// models, ours and others'.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conjugate/topics/topic_words.hpp"

namespace kullback::conjugate {

// The words at even places of the document, and those at odd ones; no word is in both.
struct Halves {
  std::vector<std::uint32_t> seen_words, other_words;
  std::vector<double> seen_counts, other_counts;
};
Halves split_document(const Batch& units, std::size_t unit);

// Adds sum_w n_w log sum_k theta_k E beta_kw over the other half, theta the normalised `weights`, and its
// tokens.
void add_completion(const Halves& halves, std::span<const double> weights, const TopicWords& words,
                    double weight, Model::Score& score);

}  // namespace kullback::conjugate
