// Bayesian matrix factorisation of ratings.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "conjugate/record.hpp"
#include "tests/conjugate/model_checks.hpp"

namespace kullback::conjugate {
namespace {

std::unique_ptr<Model> make(std::size_t items, std::map<std::string, std::string> options) {
  const ModelRecord* record = find_model("factors", "matrix");
  Shape shape{.kind = record->data, .columns = items};
  for (std::size_t i = 0; i < items; ++i) shape.names.push_back("item" + std::to_string(i + 1));
  return record->make(read_options(record->options, options, record->kind), shape);
}

struct Simulation {
  std::size_t users = 60;
  std::size_t items = 12;
  std::size_t factors = 2;
  double density = 0.5;
  double noise = 0.5;
};

// Ratings, and others of the same users and items that are held out.
struct Ratings {
  explicit Ratings(const Simulation& how, std::uint64_t seed = 1)
      : train(DataKind::documents, how.items), held_out(DataKind::documents, how.items) {
    Random random(seed);
    std::vector<double> q(how.items * how.factors), c(how.items);
    for (double& value : q) value = random.normal();
    for (double& value : c) value = 0.7 * random.normal();
    for (std::size_t n = 0; n < how.users; ++n) {
      std::vector<double> p(how.factors);
      for (double& value : p) value = random.normal();
      const double b = 0.5 * random.normal();
      train.begin_unit();
      held_out.begin_unit();
      for (std::size_t i = 0; i < how.items; ++i) {
        double rating = 3.5 + b + c[i] + how.noise * random.normal();
        for (std::size_t k = 0; k < how.factors; ++k) rating += p[k] * q[i * how.factors + k];
        const double lot = random.uniform();
        if (lot < how.density) train.add_word(static_cast<std::uint32_t>(i), rating);
        if (lot > 1 - 0.2 * how.density) held_out.add_word(static_cast<std::uint32_t>(i), rating);
      }
    }
  }

  Buffer train, held_out;
};

void fit(Model& model, const Batch& data, int passes) {
  PlainFit fit(model, data, 1);
  ExactMover mover;
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t block = 0; block < model.blocks(); ++block) fit.global_step(block, mover);
    fit.local_step();
  }
}

double figure(const Model& model, const std::string& name) {
  for (const auto& [key, value] : model.figures()) {
    if (key == name) return value;
  }
  return std::nan("");
}

TEST(FactorsMatrix, BoundNeverFalls) {
  const Ratings ratings({});
  for (const char* factors : {"4", "0"}) {
    auto model = make(12, {{"factors", factors}});
    expect_bound_never_falls(*model, ratings.train.batch(), 3, 60);
  }
}

TEST(FactorsMatrix, NaturalGradient) {
  const Ratings ratings({.users = 40, .items = 6});
  for (const char* rotate : {"false", "true"}) {
    // A proper prior keeps rates of precisions away from 0, where differences would need smaller steps.
    auto model = make(6, {{"factors", "2"}, {"rotate", rotate}, {"ard_shape", "2"}, {"ard_rate", "1"}});
    expect_natural_gradient(*model, ratings.train.batch(), 3, 3);
  }
}

TEST(FactorsMatrix, StateKeepsEverything) {
  const Ratings ratings({});
  auto model = make(12, {{"factors", "3"}, {"reconstruct", "all"}});
  fit(*model, ratings.train.batch(), 5);
  auto other = make(12, {{"factors", "3"}, {"reconstruct", "all"}});
  expect_same_after_state(*model, *other, ratings.train.batch());
}

TEST(FactorsMatrix, WeightsAreCopies) {
  const Ratings ratings({.users = 30});
  Buffer weighted(DataKind::documents, 12), copied(DataKind::documents, 12);
  for (std::size_t n = 0; n < 30; ++n) {
    weighted.add(ratings.train.batch(), n, static_cast<double>(n % 3));
    for (std::size_t copy = 0; copy < n % 3; ++copy) copied.add(ratings.train.batch(), n);
  }
  auto model = make(12, {{"factors", "3"}});
  fit(*model, ratings.train.batch(), 3);
  Statistics a, b;
  a.values.assign(model->statistics_size(), 0.0);
  b.values = a.values;
  model->local_step(weighted.batch(), {}, a);
  model->local_step(copied.batch(), {}, b);
  EXPECT_NEAR(a.local, b.local, 1e-9 * std::abs(b.local));
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    EXPECT_NEAR(a.values[i], b.values[i], 1e-9 * (1 + std::abs(b.values[i])));
  }
  EXPECT_NEAR(model->score(weighted.batch()).log_density, model->score(copied.batch()).log_density, 1e-9);
}

