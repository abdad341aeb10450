// Bayesian PCA and factor analysis (matrix factorisation: factors_matrix_test.cpp).
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "conjugate/record.hpp"
#include "tests/conjugate/model_checks.hpp"

namespace kullback::conjugate {
namespace {

using Eigen::MatrixXd;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::unique_ptr<Model> make(const std::string& kind, std::size_t columns,
                            std::map<std::string, std::string> options) {
  const ModelRecord* record = find_model("factors", kind);
  Shape shape{.kind = record->data, .columns = columns};
  for (std::size_t d = 0; d < columns; ++d) shape.names.push_back("x" + std::to_string(d + 1));
  return record->make(read_options(record->options, options, record->kind), shape);
}

struct Simulation {
  std::size_t rows = 400;
  std::size_t columns = 10;
  std::size_t factors = 3;
  double missing = 0;
  double noise = 0.5;
  bool uneven = false;  // noise differs between columns
  std::uint64_t seed = 1;
};

struct Simulated {
  explicit Simulated(const Simulation& how)
      : data(DataKind::table, how.columns), truth(DataKind::table, how.columns) {
    Random random(how.seed);
    loadings = MatrixXd(how.columns, how.factors);
    for (long i = 0; i < loadings.size(); ++i) loadings.data()[i] = random.normal();
    for (std::size_t d = 0; d < how.columns; ++d) {
      noise.push_back(how.noise * (how.uneven
                                       ? 0.3 + 1.5 * static_cast<double>(d) / static_cast<double>(how.columns)
                                       : 1.0));
    }
    for (std::size_t n = 0; n < how.rows; ++n) {
      Eigen::VectorXd z(how.factors);
      for (double& score : z) score = random.normal();
      const Eigen::VectorXd clean = loadings * z;
      std::vector<double> row(how.columns), exact(how.columns);
      for (std::size_t d = 0; d < how.columns; ++d) {
        exact[d] = clean(static_cast<long>(d)) + 3.0 * static_cast<double>(d) - 7;
        row[d] = exact[d] + noise[d] * random.normal();
        if (random.uniform() < how.missing) row[d] = kMissing;
      }
      data.add_row(row);
      truth.add_row(exact);
    }
  }

