#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "math/gamma_functions.hpp"
#include "tests/conjugate/model_checks.hpp"
#include "tests/conjugate/topic_corpus.hpp"

namespace kullback::conjugate {
namespace {

using Options = std::map<std::string, std::string>;

std::unique_ptr<Model> make_lda(std::size_t vocabulary, Options options) {
  options.emplace("fresh_passes", "0");
  return make_topics("lda", vocabulary, std::move(options));
}

std::vector<double> statistics_of(const Model& model, const Batch& data, double& local) {
  Statistics statistics;
  statistics.values.assign(model.statistics_size(), 0.0);
  model.local_step(data, {}, statistics);
  local = statistics.local;
  return statistics.values;
}

TEST(Lda, BoundNeverFalls) {
  const Corpus corpus(40, 4, 60, 50);
  for (const Options& options :
       {Options{{"topics", "6"}}, Options{{"topics", "23"}, {"alpha", "0.01"}, {"eta", "0.02"}},
        Options{{"topics", "5"}, {"alpha", "3"}, {"eta", "2"}, {"inner_rounds", "1"}},
        Options{{"topics", "12"}, {"learn_alpha", "true"}},
        Options{{"topics", "12"}, {"alpha", "0.001"}, {"eta", "0.001"}},
        Options{{"topics", "9"}, {"alpha", "1e-4"}, {"eta", "1e-4"}, {"learn_alpha", "true"}}}) {
    const std::unique_ptr<Model> model = make_lda(40, options);
    expect_bound_never_falls(*model, corpus.batch(), 1, 25);
  }
}

// While documents start afresh the bound may fall; afterwards it does not.
TEST(Lda, BoundDoesNotFallAfterFreshPasses) {
  const Corpus corpus(40, 4, 100, 50);
  const std::unique_ptr<Model> model =
      make_lda(40, {{"topics", "6"}, {"alpha", "0.1"}, {"fresh_passes", "10"}});
  PlainFit fit(*model, corpus.batch(), 1);
  ExactMover mover;
  double bound = 0;
  for (int pass = 1; pass < 30; ++pass) {
    fit.global_step(0, mover);
    const double after = fit.elbo();
    fit.local_step();
    if (pass >= 10) {
      ASSERT_GE(after, bound - 1e-10 * std::abs(bound));
      ASSERT_GE(fit.elbo(), after - 1e-10 * std::abs(after));
    }
    bound = fit.elbo();
  }
}

TEST(Lda, NaturalGradientIsTheGradientInMeanParameters) {
  const Corpus corpus(15, 3, 20, 30);
  for (const char* learns : {"false", "true"}) {
    const std::unique_ptr<Model> model =
        make_lda(15, {{"topics", "3"}, {"alpha", "0.4"}, {"learn_alpha", learns}});
    expect_natural_gradient(*model, corpus.batch(), 2, 3);
  }
}

TEST(Lda, SavedAndLoadedIsTheSame) {
  const Corpus corpus(30, 3, 20, 30);
  const Options options = {{"topics", "5"}, {"learn_alpha", "true"}};
  const std::unique_ptr<Model> model = make_lda(30, options);
  expect_bound_never_falls(*model, corpus.batch(), 1, 3);
  const std::unique_ptr<Model> other = make_lda(30, options);
  expect_same_after_state(*model, *other, corpus.batch());
  model->adopt_posterior_as_prior();
  expect_same_after_state(*model, *other, corpus.batch());
}

// With one topic z and theta are known, and the words of all documents are one Dirichlet-multinomial
// sequence.
TEST(Lda, OneTopicHasTheExactEvidence) {
  const Corpus corpus(30, 3, 20, 30);
  const double eta = 0.7;
  const std::unique_ptr<Model> model = make_lda(30, {{"topics", "1"}, {"alpha", "0.3"}, {"eta", "0.7"}});
  PlainFit fit(*model, corpus.batch(), 1);
  ExactMover mover;
  fit.global_step(0, mover);
  std::vector<double> counts(30, 0.0);
  const Batch batch = corpus.batch();
  for (std::size_t i = 0; i < batch.indices.size(); ++i) counts[batch.indices[i]] += batch.values[i];
  double evidence = math::log_gamma(30 * eta) - math::log_gamma(30 * eta + 20 * 30);
  for (const double count : counts) evidence += math::log_gamma(eta + count) - math::log_gamma(eta);
  EXPECT_NEAR(fit.elbo(), evidence, 1e-10 * std::abs(evidence));

  // What is known counts as prior: the same words again have the evidence given the first.
  model->adopt_posterior_as_prior();
  fit.local_step();
  fit.global_step(0, mover);
  double again = math::log_gamma(30 * eta + 600) - math::log_gamma(30 * eta + 1200);
  for (const double count : counts) again += math::log_gamma(eta + 2 * count) - math::log_gamma(eta + count);
  EXPECT_NEAR(fit.elbo(), again, 1e-10 * std::abs(again));
}

// Coordinate ascent as in the papers: two loops, logarithms, no tables. Runs each document from `gamma`.
class PlainLda {
 public:
  PlainLda(std::size_t words, std::size_t topics, double alpha, double eta, std::vector<double> start)
      : words_(words), topics_(topics), alpha_(alpha), eta_(eta), lambda(std::move(start)) {}

