#include "conjugate/topics/topic_completion.hpp"

#include <cmath>

namespace kullback::conjugate {

Halves split_document(const Batch& units, std::size_t unit) {
  Halves halves;
  const std::size_t begin = units.offsets[unit];
  for (std::size_t at = begin; at < units.offsets[unit + 1]; ++at) {
    const bool is_seen = (at - begin) % 2 == 0;
    (is_seen ? halves.seen_words : halves.other_words).push_back(units.indices[at]);
    (is_seen ? halves.seen_counts : halves.other_counts).push_back(units.values[at]);
  }
  return halves;
}

void add_completion(const Halves& halves, std::span<const double> weights, const TopicWords& words,
                    double weight, Model::Score& score) {
  double sum = 0;
  for (const double value : weights) sum += value;
  for (std::size_t i = 0; i < halves.other_words.size(); ++i) {
    double probability = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      probability += weights[k] / sum * words.probability(halves.other_words[i], k);
    }
    score.log_density += weight * halves.other_counts[i] * std::log(probability);
    score.count += weight * halves.other_counts[i];
  }
}

}  // namespace kullback::conjugate