  Buffer data, truth;
  MatrixXd loadings;
  std::vector<double> noise;
};

// Passes until the bound gains less than `tolerance` of a nat per row; their number.
int fit(Model& model, const Batch& data, int most = 500, double tolerance = 1e-8, std::uint64_t seed = 1) {
  PlainFit fit(model, data, seed);
  ExactMover mover;
  double bound = fit.elbo();
  for (int pass = 1; pass <= most; ++pass) {
    for (std::size_t block = 0; block < model.blocks(); ++block) fit.global_step(block, mover);
    fit.local_step();
    const double now = fit.elbo();
    if (now - bound < tolerance * static_cast<double>(data.units)) return pass;
    bound = now;
  }
  return most;
}

double figure(const Model& model, const std::string& name) {
  for (const auto& [key, value] : model.figures()) {
    if (key == name) return value;
  }
  return kMissing;
}

ResultTable table(const Model& model, const std::string& name) {
  for (ResultTable& table : model.tables({})) {
    if (table.name == name) return table;
  }
  return {};
}

MatrixXd posterior_loadings(const Model& model, std::size_t columns) {
  const ResultTable loadings = table(model, "loadings");
  const std::size_t factors = loadings.columns.size() / 2;
  MatrixXd result(columns, factors);
  for (std::size_t d = 0; d < columns; ++d) {
    for (std::size_t k = 0; k < factors; ++k) {
      result(static_cast<long>(d), static_cast<long>(k)) = loadings.cells[(d * factors + k) * 2];
    }
  }
  return result;
}

struct Case {
  std::string kind;
  double missing;
};

class Factors : public testing::TestWithParam<Case> {};

TEST_P(Factors, BoundNeverFalls) {
  Simulated simulated({.rows = 150, .columns = 7, .missing = GetParam().missing, .uneven = true});
  for (const char* init : {"covariance", "random"}) {
    auto model = make(GetParam().kind, 7, {{"factors", "5"}, {"init", init}});
    expect_bound_never_falls(*model, simulated.data.batch(), 3, 60);
  }
  auto model = make(GetParam().kind, 7, {{"factors", "0"}});
  expect_bound_never_falls(*model, simulated.data.batch(), 3, 10);
}

TEST_P(Factors, NaturalGradient) {
  Simulated simulated(
      {.rows = 40, .columns = 5, .factors = 2, .missing = GetParam().missing, .uneven = true});
  for (const char* rotate : {"false", "true"}) {
    // A proper prior keeps rates of precisions away from 0, where differences would need smaller steps.
    auto model = make(GetParam().kind, 5,
                      {{"factors", "2"}, {"rotate", rotate}, {"ard_shape", "2"}, {"ard_rate", "1"}});
    expect_natural_gradient(*model, simulated.data.batch(), 3, 2);
  }
}

TEST_P(Factors, NaturalGradientWithAdoptedPrior) {
  Simulated simulated({.rows = 40, .columns = 5, .factors = 2, .missing = GetParam().missing});
  auto model = make(GetParam().kind, 5, {{"factors", "2"}});
  fit(*model, simulated.data.batch(), 3);
  model->adopt_posterior_as_prior();
  model->prepare();
  Statistics statistics;
  statistics.values.assign(model->statistics_size(), 0.0);
  // With no data the bound is 0: q is the prior.
  EXPECT_NEAR(total(model->elbo(statistics)), 0, 1e-9);
  Simulated more({.rows = 60, .columns = 5, .factors = 2, .missing = GetParam().missing, .seed = 2});
  double bound = -std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < 10; ++pass) {
    statistics = {};
    statistics.values.assign(model->statistics_size(), 0.0);
    model->local_step(more.data.batch(), {}, statistics);
    ExactMover mover;
    for (std::size_t block = 0; block < model->blocks(); ++block) {
      const double now = total(model->elbo(statistics));
      EXPECT_GE(now, bound - 1e-9 * std::abs(now));
      bound = now;
      model->global_step(block, statistics, mover);
      model->prepare();
    }
  }
}

TEST_P(Factors, StateKeepsEverything) {
  Simulated simulated({.rows = 80, .columns = 6, .missing = GetParam().missing});
  const std::map<std::string, std::string> options = {{"factors", "4"}, {"reconstruct", "all"}};
  auto model = make(GetParam().kind, 6, options);
  fit(*model, simulated.data.batch(), 5);
  auto other = make(GetParam().kind, 6, options);
  expect_same_after_state(*model, *other, simulated.data.batch());
}

TEST_P(Factors, WeightsAreCopies) {
  Simulated simulated({.rows = 60, .columns = 6, .missing = GetParam().missing});
  Buffer weighted(DataKind::table, 6), copied(DataKind::table, 6);
  for (std::size_t n = 0; n < 60; ++n) {
    weighted.add(simulated.data.batch(), n, static_cast<double>(n % 3));
    for (std::size_t copy = 0; copy < n % 3; ++copy) copied.add(simulated.data.batch(), n);
  }
  auto model = make(GetParam().kind, 6, {{"factors", "3"}});
  fit(*model, simulated.data.batch(), 3);
  Statistics a, b;
  a.values.assign(model->statistics_size(), 0.0);
  b.values = a.values;
  model->local_step(weighted.batch(), {}, a);
  model->local_step(copied.batch(), {}, b);
  EXPECT_NEAR(a.local, b.local, 1e-9 * std::abs(b.local));
  EXPECT_EQ(a.units, b.units);
  for (std::size_t i = 0; i < a.values.size(); ++i)
    EXPECT_NEAR(a.values[i], b.values[i], 1e-9 * (1 + std::abs(b.values[i])));
  const Model::Score one = model->score(weighted.batch()), two = model->score(copied.batch());
  EXPECT_NEAR(one.log_density, two.log_density, 1e-9 * std::abs(two.log_density));
  EXPECT_EQ(one.count, two.count);
}

TEST_P(Factors, RankOfSimulatedDataIsFound) {
  Simulated simulated(
      {.rows = 2000, .columns = 20, .factors = 5, .missing = GetParam().missing, .noise = 1.0});
  auto model = make(GetParam().kind, 20, {{"factors", "15"}});
  const int passes = fit(*model, simulated.data.batch());
  EXPECT_EQ(figure(*model, "factors in use"), 5);
  EXPECT_LT(passes, 200);
  RecordProperty("passes", passes);
  // The subspace: what is left of the true loadings outside it.
  const MatrixXd found = posterior_loadings(*model, 20).leftCols(5);
  const MatrixXd basis = Eigen::HouseholderQR<MatrixXd>(found).householderQ() * MatrixXd::Identity(20, 5);
  const MatrixXd outside = simulated.loadings - basis * (basis.transpose() * simulated.loadings);
  EXPECT_LT(outside.norm() / simulated.loadings.norm(), 0.06);
  for (const double noise : [&] {
         std::vector<double> result;
         const ResultTable columns = table(*model, "columns");
         for (std::size_t d = 0; d < 20; ++d) result.push_back(columns.cells[4 * d + 2]);
         return result;
       }()) {
    EXPECT_NEAR(noise, 1.0, 0.15);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Factors, testing::Values(Case{"pca", 0.0}, Case{"pca", 0.2}, Case{"fa", 0.0}, Case{"fa", 0.2}),
    [](const auto& row) { return row.param.kind + (row.param.missing > 0 ? "_missing" : "_complete"); });

// No factors and known noise: the mean's posterior is Gaussian, so the bound is the log evidence,
// x ~ N(offset, sd^2 I + (scale^2 / precision) 1 1') in each column.
TEST(FactorsExactly, BoundIsLogEvidence) {
  Simulated simulated({.rows = 25, .columns = 3, .factors = 1, .missing = 0.2});
  const Batch data = simulated.data.batch();
  auto model = make("fa", 3, {{"factors", "0"}, {"noise_sd", "0.7"}, {"mean_precision", "0.3"}});
  PlainFit fit(*model, data, 1);
  ExactMover mover;
  for (std::size_t block = 0; block < model->blocks(); ++block) fit.global_step(block, mover);
  double evidence = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    double n = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < data.units; ++i) {
      if (std::isnan(data.row(i)[d])) continue;
      n += 1;
      sum += data.row(i)[d];
      squares += data.row(i)[d] * data.row(i)[d];
    }
    const double mean = sum / n, around = squares - n * mean * mean, v = 0.49;
    const double prior = around / n / 0.3;  // the offset is the column's mean
    evidence += -0.5 * (n * std::log(2 * M_PI * v) + std::log1p(n * prior / v) + around / v);
  }
  EXPECT_NEAR(fit.elbo(), evidence, 1e-10 * std::abs(evidence));
}

