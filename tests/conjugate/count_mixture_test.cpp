// Mixtures of categoricals and of Poissons.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "conjugate/record.hpp"
#include "math/gamma_functions.hpp"
#include "tests/conjugate/model_checks.hpp"

namespace kullback::conjugate {
namespace {

using Values = std::map<std::string, std::string>;
constexpr std::size_t kColumns = 4;
constexpr std::size_t kLevels = 3;
const double kMissing = std::numeric_limits<double>::quiet_NaN();

struct Data {
  std::string kind;
  std::vector<double> cells = {};
  std::vector<double> weights = {};

  std::size_t rows() const { return cells.size() / kColumns; }
  Shape shape() const {
    Shape shape{.columns = kColumns, .units = rows()};
    if (kind == "categorical") {
      shape.levels.assign(kColumns, std::vector<std::string>(kLevels, "level"));
    }
    return shape;
  }
  Batch batch() const { return {.units = rows(), .columns = kColumns, .values = cells, .weights = weights}; }
};

// Two groups; a tenth of the cells is missing where wanted.
Data simulate(const std::string& kind, std::size_t rows, bool has_missing, std::uint64_t seed) {
  Random random(seed);
  Data data{.kind = kind};
  for (std::size_t n = 0; n < rows; ++n) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      const bool is_first = n % 2 == 0;
      double value = 0;
      if (kind == "categorical") {
        const double u = random.uniform();
        value = is_first ? (u < 0.7 ? 0 : u < 0.9 ? 1 : 2) : (u < 0.1 ? 0 : u < 0.3 ? 1 : 2);
      } else {
        double left = is_first ? 2.0 : 9.0;  // waiting times of a Poisson process
        while ((left -= random.exponential()) > 0) value += 1;
      }
      data.cells.push_back(has_missing && random.uniform() < 0.1 ? kMissing : value);
    }
  }
  return data;
}

std::unique_ptr<Model> make(const Data& data, Values values) {
  const ModelRecord* record = find_model("mixture", data.kind);
  return record->make(read_options(record->options, values, record->kind), data.shape());
}

class CountMixture : public testing::TestWithParam<std::string> {};

TEST_P(CountMixture, BoundNeverFallsAndNaturalGradients) {
  for (const bool has_missing : {false, true}) {
    Data data = simulate(GetParam(), 70, has_missing, 1);
    for (std::size_t n = 0; has_missing && n < data.rows(); ++n) data.weights.push_back(n % 3 == 0 ? 2.5 : 1);
    for (const char* weights : {"dirichlet", "dp"}) {
      for (const char* start : {"kmeans", "random"}) {
        const Values values = {{"components", "3"}, {"weights", weights}, {"start", start}};
        const auto model = make(data, values);
        expect_bound_never_falls(*model, data.batch(), 1, 15);
        const auto other = make(data, values);
        expect_natural_gradient(*other, data.batch(), 1, 2);
        const auto copy = make(data, values);
        expect_same_after_state(*model, *copy, data.batch());
      }
    }
  }
}

TEST_P(CountMixture, AWeightIsACopy) {
  Data once = simulate(GetParam(), 30, true, 2), weighted = once, copied = once;
  weighted.weights.assign(once.rows(), 2.0);
  copied.cells.insert(copied.cells.end(), once.cells.begin(), once.cells.end());
  const auto model = make(once, {{"components", "2"}});
  PlainFit fit(*model, once.batch(), 1);
  Statistics a, b;
  a.values.assign(model->statistics_size(), 0.0);
  b.values.assign(model->statistics_size(), 0.0);
  model->local_step(weighted.batch(), {}, a);
  model->local_step(copied.batch(), {}, b);
  EXPECT_NEAR(a.local, b.local, 1e-10 * std::abs(b.local));
  for (std::size_t i = 0; i < a.values.size(); ++i) EXPECT_NEAR(a.values[i], b.values[i], 1e-10);
  EXPECT_NEAR(model->score(weighted.batch()).log_density, model->score(copied.batch()).log_density, 1e-9);
}