  void pass(const Batch& data, int rounds) {
    std::vector<double> counts(words_ * topics_, 0.0);
    const std::vector<double> log_beta = expected_logs();
    gamma.assign(data.units * topics_, 0.0);
    for (std::size_t d = 0; d < data.units; ++d) document(data, d, rounds, log_beta, counts);
    for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] = eta_ + counts[i];
  }

  std::vector<double> expected_logs() const {
    std::vector<double> result(words_ * topics_);
    for (std::size_t k = 0; k < topics_; ++k) {
      double sum = 0;
      for (std::size_t w = 0; w < words_; ++w) sum += lambda[w * topics_ + k];
      for (std::size_t w = 0; w < words_; ++w) {
        result[w * topics_ + k] =
            math::digamma_positive(lambda[w * topics_ + k]) - math::digamma_positive(sum);
      }
    }
    return result;
  }

  void document(const Batch& data, std::size_t d, int rounds, const std::vector<double>& log_beta,
                std::vector<double>& counts) {
    double tokens = 0;
    for (std::size_t at = data.offsets[d]; at < data.offsets[d + 1]; ++at) tokens += data.values[at];
    std::vector<double> g(topics_, alpha_ + tokens / static_cast<double>(topics_));
    for (int round = 1; round <= rounds; ++round) {
      std::vector<double> updated(topics_, alpha_);
      for (std::size_t at = data.offsets[d]; at < data.offsets[d + 1]; ++at) {
        const std::size_t w = data.indices[at];
        std::vector<double> phi(topics_);
        double sum = 0;
        for (std::size_t k = 0; k < topics_; ++k) {
          sum += phi[k] = std::exp(math::digamma_positive(g[k]) + log_beta[w * topics_ + k]);
        }
        for (std::size_t k = 0; k < topics_; ++k) {
          updated[k] += data.values[at] * phi[k] / sum;
          if (round == rounds) counts[w * topics_ + k] += data.values[at] * phi[k] / sum;
        }
      }
      g = updated;
    }
    std::copy(g.begin(), g.end(), gamma.begin() + static_cast<std::ptrdiff_t>(d * topics_));
  }

  std::vector<double> gamma;

 private:
  std::size_t words_, topics_;
  double alpha_, eta_;