// Unknown mean and noise of one column: the bound is below the evidence, which is an integral over the
// precision tau of exact Gaussian evidences, and near it.
TEST(FactorsExactly, BoundIsBelowAndNearTheEvidenceWithUnknownNoise) {
  Simulated simulated({.rows = 40, .columns = 1, .factors = 1});
  const Batch data = simulated.data.batch();
  auto model = make(
      "fa", 1, {{"factors", "0"}, {"noise_shape", "2"}, {"noise_rate", "1.5"}, {"mean_precision", "0.3"}});
  PlainFit fit(*model, data, 1);
  ExactMover mover;
  for (int pass = 0; pass < 50; ++pass) {
    for (std::size_t block = 0; block < model->blocks(); ++block) fit.global_step(block, mover);
  }
  // Standardised data: sum 0, sum of squares n.
  double mean = 0, variance = 0;
  const double n = static_cast<double>(data.units);
  for (std::size_t i = 0; i < data.units; ++i) mean += data.values[i] / n;
  for (std::size_t i = 0; i < data.units; ++i)
    variance += (data.values[i] - mean) * (data.values[i] - mean) / n;
  double sum = 0;
  const double step = 1e-3;
  for (double log_tau = -8; log_tau < 8; log_tau += step) {
    const double tau = std::exp(log_tau);
    const double log_prior = 2 * std::log(1.5) - std::lgamma(2.0) + 2 * log_tau - 1.5 * tau;
    const double log_evidence =
        0.5 * n * (log_tau - std::log(2 * M_PI)) - 0.5 * std::log1p(n * tau / 0.3) - 0.5 * tau * n;
    sum += step * std::exp(log_prior + log_evidence + n);
  }
  const double evidence = std::log(sum) - n - 0.5 * n * std::log(variance);
  EXPECT_LT(fit.elbo(), evidence);
  EXPECT_GT(fit.elbo(), evidence - 0.02);
}