// The chain rule of the predictive densities of one component, with the posterior after each row.
TEST_P(CountMixture, BoundOfOneComponentIsTheLogEvidence) {
  const Data data = simulate(GetParam(), 25, true, 3);
  Values values = {{"components", "1"}};
  if (data.kind == "poisson") values.insert({{"prior_shape", "1.5"}, {"prior_rate", "0.25"}});
  const auto model = make(data, values);
  PlainFit fit(*model, data.batch(), 1);
  double evidence = 0;
  for (std::size_t j = 0; j < kColumns; ++j) {
    std::vector<double> seen(kLevels, 1.0);
    double shape = 1.5, rate = 0.25;
    for (std::size_t n = 0; n < data.rows(); ++n) {
      const double x = data.cells[n * kColumns + j];
      if (std::isnan(x)) continue;
      if (data.kind == "categorical") {
        double& count = seen[static_cast<std::size_t>(x)];
        evidence += std::log(count / (seen[0] + seen[1] + seen[2]));
        count += 1;
      } else {
        evidence += std::lgamma(shape + x) - std::lgamma(shape) - std::lgamma(x + 1) +
                    shape * std::log(rate / (rate + 1)) - x * std::log(rate + 1);
        shape += x;
        rate += 1;
      }
    }
  }
  EXPECT_NEAR(fit.elbo(), evidence, 1e-10 * std::abs(evidence));
}

// Sums over all values of one column; the others are missing.
TEST_P(CountMixture, PredictiveProbabilitiesAddUpToOne) {
  const Data data = simulate(GetParam(), 40, false, 4);
  for (const char* weights : {"dirichlet", "dp"}) {
    const auto model = make(data, {{"components", "3"}, {"weights", weights}});
    PlainFit fit(*model, data.batch(), 1);
    double sum = 0;
    for (int value = 0; value < (data.kind == "categorical" ? static_cast<int>(kLevels) : 2000); ++value) {
      const double row[] = {kMissing, static_cast<double>(value), kMissing, kMissing};
      sum += std::exp(model->score({.units = 1, .columns = kColumns, .values = row}).log_density);
    }
    EXPECT_NEAR(sum, 1, 1e-10);
  }
}

TEST_P(CountMixture, GroupsAreFoundAndEmptyComponentsReported) {
  const Data data = simulate(GetParam(), 400, false, 5);
  const auto model = make(data, {{"components", "5"}});
  PlainFit fit(*model, data.batch(), 1);
  ExactMover mover;
  for (int pass = 0; pass < 300; ++pass) {
    for (std::size_t block = 0; block < model->blocks(); ++block) fit.global_step(block, mover);
    fit.local_step();
  }
  const Findings findings = model->findings(fit.statistics);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.front().code, "empty-components");
  std::vector<double> cells;
  model->unit_lines(data.batch(), cells);
  const std::size_t width = model->unit_columns(data.shape()).size();
  std::size_t right = 0;
  for (std::size_t n = 0; n < data.rows(); ++n) {
    right += (cells[n * width] == cells[0]) == (n % 2 == 0) ? 1 : 0;
  }
  EXPECT_GT(right, data.rows() * 9 / 10);
}

TEST_P(CountMixture, BadCellsAreRefused) {
  Data data = simulate(GetParam(), 10, false, 6);
  data.cells[5] = -1;
  Random random(1);
  EXPECT_THROW(make(data, {{"components", "2"}})->begin(data.batch(), random), Error);
  EXPECT_THROW(make(data, {{"components", "11"}})->begin(data.batch(), random), Error);
}

INSTANTIATE_TEST_SUITE_P(Kinds, CountMixture, testing::Values("categorical", "poisson"));

}  // namespace
}  // namespace kullback::conjugate
