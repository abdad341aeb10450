// Corpora for the tests of topic models.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "conjugate/record.hpp"

namespace kullback::conjugate {

inline std::vector<double> draw_dirichlet(Random& random, std::size_t size, double each) {
  std::vector<double> result(size);
  double sum = 0;
  for (double& value : result) sum += value = random.gamma(each) + 1e-300;
  for (double& value : result) value /= sum;
  return result;
}

inline std::size_t draw_category(Random& random, const std::vector<double>& probabilities) {
  double left = random.uniform();
  for (std::size_t k = 0; k + 1 < probabilities.size(); ++k) {
    left -= probabilities[k];
    if (left < 0) return k;
  }
  return probabilities.size() - 1;
}

struct Corpus {
  std::vector<std::vector<double>> topics;
  Buffer documents;

  // Of documents with `tokens` words each.
  Corpus(std::size_t vocabulary, std::size_t size, std::size_t count, std::size_t tokens,
         std::uint64_t seed = 3)
      : documents(DataKind::documents, vocabulary) {
    Random random(seed);
    for (std::size_t k = 0; k < size; ++k) topics.push_back(draw_dirichlet(random, vocabulary, 0.1));
    for (std::size_t d = 0; d < count; ++d) {
      const std::vector<double> theta = draw_dirichlet(random, size, 0.3);
      std::map<std::uint32_t, double> words;
      for (std::size_t n = 0; n < tokens; ++n) {
        words[static_cast<std::uint32_t>(draw_category(random, topics[draw_category(random, theta)]))] += 1;
      }
      documents.begin_unit();
      for (const auto& [word, n] : words) documents.add_word(word, n);
    }
  }

  Batch batch() const { return documents.batch(); }
};

inline std::unique_ptr<Model> make_topics(const std::string& kind, std::size_t vocabulary,
                                          std::map<std::string, std::string> options) {
  const ModelRecord* record = find_model("topics", kind);
  return record->make(read_options(record->options, options, record->kind),
                      Shape{.kind = DataKind::documents, .columns = vocabulary});
}

}  // namespace kullback::conjugate