TEST(FactorsScore, IsTheGaussianDensityOfObservedCells) {
  Simulated simulated({.rows = 30, .columns = 6, .missing = 0.3, .uneven = true});
  auto model = make("fa", 6, {{"factors", "2"}});
  const Batch data = simulated.data.batch();
  fit(*model, data, 20);
  const MatrixXd w = posterior_loadings(*model, 6);
  const ResultTable columns = table(*model, "columns");
  double expected = 0, count = 0;
  for (std::size_t n = 0; n < data.units; ++n) {
    std::vector<long> seen;
    for (std::size_t d = 0; d < 6; ++d) {
      if (!std::isnan(data.row(n)[d])) seen.push_back(static_cast<long>(d));
    }
    const auto size = static_cast<long>(seen.size());
    MatrixXd covariance(size, size);
    Eigen::VectorXd residual(size);
    for (long i = 0; i < size; ++i) {
      const auto d = static_cast<std::size_t>(seen[static_cast<std::size_t>(i)]);
      residual(i) = data.row(n)[d] - columns.cells[4 * d];
      for (long j = 0; j < size; ++j) covariance(i, j) = w.row(seen[i]).dot(w.row(seen[j]));
      covariance(i, i) += columns.cells[4 * d + 2] * columns.cells[4 * d + 2];
    }
    if (size == 0) continue;
    const Eigen::LLT<MatrixXd> factor(covariance);
    const MatrixXd l = factor.matrixL();
    expected -= l.diagonal().array().log().sum() + 0.5 * residual.dot(factor.solve(residual)) +
                0.5 * static_cast<double>(size) * std::log(2 * M_PI);
    count += static_cast<double>(size);
  }
  const Model::Score score = model->score(data);
  EXPECT_NEAR(score.log_density, expected, 1e-9 * std::abs(expected));
  EXPECT_EQ(score.count, count);
}

// Rows with the same missing cells share a covariance, others go one by one: both give the same statistics.
TEST(FactorsPatterns, SharedAndDistinctRowsAgree) {
  Simulated simulated({.rows = 64, .columns = 8});
  Buffer data(DataKind::table, 8);
  for (std::size_t n = 0; n < 64; ++n) {
    std::vector<double> row(simulated.data.batch().row(n).begin(), simulated.data.batch().row(n).end());
    row[n % 3] = kMissing;
    row[5] = kMissing;
    data.add_row(row);
  }
  auto model = make("fa", 8, {{"factors", "3"}});
  fit(*model, simulated.data.batch(), 5);
  Statistics together, alone;
  together.values.assign(model->statistics_size(), 0.0);
  alone.values = together.values;
  model->local_step(data.batch(), {}, together);
  for (std::size_t n = 0; n < 64; ++n) model->local_step(data.batch().part(n, n + 1), {}, alone);
  EXPECT_NEAR(together.local, alone.local, 1e-10 * std::abs(alone.local));
  for (std::size_t i = 0; i < alone.values.size(); ++i) {
    EXPECT_NEAR(together.values[i], alone.values[i], 1e-10 * (1 + std::abs(alone.values[i])));
  }
}