 public:
  std::vector<double> lambda;
};

TEST(Lda, AgreesWithAPlainImplementationFromTheSameStart) {
  const Corpus corpus(60, 4, 40, 55);
  for (const double alpha : {0.02, 0.5}) {  // topics leave documents, or do not
    const std::unique_ptr<Model> model = make_lda(60, {{"topics", "21"},
                                                       {"alpha", std::to_string(alpha)},
                                                       {"eta", "0.05"},
                                                       {"inner_rounds", "30"},
                                                       {"inner_tolerance", "1e-300"}});
    Random random(5);
    model->begin(corpus.batch(), random);
    model->prepare();
    const std::span<const double> start = model->natural(0);
    PlainLda plain(60, 21, alpha, 0.05, {start.begin(), start.end()});
    ExactMover mover;
    for (int pass = 0; pass < 4; ++pass) {
      Statistics statistics;
      statistics.values.assign(model->statistics_size(), 0.0);
      std::vector<double> local(corpus.batch().units * model->local_size(), 0.0);
      model->local_step(corpus.batch(), local, statistics);
      model->global_step(0, statistics, mover);
      model->prepare();
      plain.pass(corpus.batch(), 30);
      for (std::size_t i = 0; i < plain.gamma.size(); ++i)
        ASSERT_NEAR(local[i / 21 * 23 + i % 21], plain.gamma[i], 1e-8) << i;
      const std::span<const double> lambda = model->natural(0);
      for (std::size_t i = 0; i < lambda.size(); ++i) ASSERT_NEAR(lambda[i], plain.lambda[i], 1e-8) << i;
    }
  }
}

TEST(Lda, AWeightOfTwoIsTheDocumentTwice) {
  const Corpus corpus(30, 3, 5, 30);
  Buffer weighted(DataKind::documents, 30), repeated(DataKind::documents, 30);
  for (std::size_t d = 0; d < 5; ++d) {
    weighted.add(corpus.batch(), d, 2.0);
    for (int copy = 0; copy < 2; ++copy) repeated.add(corpus.batch(), d);
  }
  for (const char* prior : {"0.5", "0.0005"}) {  // the second underflows
    const std::unique_ptr<Model> model = make_lda(30, {{"topics", "6"}, {"alpha", prior}, {"eta", prior}});
    Random random(1);
    model->begin(corpus.batch(), random);
    model->prepare();
    double local = 0, expected_local = 0;
    const std::vector<double> found = statistics_of(*model, weighted.batch(), local);
    const std::vector<double> expected = statistics_of(*model, repeated.batch(), expected_local);
    EXPECT_NEAR(local, expected_local, 1e-10 * std::abs(expected_local));
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], expected[i], 1e-11 * (1 + std::abs(expected[i])));
    }
  }
}

TEST(Lda, FindsSimulatedTopics) {
  const Corpus corpus(60, 4, 600, 80);
  const std::unique_ptr<Model> model =
      make_lda(60, {{"topics", "4"}, {"alpha", "0.1"}, {"fresh_passes", "10"}});
  PlainFit fit(*model, corpus.batch(), 4);
  ExactMover mover;
  for (int pass = 0; pass < 100; ++pass) {
    fit.global_step(0, mover);
    fit.local_step();
  }
  const std::span<const double> lambda = model->natural(0);
  for (const std::vector<double>& truth : corpus.topics) {
    double nearest = 2;
    for (std::size_t k = 0; k < 4; ++k) {
      double total = 0, distance = 0;
      for (std::size_t w = 0; w < 60; ++w) total += lambda[w * 4 + k];
      for (std::size_t w = 0; w < 60; ++w) distance += std::abs(lambda[w * 4 + k] / total - truth[w]) / 2;
      nearest = std::min(nearest, distance);
    }
    EXPECT_LT(nearest, 0.06);
  }
  const auto figures = model->figures();
  EXPECT_EQ(figures[1].first, "topics in use");
  EXPECT_EQ(figures[1].second, 4);
  EXPECT_TRUE(model->findings(fit.statistics).empty());
}

TEST(Lda, LearnsTheProportionsOfTopics) {
  // Topics that share no words, the first in 9 of 10 documents.
  Buffer documents(DataKind::documents, 20);
  for (int d = 0; d < 200; ++d) {
    documents.begin_unit();
    for (std::uint32_t w = 0; w < 10; ++w) documents.add_word(w + (d % 10 == 0 ? 10 : 0), 3);
  }
  const std::unique_ptr<Model> model = make_lda(20, {{"topics", "2"}, {"learn_alpha", "true"}});
  expect_bound_never_falls(*model, documents.batch(), 1, 40);
  std::vector<double> alpha(model->natural(1).begin(), model->natural(1).end());
  std::sort(alpha.begin(), alpha.end());
  EXPECT_NEAR(alpha[0] / (alpha[0] + alpha[1]), 0.1, 0.02);
}