TEST(FactorsMatrix, AdoptedPosteriorIsThePrior) {
  const Ratings ratings({});
  auto model = make(12, {{"factors", "2"}});
  fit(*model, ratings.train.batch(), 3);
  model->adopt_posterior_as_prior();
  model->prepare();
  Statistics nothing;
  nothing.values.assign(model->statistics_size(), 0.0);
  EXPECT_NEAR(total(model->elbo(nothing)), 0, 1e-9);
}

// Errors of predictions of ratings that were held out come near the noise; user and item means alone do not.
TEST(FactorsMatrix, PredictsHeldOutRatings) {
  const Simulation how{.users = 1500, .items = 80, .factors = 3, .density = 0.4};
  const Ratings ratings(how);
  const auto rmse = [&](const std::string& factors) {
    auto model = make(how.items, {{"factors", factors}, {"reconstruct", "all"}});
    fit(*model, ratings.train.batch(), 60);
    if (factors != "0") {
      EXPECT_EQ(figure(*model, "factors in use"), 3);
    }
    EXPECT_EQ(figure(*model, "factors in use"), factors == "0" ? 0 : 3);
    std::vector<double> cells;
    model->unit_lines(ratings.train.batch(), cells);
    const std::size_t stride = model->unit_columns({}).size();
    const Batch held = ratings.held_out.batch();
    double sum = 0, count = 0;
    for (std::size_t n = 0; n < held.units; ++n) {
      for (std::size_t at = held.offsets[n]; at < held.offsets[n + 1]; ++at, ++count) {
        sum += std::pow(held.values[at] - cells[n * stride + stride - how.items + held.indices[at]], 2);
      }
    }
    return std::sqrt(sum / count);
  };
  EXPECT_LT(rmse("8"), 0.5 * 1.13);
  EXPECT_GT(rmse("0"), 1.5);
}

// The score is the Gaussian density of every second rating given the others: checked with no factors, where
// the rest of a user's ratings say b ~ N(sum r / (n + gamma / tau), 1 / (gamma + n tau)).
TEST(FactorsMatrix, ScoreWithoutFactorsIsClosedForm) {
  const Ratings ratings({});
  auto model = make(12, {{"factors", "0"}});
  const Batch data = ratings.train.batch();
  fit(*model, data, 30);
  const std::vector<ResultTable> tables = model->tables({});
  const double noise = figure(*model, "noise sd"), spread = figure(*model, "sd of biases of users");
  double expected = 0, count = 0;
  for (std::size_t n = 0; n < data.units; ++n) {
    const std::size_t begin = data.offsets[n], end = data.offsets[n + 1];
    const auto residual = [&](std::size_t at) {
      return data.values[at] - tables[1].cells[3 * data.indices[at]];
    };
    double sum = 0, seen = 0;
    for (std::size_t at = begin; at < end; at += 2, ++seen) sum += residual(at);
    const double precision = 1 / (spread * spread) + seen / (noise * noise);
    for (std::size_t at = begin + 1; at < end; at += 2, ++count) {
      const double away = residual(at) - sum / (noise * noise) / precision;
      const double variance = noise * noise + 1 / precision;
      expected -= 0.5 * (std::log(2 * M_PI * variance) + away * away / variance);
    }
  }
  const Model::Score score = model->score(data);
  EXPECT_NEAR(score.log_density, expected, 1e-9 * std::abs(expected));
  EXPECT_EQ(score.count, count);
}

TEST(FactorsMatrix, ItemsWithoutRatingsAndUsersWithoutRatings) {
  Buffer data(DataKind::documents, 4);
  Random random(1);
  for (std::size_t n = 0; n < 50; ++n) {
    data.begin_unit();
    for (std::uint32_t i = 0; i < 3 && n % 10 != 0; ++i) data.add_word(i, 3 + random.normal());
  }
  auto model = make(4, {{"factors", "2"}});
  PlainFit fit(*model, data.batch(), 1);
  ExactMover mover;
  for (int pass = 0; pass < 20; ++pass) {
    for (std::size_t block = 0; block < model->blocks(); ++block) fit.global_step(block, mover);
    fit.local_step();
  }
  EXPECT_TRUE(std::isfinite(fit.elbo()));
  const Findings findings = model->findings(fit.statistics);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].code, "column-without-data");
  EXPECT_EQ(findings[0].evidence, "item4");
}

}  // namespace
}  // namespace kullback::conjugate