TEST(FactorsRotation, ReachesTheSameBoundInFewerPasses) {
  Simulated simulated({.rows = 300, .columns = 12, .factors = 4, .missing = 0.1});
  const Batch data = simulated.data.batch();
  auto fast = make("pca", 12, {{"factors", "8"}, {"init", "random"}});
  auto slow = make("pca", 12, {{"factors", "8"}, {"init", "random"}, {"rotate", "false"}});
  const int with = fit(*fast, data, 3000, 1e-9), without = fit(*slow, data, 3000, 1e-9);
  RecordProperty("with", with);
  RecordProperty("without", without);
  EXPECT_LT(2 * with, without);
  const auto bound = [&](Model& model) {
    Statistics statistics;
    statistics.values.assign(model.statistics_size(), 0.0);
    model.local_step(data, {}, statistics);
    return total(model.elbo(statistics));
  };
  EXPECT_GE(bound(*fast), bound(*slow) - 1e-3);
}

TEST(FactorsMissing, ReconstructionBeatsColumnMeans) {
  Simulated simulated({.rows = 500, .columns = 12, .factors = 3, .missing = 0.25});
  const Batch data = simulated.data.batch(), truth = simulated.truth.batch();
  for (const char* kind : {"pca", "fa"}) {
    auto model = make(kind, 12, {{"factors", "6"}, {"reconstruct", "all"}});
    fit(*model, data);
    std::vector<double> cells;
    model->unit_lines(data, cells);
    const std::size_t stride = 2 * 6 + 1 + 12;
    double error = 0, from_mean = 0, count = 0;
    const ResultTable columns = table(*model, "columns");
    for (std::size_t n = 0; n < data.units; ++n) {
      for (std::size_t d = 0; d < 12; ++d) {
        if (!std::isnan(data.row(n)[d])) continue;
        const double exact = truth.row(n)[d];
        error += std::pow(cells[n * stride + 13 + d] - exact, 2);
        from_mean += std::pow(columns.cells[4 * d] - exact, 2);
        count += 1;
      }
    }
    // Noise 0.5 on nine cells for three scores leaves about 0.5 (3 / 6)^(1/2).
    EXPECT_LT(std::sqrt(error / count), 0.45);
    EXPECT_GT(std::sqrt(from_mean / count), 1.5);
  }
}

TEST(FactorsFindings, ColumnsWithoutDataAndConstantColumns) {
  Simulated simulated({.rows = 100, .columns = 6, .factors = 2});
  Buffer data(DataKind::table, 6);
  for (std::size_t n = 0; n < 100; ++n) {
    std::vector<double> row(simulated.data.batch().row(n).begin(), simulated.data.batch().row(n).end());
    row[1] = kMissing;
    row[4] = 1e5 / 3;
    data.add_row(row);
  }
  for (const char* kind : {"pca", "fa"}) {
    auto model = make(kind, 6, {{"factors", "1"}});
    PlainFit fit(*model, data.batch(), 1);
    ExactMover mover;
    for (int pass = 0; pass < 30; ++pass) {
      for (std::size_t block = 0; block < model->blocks(); ++block) fit.global_step(block, mover);
      fit.local_step();
    }
    EXPECT_TRUE(std::isfinite(fit.elbo()));
    std::map<std::string, std::string> found;
    for (const Finding& finding : model->findings(fit.statistics)) found[finding.code] = finding.evidence;
    EXPECT_EQ(found["column-without-data"], "x2");
    EXPECT_EQ(found["constant-column"], "x5");
    EXPECT_TRUE(found.count("all-factors-in-use"));
    for (const ResultTable& table : model->tables({})) {
      for (const double cell : table.cells) EXPECT_TRUE(std::isfinite(cell)) << table.name;
    }
  }
}

// As tests/conjugate/make_factors_reference.py.
class Generator {
 public:
  double number() { return (uniform() + uniform() + uniform() + uniform() - 2) * std::sqrt(3.0); }