TEST(Lda, EmptyDocumentsAndLostTopics) {
  Buffer documents(DataKind::documents, 6);
  documents.begin_unit();
  documents.begin_unit();
  documents.add_word(2, 5);
  documents.begin_unit();
  const std::unique_ptr<Model> model = make_lda(6, {{"topics", "20"}});
  expect_bound_never_falls(*model, documents.batch(), 1, 30);
  std::vector<double> cells;
  model->unit_lines(documents.batch(), cells);
  ASSERT_EQ(cells.size(), 60u);
  EXPECT_NEAR(cells[0], 0.05, 1e-12);
  EXPECT_NEAR(std::accumulate(cells.begin() + 20, cells.begin() + 40, 0.0), 1.0, 1e-12);
  Statistics none;
  none.values.assign(model->statistics_size(), 0.0);
  const Findings findings = model->findings(none);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "empty-topics");
  EXPECT_EQ(model->score(documents.batch()).count, 0);
}

TEST(Lda, ScoreIsDocumentCompletion) {
  Buffer documents(DataKind::documents, 4);
  documents.begin_unit();
  for (std::uint32_t w : {0, 1, 2, 3}) documents.add_word(w, 1.0 + w);
  // One topic: the words at odd places under E beta.
  const std::unique_ptr<Model> one = make_lda(4, {{"topics", "1"}});
  Random random(1);
  one->begin(documents.batch(), random);
  for (std::size_t w = 0; w < 4; ++w) one->natural(0)[w] = 1.0 + static_cast<double>(w);
  one->prepare();
  const Model::Score score = one->score(documents.batch());
  EXPECT_NEAR(score.log_density, 2 * std::log(0.2) + 4 * std::log(0.4), 1e-12);
  EXPECT_EQ(score.count, 6);

  const Corpus corpus(60, 4, 300, 80), other(60, 4, 100, 80);
  const auto per_token = [&](const char* topics, int passes) {
    const std::unique_ptr<Model> model = make_lda(60, {{"topics", topics}});
    PlainFit fit(*model, corpus.batch(), 4);
    ExactMover mover;
    for (int pass = 0; pass < passes; ++pass) {
      fit.global_step(0, mover);
      fit.local_step();
    }
    const Model::Score found = model->score(other.batch());
    return found.log_density / found.count;
  };
  EXPECT_GT(per_token("4", 40), per_token("1", 1) + 0.15);
}

TEST(Lda, TablesNameTheWords) {
  Buffer documents(DataKind::documents, 3);
  documents.begin_unit();
  documents.add_word(1, 7);
  documents.add_word(2, 3);
  const std::unique_ptr<Model> model =
      make_lda(3, {{"topics", "2"}, {"top_words", "2"}, {"topic_words", "true"}});
  PlainFit fit(*model, documents.batch(), 1);
  ExactMover mover;
  fit.global_step(0, mover);
  const Shape shape{.kind = DataKind::documents, .columns = 3, .names = {"bear", "fox", "owl"}};
  const std::vector<ResultTable> tables = model->tables(shape);
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_NEAR(tables[0].cells[0] + tables[0].cells[3], 10.0, 1e-9);
  EXPECT_EQ(tables[0].notes[0].substr(0, 7), "fox owl");
  EXPECT_EQ(tables[1].row_names[0], "fox");
  EXPECT_EQ(tables[1].row_names[1], "owl");
  EXPECT_EQ(tables[1].cells.size(), 2u * 2 * 3);
  EXPECT_EQ(tables[2].row_names[0], "bear");
  EXPECT_NEAR(tables[2].cells[0] + tables[2].cells[2] + tables[2].cells[4], 1.0, 1e-12);
  EXPECT_EQ(model->unit_columns(shape).back(), "topic_2");
}

}  // namespace
}  // namespace kullback::conjugate
