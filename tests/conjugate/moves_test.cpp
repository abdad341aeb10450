// Moves that block updates hardly find: factors that are shut, components that become one.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "base/random.hpp"
#include "conjugate/mixture/mixture.hpp"
#include "conjugate/record.hpp"
#include "conjugate/train.hpp"
#include "tests/conjugate/memory_source.hpp"

namespace kullback::conjugate {
namespace {

using Values = std::map<std::string, std::string>;

struct Problem {
  std::string verb;
  std::string kind;
  Values values;
  const Buffer& data;
};

TrainOutcome run(const Problem& problem, const TrainOptions& options, const TrainWatch& watch = {}) {
  MemorySource source(problem.data, false);
  const ModelRecord* record = find_model(problem.verb, problem.kind);
  const OptionValues values = read_options(record->options, problem.values, record->kind);
  const Ranks ranks;
  return train([&] { return record->make(values, source.shape()); }, source, options, ranks, watch);
}

double figure(const Model& model, const std::string& name) {
  for (const auto& [key, value] : model.figures()) {
    if (key == name) return value;
  }
  return std::nan("");
}

void expect_bound_never_fell(const StartOutcome& start) {
  EXPECT_TRUE(start.is_converged);
  EXPECT_LT(start.largest_fall, 1e-12);
  for (std::size_t i = 1; i < start.trace.size(); ++i) {
    EXPECT_GE(start.trace[i].elbo, start.trace[i - 1].elbo - 1e-12 * std::abs(start.elbo));
    EXPECT_EQ(start.trace[i].pass, i);
  }
}

struct Surplus {
  std::string kind;
  double missing;
};

class SurplusFactors : public testing::TestWithParam<Surplus> {};

// The bound's tolerance is hundreds of nats here, more than a surplus factor costs: passes alone end before
// it is shut.
TEST_P(SurplusFactors, AreShutWithManyRows) {
  constexpr std::size_t kColumns = 20, kFactors = 3, kRows = 30'000;
  Random random(4);
  std::vector<double> loadings(kColumns * kFactors);
  for (double& loading : loadings) loading = random.normal();
  Buffer data(DataKind::table, kColumns);
  for (std::size_t n = 0; n < kRows; ++n) {
    double z[kFactors], row[kColumns];
    for (double& score : z) score = random.normal();
    for (std::size_t d = 0; d < kColumns; ++d) {
      const double noise = GetParam().kind == "fa" ? 0.5 + 0.1 * static_cast<double>(d) : 1.0;
      row[d] = noise * random.normal();
      for (std::size_t k = 0; k < kFactors; ++k) row[d] += loadings[d * kFactors + k] * z[k];
      // A few patterns of missing cells, so that rows share the work.
      if (GetParam().missing > 0 && (n % 5 == 0) && d % 4 == (n / 5) % 4) {
        row[d] = std::numeric_limits<double>::quiet_NaN();
      }
    }
    data.add_row(row);
  }
  for (const char* init : {"covariance", "random"}) {
    const TrainOutcome outcome = run({"factors", GetParam().kind, {{"factors", "8"}, {"init", init}}, data},
                                     {.seed = 1, .threads = 2});
    EXPECT_EQ(figure(*outcome.model, "factors in use"), 3) << init;
    expect_bound_never_fell(outcome.starts[0]);
    RecordProperty(init, static_cast<int>(outcome.starts[0].passes));
  }
  const TrainOutcome noisy = run({"factors", GetParam().kind, {{"factors", "8"}}, data},
                                 {.method = Method::svi, .passes = 10, .seed = 1, .threads = 2});
  EXPECT_EQ(figure(*noisy.model, "factors in use"), 3);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SurplusFactors,
                         testing::Values(Surplus{"pca", 0}, Surplus{"pca", 0.05}, Surplus{"fa", 0},
                                         Surplus{"fa", 0.05}),
                         [](const auto& row) {
                           return row.param.kind + (row.param.missing > 0 ? "_missing" : "_complete");
                         });

TEST(SurplusFactorsOfRatings, AreShut) {
  constexpr std::size_t kItems = 30, kFactors = 2;
  Random random(5);
  std::vector<double> loadings(kItems * kFactors);
  for (double& loading : loadings) loading = random.normal();
  Buffer ratings(DataKind::documents, kItems);
  for (std::size_t n = 0; n < 4000; ++n) {
    ratings.begin_unit();
    const double taste[kFactors] = {random.normal(), random.normal()};
    for (std::size_t i = 0; i < kItems; ++i) {
      const double noise = 0.5 * random.normal();
      if (random.uniform() > 0.5) continue;
      ratings.add_word(static_cast<std::uint32_t>(i),
                       3 + noise + taste[0] * loadings[2 * i] + taste[1] * loadings[2 * i + 1]);
    }
  }
  const TrainOutcome outcome = run({"factors", "matrix", {{"factors", "6"}}, ratings}, {.seed = 1});
  EXPECT_EQ(figure(*outcome.model, "factors in use"), 2);
  expect_bound_never_fell(outcome.starts[0]);
}

// Six groups in five columns, whose means are about four standard deviations apart.
Buffer six_groups(std::size_t rows) {
  Random random(6);
  double means[6][5];
  for (auto& mean : means) {
    for (double& cell : mean) cell = 2 * random.normal();
  }
  Buffer data(DataKind::table, 5);
  for (std::size_t n = 0; n < rows; ++n) {
    double row[5];
    for (std::size_t d = 0; d < 5; ++d) row[d] = means[n % 6][d] + random.normal();
    data.add_row(row);
  }
  return data;
}

class Joining : public testing::TestWithParam<std::string> {};

TEST_P(Joining, SurplusComponentsGoWithAndWithoutNoise) {
  const Buffer data = six_groups(12'000);
  const Problem problem = {"mixture", "gaussian", {{"components", "10"}, {"weights", GetParam()}}, data};
  const TrainOutcome exact = run(problem, {.seed = 1, .threads = 2});
  const TrainOutcome noisy =
      run(problem, {.method = Method::svi, .passes = 10, .batch = 500, .seed = 1, .threads = 2});
  Problem apart = problem;
  apart.values["join"] = "false";
  const TrainOutcome without = run(apart, {.seed = 1, .threads = 2});
  EXPECT_EQ(figure(*exact.model, "components in use"), 6);
  EXPECT_EQ(figure(*noisy.model, "components in use"), 6);
  expect_bound_never_fell(exact.starts[0]);
  EXPECT_GT(figure(*without.model, "components in use"), 6);
  EXPECT_GT(exact.starts[0].elbo, without.starts[0].elbo + 50);
  EXPECT_NEAR(noisy.starts[0].elbo, exact.starts[0].elbo, 0.002 * 12'000);
}

INSTANTIATE_TEST_SUITE_P(Weights, Joining, testing::Values("dirichlet", "dp"),
                         [](const auto& row) { return row.param; });

struct Kind {
  std::string kind;
  std::string covariance;
};

class Joins : public testing::TestWithParam<Kind> {};

double coin_entropy(double a, double b) {
  double sum = 0;
  if (a > 0) sum -= a * std::log(a / (a + b));
  if (b > 0) sum -= b * std::log(b / (a + b));
  return sum;
}

// What a join gains is that of the bound with the responsibilities added, but for the entropy.
TEST_P(Joins, GainIsThatOfTheBound) {
  constexpr std::size_t kRows = 90, kColumns = 3, kComponents = 4;
  Random random(7);
  Shape shape{.columns = kColumns, .units = kRows};
  for (std::size_t j = 0; j < kColumns; ++j) {
    shape.names.push_back("x" + std::to_string(j));
    shape.levels.push_back({"a", "b", "c"});
  }
  Buffer data(DataKind::table, kColumns);
  std::vector<double> shares(kRows * kComponents);
  for (std::size_t n = 0; n < kRows; ++n) {
    double row[kColumns];
    for (double& cell : row) cell = static_cast<double>(random.below(3));
    if (GetParam().kind == "gaussian") {
      for (double& cell : row) cell += random.normal();
    }
    data.add_row(row);
    double sum = 0;
    for (std::size_t k = 0; k < kComponents; ++k) sum += shares[n * kComponents + k] = random.uniform();
    for (std::size_t k = 0; k < kComponents; ++k) shares[n * kComponents + k] /= sum;
  }
  for (const char* weights : {"dirichlet", "dp"}) {
    const ModelRecord* record = find_model("mixture", GetParam().kind);
    Values values = {{"components", "4"}, {"weights", weights}};
    if (!GetParam().covariance.empty()) values["covariance"] = GetParam().covariance;
    const std::unique_ptr<Model> made =
        record->make(read_options(record->options, values, record->kind), shape);
    auto& model = dynamic_cast<mixture::Mixture&>(*made);
    Random start(1);
    model.begin(data.batch(), start);
    const auto bound_of = [&](std::span<const double> responsibilities) {
      const Statistics statistics = model.statistics_of(data.batch(), responsibilities);
      model.set_from(statistics);
      return total(model.elbo(statistics));
    };
    const double before = bound_of(shares);
    const Statistics statistics = model.statistics_of(data.batch(), shares);
    const std::vector<mixture::Mixture::Join> joins = model.joins(statistics);
    EXPECT_EQ(joins.size(), 6u);
    for (const auto& join : joins) {
      std::vector<double> joined = shares, counts(kComponents);
      double lost = 0;
      for (std::size_t n = 0; n < kRows; ++n) {
        double& from = joined[n * kComponents + join.from];
        double& into = joined[n * kComponents + join.into];
        lost += coin_entropy(from, into);
        into += from;
        from = 0;
        for (std::size_t k = 0; k < kComponents; ++k) counts[k] += joined[n * kComponents + k];
      }
      std::vector<std::size_t> order = {0, 1, 2, 3};
      if (std::string(weights) == "dp") {
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return counts[a] > counts[b]; });
      }
      std::vector<double> sorted(joined.size());
      for (std::size_t i = 0; i < joined.size(); ++i)
        sorted[i] = joined[i / kComponents * kComponents + order[i % kComponents]];
      const double gain = bound_of(sorted) - before;
      EXPECT_NEAR(gain, join.hoped - lost, 1e-9 * std::abs(before)) << weights;
      EXPECT_GE(gain, join.sure - 1e-9 * std::abs(before));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Joins,
                         testing::Values(Kind{"gaussian", "full"}, Kind{"gaussian", "tied"},
                                         Kind{"gaussian", "diagonal"}, Kind{"gaussian", "spherical"},
                                         Kind{"poisson", ""}, Kind{"categorical", ""}),
                         [](const auto& row) { return row.param.kind + row.param.covariance; });

// A fit that is stopped again and again, also amid moves, ends with the same bits.
TEST(Moves, ResumedFitIsTheSame) {
  const Buffer data = six_groups(3000);
  const Problem problem = {"mixture", "gaussian", {{"components", "10"}, {"weights", "dp"}}, data};
  const TrainOutcome whole = run(problem, {.seed = 2});
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "kullback-moves-test";
  std::filesystem::remove_all(folder);
  TrainOptions options = {.seed = 2, .checkpoint = folder};
  TrainOutcome parts;
  std::size_t runs = 0;
  do {
    std::size_t left = runs % 9;
    parts = run(problem, options, {.should_stop = [&] { return left == 0 || --left == 0; }});
    options.resume = true;
  } while (parts.is_interrupted && ++runs < 1000);
  std::filesystem::remove_all(folder);
  EXPECT_GT(runs, 10u);
  EXPECT_EQ(parts.starts[0].state, whole.starts[0].state);
  EXPECT_EQ(parts.starts[0].passes, whole.starts[0].passes);
}

}  // namespace
}  // namespace kullback::conjugate