 private:
  double uniform() {
    state_ = 1664525u * state_ + 1013904223u;
    return (state_ + 0.5) / 4294967296.0;
  }
  std::uint32_t state_ = 1;
};

Buffer reference_table(double uneven) {
  Generator numbers;
  double loadings[6][2];
  for (auto& row : loadings) {
    for (double& loading : row) loading = numbers.number();
  }
  Buffer table(DataKind::table, 6);
  for (int n = 0; n < 20000; ++n) {
    const double first = numbers.number(), second = numbers.number();
    std::vector<double> row(6);
    for (std::size_t d = 0; d < 6; ++d) {
      const double noise = 0.5 * (1 + static_cast<double>(d) * uneven) * numbers.number();
      row[d] = loadings[d][0] * first + loadings[d][1] * second + static_cast<double>(d) + noise;
    }
    table.add_row(row);
  }
  return table;
}

// With many rows the posterior is near scikit-learn's maximum of the likelihood: what columns share, and
// noise.
TEST(FactorsReference, AgreesWithScikitLearn) {
  const std::vector<double> fa = {
      0.283881992,  -0.107607894,  2.602287931,  0.7332482434,  -3.290614239,  5.437241124,  0.01783460839,
      0.6320595525, -0.7052734779, 0.160437702,  -0.9187283935, 1.517748868,   -3.74850166,  0.233946242,
      3.507238681,  0.1067836355,  -1.856404289, 2.411592125,   -0.4461710445, -1.174677688, 1.327535259};
  const std::vector<double> pca = {
      0.286635003,  -0.1070453742, 2.578177651,  0.7365812023,  -3.289221972, 5.472158624,  0.0206685296,
      0.6323148253, -0.7069339685, 0.1628814392, -0.9176222662, 1.515059549,  -3.750263419, 0.2294574201,
      3.479145458,  0.1046748162,  -1.8488593,   2.418107903,   -0.448803841, -1.171014892, 1.328612051};
  const std::vector<double> fa_noise = {0.2530760689, 0.400505718, 0.6863095981,
                                        0.9199877673, 1.173886477, 1.561013484};
  const std::vector<double> pca_noise(6, 0.2515345964);
  for (const bool is_fa : {true, false}) {
    const Buffer data = reference_table(is_fa ? 0.3 : 0.0);
    // Of six columns at most three factors are identified with a noise each: more would share it with them.
    auto model = make(is_fa ? "fa" : "pca", 6, {{"factors", is_fa ? "2" : "4"}});
    fit(*model, data.batch(), 500, 1e-9);
    EXPECT_EQ(figure(*model, "factors in use"), 2);
    const MatrixXd w = posterior_loadings(*model, 6);
    const MatrixXd common = w * w.transpose();
    const ResultTable columns = table(*model, "columns");
    std::size_t at = 0;
    for (long i = 0; i < 6; ++i) {
      for (long j = 0; j <= i; ++j, ++at) EXPECT_NEAR(common(i, j), (is_fa ? fa : pca)[at], 0.004);
      const auto d = static_cast<std::size_t>(i);
      EXPECT_NEAR(std::pow(columns.cells[4 * d + 2], 2), (is_fa ? fa_noise : pca_noise)[d], 0.003);
    }
    if (!is_fa) continue;
    const Model::Score score = model->score(data.batch());
    EXPECT_NEAR(score.log_density / 20000, -9.581768948, 1e-4);
  }
}

TEST(FactorsOptions, SayWhatIsWrong) {
  EXPECT_THROW(make("pca", 4, {{"factors", "5"}}), Error);
  EXPECT_THROW(make("pca", 4, {{"reconstruct", "nothing"}}), Error);
  EXPECT_THROW(make("pca", 4, {{"init", "best"}}), Error);
  EXPECT_THROW(make("pca", 100000, {{"factors", "500"}}), Error);
}

}  // namespace
}  // namespace kullback::conjugate
