#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/conjugate/model_checks.hpp"
#include "tests/conjugate/topic_corpus.hpp"

namespace kullback::conjugate {
namespace {

using Options = std::map<std::string, std::string>;

std::unique_ptr<Model> make_hdp(std::size_t vocabulary, Options options) {
  options.emplace("fresh_passes", "0");
  return make_topics("hdp", vocabulary, std::move(options));
}

TEST(Hdp, BoundNeverFalls) {
  const Corpus corpus(40, 4, 60, 50);
  for (const Options& options :
       {Options{{"topics", "10"}, {"tables", "5"}}, Options{{"topics", "3"}, {"tables", "6"}, {"eta", "1"}},
        Options{
            {"topics", "12"}, {"tables", "4"}, {"alpha", "0.1"}, {"gamma", "3"}, {"inner_rounds", "2"}}}) {
    const std::unique_ptr<Model> model = make_hdp(40, options);
    expect_bound_never_falls(*model, corpus.batch(), 1, 20);
  }
}

TEST(Hdp, NaturalGradientIsTheGradientInMeanParameters) {
  const Corpus corpus(12, 3, 20, 30);
  const std::unique_ptr<Model> model = make_hdp(12, {{"topics", "4"}, {"tables", "3"}, {"eta", "0.3"}});
  expect_natural_gradient(*model, corpus.batch(), 2, 3);
}

TEST(Hdp, SavedAndLoadedIsTheSame) {
  const Corpus corpus(30, 3, 20, 30);
  const Options options = {{"topics", "6"}, {"tables", "4"}};
  const std::unique_ptr<Model> model = make_hdp(30, options);
  expect_bound_never_falls(*model, corpus.batch(), 1, 3);
  const std::unique_ptr<Model> other = make_hdp(30, options);
  expect_same_after_state(*model, *other, corpus.batch());
  model->adopt_posterior_as_prior();
  expect_same_after_state(*model, *other, corpus.batch());
}

TEST(Hdp, AWeightOfTwoIsTheDocumentTwice) {
  const Corpus corpus(30, 3, 5, 30);
  Buffer weighted(DataKind::documents, 30), repeated(DataKind::documents, 30);
  for (std::size_t d = 0; d < 5; ++d) {
    weighted.add(corpus.batch(), d, 2.0);
    for (int copy = 0; copy < 2; ++copy) repeated.add(corpus.batch(), d);
  }
  const std::unique_ptr<Model> model = make_hdp(30, {{"topics", "6"}, {"tables", "4"}});
  Random random(1);
  model->begin(corpus.batch(), random);
  model->prepare();
  Statistics found, expected;
  found.values.assign(model->statistics_size(), 0.0);
  expected.values = found.values;
  model->local_step(weighted.batch(), {}, found);
  model->local_step(repeated.batch(), {}, expected);
  EXPECT_NEAR(found.local, expected.local, 1e-10 * std::abs(expected.local));
  EXPECT_EQ(found.units, expected.units);
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    ASSERT_NEAR(found.values[i], expected.values[i], 1e-11 * (1 + expected.values[i]));
  }
}

TEST(Hdp, FindsTheNumberOfTopics) {
  const Corpus corpus(80, 5, 300, 80);
  const std::unique_ptr<Model> model =
      make_hdp(80, {{"topics", "20"}, {"tables", "8"}, {"fresh_passes", "10"}});
  PlainFit fit(*model, corpus.batch(), 4);
  ExactMover mover;
  for (int pass = 0; pass < 30; ++pass) {
    for (std::size_t block = 0; block < 2; ++block) fit.global_step(block, mover);
    fit.local_step();
  }
  double most = 0;
  for (const auto& [name, value] : model->figures()) {
    if (name == "topics that hold 99 % of the tokens") most = value;
  }
  EXPECT_GE(most, 5);
  EXPECT_LE(most, 8);
  const std::span<const double> lambda = model->natural(0);
  for (const std::vector<double>& truth : corpus.topics) {
    double nearest = 2;
    for (std::size_t k = 0; k < 20; ++k) {
      double total = 0, distance = 0;
      for (std::size_t w = 0; w < 80; ++w) total += lambda[w * 20 + k];
      for (std::size_t w = 0; w < 80; ++w) distance += std::abs(lambda[w * 20 + k] / total - truth[w]) / 2;
      nearest = std::min(nearest, distance);
    }
    EXPECT_LT(nearest, 0.1);
  }
}

TEST(Hdp, EmptyDocuments) {
  Buffer documents(DataKind::documents, 6);
  documents.begin_unit();
  documents.begin_unit();
  documents.add_word(2, 5);
  const std::unique_ptr<Model> model = make_hdp(6, {{"topics", "4"}, {"tables", "3"}});
  expect_bound_never_falls(*model, documents.batch(), 1, 10);
  std::vector<double> cells;
  model->unit_lines(documents.batch(), cells);
  ASSERT_EQ(cells.size(), 8u);
  EXPECT_NEAR(std::accumulate(cells.begin(), cells.begin() + 4, 0.0), 1.0, 1e-12);
  EXPECT_NEAR(std::accumulate(cells.begin() + 4, cells.end(), 0.0), 1.0, 1e-12);
}

TEST(Hdp, SaysWhenAllTopicsAreInUse) {
  const Corpus corpus(60, 6, 200, 60);
  const std::unique_ptr<Model> model = make_hdp(60, {{"topics", "2"}, {"tables", "3"}});
  PlainFit fit(*model, corpus.batch(), 1);
  ExactMover mover;
  fit.global_step(0, mover);
  const Findings findings = model->findings(fit.statistics);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "all-topics-in-use");
}

}  // namespace
}  // namespace kullback::conjugate
