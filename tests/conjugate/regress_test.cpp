// Regression: properties of all conjugate models for every prior, closed forms where they exist, quadrature
// and enumeration where they do not, scikit-learn's numbers for the rest.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "base/error.hpp"
#include "conjugate/record.hpp"
#include "conjugate/regress/pieces.hpp"
#include "tests/conjugate/model_checks.hpp"
#include "tests/conjugate/regress_reference.inc"

namespace kullback::conjugate {
namespace {

using Options = std::map<std::string, std::string>;

Shape shape_of(std::size_t columns, std::size_t units) {
  Shape shape{.columns = columns, .units = units};
  for (std::size_t j = 0; j + 1 < columns; ++j) shape.names.push_back("c" + std::to_string(j));
  if (columns > 0) shape.names.push_back("y");
  return shape;
}

std::unique_ptr<Model> make(const std::string& kind, const Options& options, const Batch& data) {
  const ModelRecord* record = find_model("regress", kind);
  return record->make(read_options(record->options, options, record->kind),
                      shape_of(data.columns, data.units));
}

// Correlated columns on different scales, with an offset; coefficients given.
struct Simulation {
  std::size_t rows;
  std::vector<double> coefficients;
  double noise = 0.7;
  double correlation = 0.5;
};

Buffer simulate(const Simulation& how, bool is_logistic, std::uint64_t seed) {
  Random random(seed);
  const std::size_t columns = how.coefficients.size();
  Buffer table(DataKind::table, columns + 1);
  std::vector<double> row(columns + 1);
  for (std::size_t n = 0; n < how.rows; ++n) {
    double z = 0.4;
    const double shared = random.normal();
    for (std::size_t j = 0; j < columns; ++j) {
      const double x = std::sqrt(how.correlation) * shared + std::sqrt(1 - how.correlation) * random.normal();
      z += how.coefficients[j] * x;
      row[j] = 3.0 + static_cast<double>(j + 1) * x;
    }
    row[columns] = is_logistic ? (random.uniform() < 1 / (1 + std::exp(-z)) ? 1 : 0)
                               : 5 + 2 * (z + how.noise * random.normal());
    table.add_row(row);
  }
  return table;
}

Buffer with_weights(const Batch& data) {
  Buffer weighted(data.kind, data.columns);
  for (std::size_t n = 0; n < data.units; ++n) weighted.add(data, n, 0.5 + static_cast<double>(n % 4));
  return weighted;
}

void fit(Model& model, PlainFit& plain, int passes) {
  ExactMover mover;
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t block = 0; block < model.blocks(); ++block)
      model.global_step(block, plain.statistics, mover);
    model.prepare();
    if (!model.has_fixed_statistics()) plain.local_step();
  }
}

// coefficients.csv by column name.
std::vector<double> coefficients(const Model& model, const std::string& column) {
  const ResultTable table = model.tables({}).front();
  const auto at = std::find(table.columns.begin(), table.columns.end(), column);
  std::vector<double> values;
  for (std::size_t i = static_cast<std::size_t>(at - table.columns.begin()); i < table.cells.size();
       i += table.columns.size()) {
    values.push_back(table.cells[i]);
  }
  return values;
}

double figure(const Model& model, const std::string& name) {
  for (const auto& [key, value] : model.figures()) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

bool has_finding(const Model& model, const Statistics& statistics, const std::string& code) {
  for (const Finding& finding : model.findings(statistics)) {
    if (finding.code == code) return true;
  }
  return false;
}

struct Case {
  const char* kind;
  const char* prior;
};

class RegressPriors : public testing::TestWithParam<Case> {
 protected:
  Buffer data() const {
    const bool is_logistic = std::string(GetParam().kind) == "logistic";
    return simulate({.rows = 60, .coefficients = {1.0, 0.0, -0.8, 0.3}}, is_logistic, 11);
  }
  std::unique_ptr<Model> model(const Batch& batch) const {
    return make(GetParam().kind, {{"prior", GetParam().prior}}, batch);
  }
  // With parameters that differences can resolve: rates of vague gammas are far below the step.
  std::unique_ptr<Model> resolvable_model(const Batch& batch) const {
    Options options = {{"prior", GetParam().prior}};
    if (options["prior"] != "gaussian") options.insert({{"precision_shape", "2"}, {"precision_rate", "2"}});
    return make(GetParam().kind, options, batch);
  }
};

TEST_P(RegressPriors, TheBoundNeverFalls) {
  const Buffer table = data();
  expect_bound_never_falls(*model(table.batch()), table.batch(), 1, 30);
  const Buffer weighted = with_weights(table.batch());
  expect_bound_never_falls(*model(table.batch()), weighted.batch(), 2, 30);
}

TEST_P(RegressPriors, NaturalGradients) {
  const Buffer table = data();
  expect_natural_gradient(*model(table.batch()), table.batch(), 3, 0);
  // One update is all that the exact model needs: the gradient is 0 after that, and differences are rounding.
  if (model(table.batch())->blocks() == 1) return;
  for (const int passes : {1, 3}) {
    expect_natural_gradient(*resolvable_model(table.batch()), table.batch(), 3, passes, 1e-5, 1e-4);
  }
}

TEST_P(RegressPriors, NaturalGradientsAfterThePosteriorBecameThePrior) {
  const Buffer table = data();
  const auto fitted = resolvable_model(table.batch());
  PlainFit plain(*fitted, table.batch().part(0, 30), 3);
  fit(*fitted, plain, 3);
  fitted->adopt_posterior_as_prior();
  // As the test of all models does, without its new start.
  ExactMover mover;
  plain.local_step();
  double bound = plain.elbo();
  for (std::size_t block = 0; block < fitted->blocks(); ++block) {
    plain.global_step(block, mover);
    EXPECT_GE(plain.elbo(), bound - 1e-10 * std::abs(bound)) << block;
    bound = plain.elbo();
    Spy spy;
    fitted->global_step(block, plain.statistics, spy);
    const std::span<double> natural = fitted->natural(block);
    for (std::size_t i = 0; i < natural.size(); ++i) {
      EXPECT_NEAR(natural[i], spy.target[i], 1e-9 * (1 + std::abs(natural[i])));
      // At the optimum the bound is flat.
      const double at = natural[i], h = 1e-5 * std::max(1.0, std::abs(at));
      const auto bound_at = [&](double x) {
        natural[i] = x;
        fitted->prepare();
        return plain.elbo();
      };
      EXPECT_NEAR((bound_at(at + h) - bound_at(at - h)) / (2 * h), 0, 1e-5 + 1e-14 * std::abs(bound) / h);
      bound_at(at);
    }
  }
}

TEST_P(RegressPriors, StateIsAll) {
  const Buffer table = data();
  const auto fitted = model(table.batch());
  PlainFit plain(*fitted, table.batch(), 4);
  fit(*fitted, plain, 5);
  fitted->adopt_posterior_as_prior();
  fit(*fitted, plain, 2);
  const auto other = model(table.batch());
  expect_same_after_state(*fitted, *other, table.batch());
  EXPECT_EQ(total(fitted->elbo(plain.statistics)), total(other->elbo(plain.statistics)));
  ExactMover mover;
  for (std::size_t block = 0; block < fitted->blocks(); ++block) {
    fitted->global_step(block, plain.statistics, mover);
    other->global_step(block, plain.statistics, mover);
  }
  EXPECT_EQ(fitted->state(), other->state());
}

TEST_P(RegressPriors, WeightsAreRepetitions) {
  const Buffer table = data();
  Buffer weighted(DataKind::table, table.batch().columns), repeated(DataKind::table, table.batch().columns);
  for (std::size_t n = 0; n < table.units(); ++n) {
    const std::size_t times = 1 + n % 3;
    weighted.add(table.batch(), n, static_cast<double>(times));
    for (std::size_t k = 0; k < times; ++k) repeated.add(table.batch(), n);
  }
  const auto a = model(table.batch()), b = model(table.batch());
  PlainFit first(*a, weighted.batch(), 5), second(*b, repeated.batch(), 5);
  fit(*a, first, 4);
  fit(*b, second, 4);
  EXPECT_NEAR(first.elbo(), second.elbo(), 1e-9 * std::abs(second.elbo()));
  const Model::Score one = a->score(weighted.batch()), two = b->score(repeated.batch());
  EXPECT_NEAR(one.log_density, two.log_density, 1e-9 * std::abs(two.log_density));
  EXPECT_EQ(one.count, two.count);
}

// Steps 1/t over minibatches that make up the data end where the whole data lead, where statistics are fixed.
class AverageMover final : public Mover {
 public:
  void move(std::size_t, std::span<double> natural, std::span<const double> target,
            const Inside& inside) override {
    for (std::size_t i = 0; i < natural.size(); ++i) natural[i] += rate * (target[i] - natural[i]);
    EXPECT_TRUE(!inside || inside(natural));
  }
  double rate = 1;
};

TEST_P(RegressPriors, StochasticStepsArriveWhereCoordinateAscentDoes) {
  const bool is_logistic = std::string(GetParam().kind) == "logistic";
  const Buffer table = simulate({.rows = 2000, .coefficients = {1.0, 0.0, -0.8}}, is_logistic, 12);
  const Batch batch = table.batch();
  const auto whole = model(batch), stochastic = model(batch);
  PlainFit all(*whole, batch, 6);
  fit(*whole, all, 300);
  PlainFit start(*stochastic, batch, 6);
  AverageMover mover;
  Random random(7);
  for (int t = 0; t < 400; ++t) {
    mover.rate = std::pow(t + 1.0, -0.7);
    Buffer minibatch(DataKind::table, batch.columns);
    stochastic->sample_minibatch(batch, batch.units, 200, random, minibatch);
    Statistics statistics;
    statistics.values.assign(stochastic->statistics_size(), 0.0);
    stochastic->local_step(minibatch.batch(), {}, statistics);
    for (std::size_t block = 0; block < stochastic->blocks(); ++block) {
      stochastic->global_step(block, statistics, mover);
    }
    stochastic->prepare();
  }
  start.local_step();
  all.local_step();
  EXPECT_LE(start.elbo(), all.elbo() + 1e-6 * std::abs(all.elbo()));
  EXPECT_NEAR(start.elbo(), all.elbo(), 0.01 * 2000);
}

INSTANTIATE_TEST_SUITE_P(All, RegressPriors,
                         testing::Values(Case{"linear", "gaussian"}, Case{"linear", "ridge"},
                                         Case{"linear", "ard"}, Case{"linear", "spike-slab"},
                                         Case{"logistic", "gaussian"}, Case{"logistic", "ridge"},
                                         Case{"logistic", "ard"}, Case{"logistic", "spike-slab"}),
                         [](const auto& named) {
                           std::string name = std::string(named.param.kind) + "_" + named.param.prior;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// ---- The exact linear model.

// The design of a table as the model sees it: 1 and standardised columns; the target standardised.
struct Design {
  Eigen::MatrixXd x;
  Eigen::VectorXd y;
  double scale;
};
Design design_of(const Batch& data) {
  const auto rows = static_cast<Eigen::Index>(data.units), columns = static_cast<Eigen::Index>(data.columns);
  Eigen::MatrixXd cells(rows, columns);
  for (Eigen::Index n = 0; n < rows; ++n) {
    for (Eigen::Index j = 0; j < columns; ++j)
      cells(n, j) = data.row(static_cast<std::size_t>(n))[static_cast<std::size_t>(j)];
  }
  Design design;
  for (Eigen::Index j = 0; j < columns; ++j) {
    cells.col(j).array() -= cells.col(j).mean();
    design.scale = std::sqrt(cells.col(j).squaredNorm() / static_cast<double>(rows));
    cells.col(j) /= design.scale;
  }
  design.x.resize(rows, columns);
  design.x.col(0).setOnes();
  design.x.rightCols(columns - 1) = cells.leftCols(columns - 1);
  design.y = cells.col(columns - 1);
  return design;
}

// y ~ Student's t with 2a degrees, location 0 and scale matrix (b/a) (I + X P^-1 X'): n by n, no update in
// sight.
double log_evidence(const Design& design, const Eigen::VectorXd& precisions, double a, double b) {
  const Eigen::Index n = design.y.size();
  const Eigen::MatrixXd shape = Eigen::MatrixXd::Identity(n, n) +
                                design.x * precisions.cwiseInverse().asDiagonal() * design.x.transpose();
  const Eigen::LLT<Eigen::MatrixXd> factor(shape);
  const double log_determinant = 2 * factor.matrixLLT().diagonal().array().log().sum();
  const double rows = static_cast<double>(n);
  return std::lgamma(a + rows / 2) - std::lgamma(a) - rows / 2 * std::log(2 * std::numbers::pi * b) -
         0.5 * log_determinant - (a + rows / 2) * std::log1p(design.y.dot(factor.solve(design.y)) / (2 * b)) -
         rows * std::log(design.scale);
}

TEST(RegressLinear, TheBoundIsTheLogEvidence) {
  const Buffer table = simulate({.rows = 25, .coefficients = {1.0, -0.5, 0.2}}, false, 21);
  const auto model = make("linear",
                          {{"prior", "gaussian"},
                           {"precision", "0.7"},
                           {"intercept_precision", "0.2"},
                           {"noise_shape", "1.5"},
                           {"noise_rate", "0.8"}},
                          table.batch());
  PlainFit plain(*model, table.batch(), 1);
  fit(*model, plain, 1);
  const double exact = log_evidence(design_of(table.batch()), Eigen::Vector4d(0.2, 0.7, 0.7, 0.7), 1.5, 0.8);
  EXPECT_NEAR(plain.elbo(), exact, 1e-10 * std::abs(exact));
}

TEST(RegressLinear, WithKnownNoiseTheBoundIsTheLogEvidence) {
  const Buffer table = simulate({.rows = 25, .coefficients = {1.0, -0.5, 0.2}}, false, 22);
  const auto model =
      make("linear",
           {{"prior", "gaussian"}, {"precision", "0.7"}, {"intercept_precision", "0.2"}, {"noise", "1.3"}},
           table.batch());
  PlainFit plain(*model, table.batch(), 1);
  fit(*model, plain, 1);
  const Design design = design_of(table.batch());
  const Eigen::Vector4d precisions(0.2, 0.7, 0.7, 0.7);
  const double variance = std::pow(1.3 / design.scale, 2);
  const Eigen::MatrixXd covariance =
      variance * (Eigen::MatrixXd::Identity(25, 25) +
                  design.x * precisions.cwiseInverse().asDiagonal() * design.x.transpose());
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  const double exact = -12.5 * std::log(2 * std::numbers::pi) -
                       factor.matrixLLT().diagonal().array().log().sum() -
                       0.5 * design.y.dot(factor.solve(design.y)) - 25 * std::log(design.scale);
  EXPECT_NEAR(plain.elbo(), exact, 1e-10 * std::abs(exact));
}

TEST(RegressLinear, PredictiveDensitiesAreRatiosOfEvidence) {
  const Buffer table = simulate({.rows = 30, .coefficients = {1.0, -0.5}}, false, 23);
  const auto model =
      make("linear", {{"prior", "gaussian"}, {"noise_shape", "2"}, {"noise_rate", "1"}}, table.batch());
  PlainFit plain(*model, table.batch(), 1);
  fit(*model, plain, 1);
  const double row[] = {2.0, 7.5, 9.0};
  Buffer fresh(DataKind::table, 3);
  fresh.add_row(row);
  const double predicted = model->score(fresh.batch()).log_density;
  model->adopt_posterior_as_prior();
  Statistics statistics;
  statistics.values.assign(model->statistics_size(), 0.0);
  model->local_step(fresh.batch(), {}, statistics);
  ExactMover mover;
  model->global_step(0, statistics, mover);
  EXPECT_NEAR(total(model->elbo(statistics)), predicted, 1e-10);
}

// Half of the data, that posterior as prior, then the other half.
void expect_halves_are_the_whole(const Options& options, int passes, double tolerance) {
  const Buffer table = simulate({.rows = 80, .coefficients = {1.0, 0.0, -0.5}}, false, 24);
  const auto whole = make("linear", options, table.batch()), halves = make("linear", options, table.batch());
  PlainFit all(*whole, table.batch(), 1);
  fit(*whole, all, passes);
  PlainFit both(*halves, table.batch(), 1);
  ExactMover mover;
  double bound = 0;
  for (const std::size_t half : {0u, 40u}) {
    Statistics statistics;
    statistics.values.assign(halves->statistics_size(), 0.0);
    halves->local_step(table.batch().part(half, half + 40), {}, statistics);
    for (int pass = 0; pass < passes; ++pass) {
      for (std::size_t block = 0; block < halves->blocks(); ++block)
        halves->global_step(block, statistics, mover);
    }
    bound += total(halves->elbo(statistics));
    if (half == 0) halves->adopt_posterior_as_prior();
  }
  for (std::size_t block = 0; block < whole->blocks(); ++block) {
    for (std::size_t i = 0; i < whole->natural(block).size(); ++i) {
      const double expected = whole->natural(block)[i];
      EXPECT_NEAR(halves->natural(block)[i], expected, tolerance * (1 + std::abs(expected)))
          << block << " " << i;
    }
  }
  EXPECT_NEAR(bound, all.elbo(), tolerance * std::abs(all.elbo()));
}

TEST(RegressLinear, APosteriorAsPriorIsAllDataAtOnce) {
  expect_halves_are_the_whole({{"prior", "gaussian"}}, 1, 1e-11);
  expect_halves_are_the_whole({{"prior", "ridge"}}, 200, 1e-9);
  // Precisions that run off to infinity do so slowly, hence not ard with its default prior.
  expect_halves_are_the_whole({{"prior", "ard"}, {"precision_shape", "1"}, {"precision_rate", "1"}}, 300,
                              1e-9);
}

TEST(RegressLinear, CoefficientsAreOnTheScaleOfTheData) {
  const Buffer table = simulate({.rows = 400, .coefficients = {1.0, -0.5}}, false, 25);
  const auto model = make("linear", {{"prior", "gaussian"}}, table.batch());
  PlainFit plain(*model, table.batch(), 1);
  fit(*model, plain, 1);
  const std::vector<double> mean = coefficients(*model, "mean"), sd = coefficients(*model, "sd");
  // y = 5 + 2 (0.4 + x1' - 0.5 x2' + 0.7 e), x_j = 3 + j x_j'.
  const double truth[] = {5.8 - 2 * 3 + 0.5 * 3, 2.0, -0.5};
  for (std::size_t j = 0; j < 3; ++j) EXPECT_LT(std::abs(mean[j] - truth[j]), 4 * sd[j]) << j;
  const double at[] = {1.0, 2.0, 0.0};
  Buffer fresh(DataKind::table, 3);
  fresh.add_row(at);
  std::vector<double> cells;
  model->unit_lines(fresh.batch(), cells);
  EXPECT_NEAR(cells[0], mean[0] + mean[1] + 2 * mean[2], 1e-12);
  // At x = 0 the predictive variance is that of the intercept and the noise.
  const double zero[] = {0.0, 0.0, 0.0};
  Buffer origin(DataKind::table, 3);
  origin.add_row(zero);
  cells.clear();
  model->unit_lines(origin.batch(), cells);
  const ResultTable noise = model->tables({})[1];
  const double degrees = 400 + 2e-6;
  EXPECT_NEAR(cells[1] * cells[1], sd[0] * sd[0] + noise.cells[0] * noise.cells[0] * degrees / (degrees - 2),
              1e-9);
  EXPECT_LT(noise.cells[1], 1.4);
  EXPECT_GT(noise.cells[2], 1.4);
  EXPECT_GT(figure(*model, "R squared"), 0.5);
}

TEST(RegressLinear, ATargetThatIsMissingHasNoDensity) {
  const Buffer table = simulate({.rows = 40, .coefficients = {1.0}}, false, 26);
  for (const std::string kind : {"linear", "logistic"}) {
    const Buffer data = simulate({.rows = 40, .coefficients = {1.0}}, kind == "logistic", 26);
    const auto model = make(kind, {}, data.batch());
    PlainFit plain(*model, data.batch(), 1);
    fit(*model, plain, 3);
    Buffer fresh(DataKind::table, 2);
    const double row[] = {3.5, std::nan("")};
    fresh.add_row(row);
    std::vector<double> cells;
    model->unit_lines(fresh.batch(), cells);
    EXPECT_EQ(cells.size(), model->unit_columns({}).size());
    EXPECT_TRUE(std::isfinite(cells[0]));
    EXPECT_TRUE(std::isnan(cells.back()));
    EXPECT_EQ(model->score(fresh.batch()).count, 0);
  }
}

// ---- Against scikit-learn.

Buffer reference_table() {
  Buffer table(DataKind::table, kReferenceColumns);
  for (std::size_t n = 0; n < kReferenceRows; ++n) {
    table.add_row(std::span(kReferenceTable).subspan(n * kReferenceColumns, kReferenceColumns));
  }
  return table;
}

struct Reference {
  std::span<const double> mean;  // the intercept first
  std::span<const double> sd;    // without it; 0 where the column is pruned
  double noise;
};

void expect_reference(const std::string& prior, const Reference& expected) {
  const Buffer table = reference_table();
  const auto model = make("linear", {{"prior", prior}}, table.batch());
  PlainFit plain(*model, table.batch(), 1);
  fit(*model, plain, 1000);
  const std::vector<double> mean = coefficients(*model, "mean"), sd = coefficients(*model, "sd");
  EXPECT_NEAR(mean[0], expected.mean[0], 1e-6);
  double kept = 0;
  for (std::size_t j = 1; j < mean.size(); ++j) {
    const double scale = expected.sd[j - 1];
    if (scale > 0) {
      EXPECT_NEAR(mean[j], expected.mean[j], 0.03 * scale) << prior << ", coefficient " << j;
      EXPECT_NEAR(sd[j], scale, 0.02 * scale) << prior << ", sd " << j;
      ++kept;
    } else {
      EXPECT_LT(std::abs(mean[j]), 0.02 * expected.sd[0]) << prior << ", coefficient " << j;
    }
  }
  EXPECT_NEAR(model->tables({})[1].cells[0], expected.noise, 0.01 * expected.noise);
  if (prior == "ard") {
    EXPECT_EQ(figure(*model, "coefficients kept"), kept);
  }
}

TEST(RegressLinear, RidgeAgreesWithScikitLearn) {
  expect_reference("ridge", {kBayesianRidge, kBayesianRidgeSd, kBayesianRidgeNoise});
}
TEST(RegressLinear, ArdAgreesWithScikitLearn) { expect_reference("ard", {kArd, kArdSd, kArdNoise}); }

// ---- Spike and slab.

TEST(RegressSpikeSlab, IsTheEnumerationWhereColumnsAreOrthogonal) {
  // Columns of a Hadamard matrix: mean 0, deviation 1, orthogonal.
  Buffer table(DataKind::table, 4);
  Random random(31);
  for (unsigned n = 0; n < 16; ++n) {
    const double a = n & 1 ? 1 : -1, b = n & 2 ? 1 : -1, c = n & 4 ? 1 : -1;
    const double row[] = {a, b, c, 0.5 * a + 0.2 * b + random.normal()};
    table.add_row(row);
  }
  const auto model = make("linear",
                          {{"prior", "spike-slab"},
                           {"noise", "0.9"},
                           {"inclusion", "0.3"},
                           {"precision", "0.4"},
                           {"intercept_precision", "0.1"}},
                          table.batch());
  PlainFit plain(*model, table.batch(), 1);
  fit(*model, plain, 3);
  const Design design = design_of(table.batch());
  const double variance = std::pow(0.9 / design.scale, 2);
  double evidence = 0;
  Eigen::Vector3d inclusion = Eigen::Vector3d::Zero(), mean = Eigen::Vector3d::Zero();
  for (unsigned which = 0; which < 8; ++which) {
    Eigen::Vector4d prior_variance(variance / 0.1, 0, 0, 0);
    double log_prior = 0;
    for (int j = 0; j < 3; ++j) {
      const bool is_in = which >> j & 1;
      prior_variance[j + 1] = is_in ? variance / 0.4 : 0;
      log_prior += std::log(is_in ? 0.3 : 0.7);
    }
    const Eigen::MatrixXd covariance = variance * Eigen::MatrixXd::Identity(16, 16) +
                                       design.x * prior_variance.asDiagonal() * design.x.transpose();
    const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
    const Eigen::VectorXd solved = factor.solve(design.y);
    const double weight =
        std::exp(log_prior - 8 * std::log(2 * std::numbers::pi) -
                 factor.matrixLLT().diagonal().array().log().sum() - 0.5 * design.y.dot(solved));
    evidence += weight;
    const Eigen::Vector4d given = prior_variance.asDiagonal() * design.x.transpose() * solved;
    for (int j = 0; j < 3; ++j) inclusion[j] += which >> j & 1 ? weight : 0;
    mean += weight * given.tail<3>();
  }
  EXPECT_NEAR(plain.elbo(), std::log(evidence) - 16 * std::log(design.scale), 1e-10 * std::abs(plain.elbo()));
  const std::vector<double> found = coefficients(*model, "inclusion"), means = coefficients(*model, "mean");
  for (int j = 0; j < 3; ++j) {
    EXPECT_NEAR(found[static_cast<std::size_t>(j) + 1], inclusion[j] / evidence, 1e-11);
    EXPECT_NEAR(means[static_cast<std::size_t>(j) + 1], design.scale * mean[j] / evidence, 1e-10);
  }
}

void expect_support(const std::string& kind, const Simulation& how, std::uint64_t seed) {
  const bool is_logistic = kind == "logistic";
  const Buffer table = simulate(how, is_logistic, seed);
  const auto model = make(kind, {{"prior", "spike-slab"}}, table.batch());
  PlainFit plain(*model, table.batch(), 1);
  fit(*model, plain, 100);
  const std::vector<double> inclusion = coefficients(*model, "inclusion");
  for (std::size_t j = 0; j < how.coefficients.size(); ++j) {
    EXPECT_EQ(inclusion[j + 1] > 0.5, how.coefficients[j] != 0)
        << kind << ", column " << j << ": " << inclusion[j + 1];
  }
  const double truth = static_cast<double>(
      std::count_if(how.coefficients.begin(), how.coefficients.end(), [](double x) { return x != 0; }));
  EXPECT_EQ(figure(*model, "coefficients kept"), truth);
}

TEST(RegressSpikeSlab, FindsTheSupport) {
  std::vector<double> sparse(40, 0.0);
  sparse[3] = 1.5;
  sparse[17] = -1.0;
  sparse[30] = 1.0;
  expect_support("linear", {.rows = 200, .coefficients = sparse, .correlation = 0.3}, 32);
  expect_support("logistic", {.rows = 1000, .coefficients = sparse, .correlation = 0.3}, 33);
  std::vector<double> wide(150, 0.0);
  wide[5] = 2;
  wide[77] = -2;
  expect_support("linear", {.rows = 80, .coefficients = wide, .correlation = 0.1}, 34);
}

TEST(RegressSpikeSlab, QuantilesKnowOfTheSpike) {
  std::vector<double> sparse(10, 0.0);
  sparse[2] = 2;
  const Buffer table = simulate({.rows = 300, .coefficients = sparse}, false, 35);
  const auto model = make("linear", {{"prior", "spike-slab"}, {"inclusion", "0.1"}}, table.batch());
  PlainFit plain(*model, table.batch(), 1);
  fit(*model, plain, 50);
  const std::vector<double> lower = coefficients(*model, "lower"), upper = coefficients(*model, "upper"),
                            mean = coefficients(*model, "mean"), sd = coefficients(*model, "sd");
  EXPECT_NEAR(lower[3], mean[3] - 1.96 * sd[3], 1e-3 * sd[3]);
  EXPECT_NEAR(upper[3], mean[3] + 1.96 * sd[3], 1e-3 * sd[3]);
  for (std::size_t j = 1; j < lower.size(); ++j) {
    EXPECT_LE(lower[j], upper[j]);
    EXPECT_EQ(lower[j] <= 0 && upper[j] >= 0, j != 3) << j;
  }
}

// ---- Logistic against quadrature.

double log_sigmoid(double z) { return -std::max(-z, 0.0) - std::log1p(std::exp(-std::abs(z))); }

TEST(RegressLogistic, OneCoefficientAgainstQuadrature) {
  Buffer table(DataKind::table, 1);
  for (int n = 0; n < 40; ++n) {
    const double row[] = {n < 28 ? 1.0 : 0.0};
    table.add_row(row);
  }
  const auto model = make("logistic", {{"prior", "gaussian"}, {"intercept_precision", "0.5"}}, table.batch());
  PlainFit plain(*model, table.batch(), 1);
  fit(*model, plain, 200);
  double evidence = 0, first = 0, second = 0;
  const double h = 1e-3;
  for (double w = -8; w <= 8; w += h) {
    const double weight = h * std::exp(28 * log_sigmoid(w) + 12 * log_sigmoid(-w) - 0.25 * w * w +
                                       0.5 * std::log(0.5 / (2 * std::numbers::pi)));
    evidence += weight;
    first += weight * w;
    second += weight * w * w;
  }
  const double mean = first / evidence, sd = std::sqrt(second / evidence - mean * mean);
  EXPECT_LT(plain.elbo(), std::log(evidence));
  EXPECT_NEAR(plain.elbo(), std::log(evidence), 0.06);
  EXPECT_NEAR(coefficients(*model, "mean")[0], mean, 0.05 * sd);
  // The bound is below, so its posterior is narrower.
  EXPECT_LT(coefficients(*model, "sd")[0], sd);
  EXPECT_NEAR(coefficients(*model, "sd")[0], sd, 0.1 * sd);
}

TEST(RegressLogistic, TwoCoefficientsAgainstQuadrature) {
  const Buffer table = simulate({.rows = 50, .coefficients = {1.2}}, true, 41);
  const auto model = make("logistic", {{"prior", "gaussian"}, {"intercept_precision", "1"}}, table.batch());
  PlainFit plain(*model, table.batch(), 1);
  fit(*model, plain, 300);
  const Design design = design_of(table.batch());
  double evidence = 0, slope = 0;
  const double h = 0.1;
  for (double a = -4; a <= 4; a += h) {
    for (double b = -4; b <= 4; b += h) {
      double value = -0.5 * (a * a + b * b) - std::log(2 * std::numbers::pi) + 2 * std::log(h);
      for (Eigen::Index n = 0; n < 50; ++n) {
        const double z = a + b * design.x(n, 1);
        value += log_sigmoid(design.y[n] > 0 ? z : -z);
      }
      evidence += std::exp(value);
      slope += b * std::exp(value);
    }
  }
  EXPECT_LT(plain.elbo(), std::log(evidence));
  EXPECT_NEAR(plain.elbo(), std::log(evidence), 0.3);
  const double scale = coefficients(*model, "sd")[1];
  const std::vector<double> state = model->state();  // centre, centre of y, scale, ...
  EXPECT_NEAR(coefficients(*model, "mean")[1], slope / evidence / state[2], 0.15 * scale);
}

TEST(RegressLogistic, ExpectedSigmoids) {
  for (const auto& [mean, variance, expected] : kExpectedSigmoids) {
    EXPECT_NEAR(regress::expected_sigmoid(mean, variance) / expected, 1, 1e-11) << mean << " " << variance;
  }
}

TEST(RegressLogistic, ProbabilitiesAreCalibrated) {
  const Buffer table = simulate({.rows = 3000, .coefficients = {1.0, -1.0}}, true, 42);
  const auto model = make("logistic", {}, table.batch());
  PlainFit plain(*model, table.batch(), 1);
  fit(*model, plain, 50);
  std::vector<double> cells;
  model->unit_lines(table.batch(), cells);
  double expected = 0, found = 0, log_density = 0;
  for (std::size_t n = 0; n < table.units(); ++n) {
    expected += cells[3 * n];
    found += table.batch().row(n)[2];
    log_density += cells[3 * n + 2];
    EXPECT_EQ(cells[3 * n + 1], cells[3 * n] > 0.5 ? 1 : 0);
  }
  EXPECT_NEAR(expected, found, 3);
  EXPECT_NEAR(model->score(table.batch()).log_density, log_density, 1e-8 * std::abs(log_density));
  EXPECT_GT(figure(*model, "accuracy"), 0.6);
}

// ---- What users should know.

TEST(RegressFindings, SeparationIsFound) {
  Buffer table(DataKind::table, 2);
  for (int n = 0; n < 30; ++n) {
    const double row[] = {static_cast<double>(n), n < 14 ? 0.0 : 1.0};
    table.add_row(row);
  }
  for (const std::string prior : {"gaussian", "ridge", "ard", "spike-slab"}) {
    const auto model = make("logistic", {{"prior", prior}}, table.batch());
    PlainFit plain(*model, table.batch(), 1);
    fit(*model, plain, 100);
    EXPECT_TRUE(std::isfinite(plain.elbo())) << prior;
    EXPECT_TRUE(has_finding(*model, plain.statistics, "separation")) << prior;
  }
  const Buffer mixed = simulate({.rows = 100, .coefficients = {1.0}}, true, 51);
  const auto model = make("logistic", {}, mixed.batch());
  PlainFit plain(*model, mixed.batch(), 1);
  fit(*model, plain, 20);
  EXPECT_TRUE(model->findings(plain.statistics).empty());
}

TEST(RegressFindings, ConstantCollinearAndTooManyColumns) {
  Random random(52);
  for (const std::string prior : {"gaussian", "ridge", "ard", "spike-slab"}) {
    Buffer table(DataKind::table, 5);
    for (int n = 0; n < 50; ++n) {
      const double a = random.normal(), b = random.normal();
      const double row[] = {a, 7.3, b, 2 * a - b + 1, a + 0.01 * random.normal()};
      table.add_row(row);
    }
    const auto model = make("linear", {{"prior", prior}}, table.batch());
    expect_bound_never_falls(*model, table.batch(), 1, 100);
    PlainFit plain(*model, table.batch(), 1);
    fit(*model, plain, 50);
    EXPECT_TRUE(has_finding(*model, plain.statistics, "constant-columns")) << prior;
    EXPECT_TRUE(has_finding(*model, plain.statistics, "collinear-columns")) << prior;
    EXPECT_TRUE(std::isfinite(plain.elbo()));
    const std::vector<ResultTable> tables = model->tables({});
    for (const double cell : tables[0].cells) EXPECT_TRUE(std::isfinite(cell)) << prior;
    EXPECT_NEAR(coefficients(*model, "mean")[2], 0, 1e-12);
  }
  std::vector<double> wide(30, 0.0);
  wide[1] = 1;
  const Buffer few = simulate({.rows = 20, .coefficients = wide}, false, 53);
  for (const std::string prior : {"gaussian", "ridge", "ard", "spike-slab"}) {
    const auto model = make("linear", {{"prior", prior}}, few.batch());
    expect_bound_never_falls(*model, few.batch(), 1, 50);
    PlainFit plain(*model, few.batch(), 1);
    fit(*model, plain, 50);
    EXPECT_TRUE(has_finding(*model, plain.statistics, "more-columns-than-rows")) << prior;
  }
}

TEST(RegressFindings, AFitWithoutResidualsHasNumbers) {
  Random random(55);
  Buffer table(DataKind::table, 3);
  for (int n = 0; n < 50; ++n) {
    const double a = random.normal(), row[] = {a, 2 * a, a};
    table.add_row(row);
  }
  for (const std::string prior : {"gaussian", "ridge", "ard", "spike-slab"}) {
    const auto model = make("linear", {{"prior", prior}}, table.batch());
    PlainFit plain(*model, table.batch(), 1);
    fit(*model, plain, 500);
    EXPECT_TRUE(std::isfinite(plain.elbo())) << prior;
    const std::vector<ResultTable> tables = model->tables({});
    for (const double cell : tables[0].cells) EXPECT_TRUE(std::isfinite(cell)) << prior;
    EXPECT_NEAR(coefficients(*model, "mean")[1] + 2 * coefficients(*model, "mean")[2], 1, 0.05) << prior;
  }
}

TEST(RegressFindings, ATargetThatIsConstant) {
  for (const std::string kind : {"linear", "logistic"}) {
    Buffer table(DataKind::table, 2);
    for (int n = 0; n < 20; ++n) {
      const double row[] = {static_cast<double>(n), 1.0};
      table.add_row(row);
    }
    const auto model = make(kind, {}, table.batch());
    PlainFit plain(*model, table.batch(), 1);
    fit(*model, plain, 20);
    EXPECT_TRUE(std::isfinite(plain.elbo())) << kind;
    EXPECT_TRUE(has_finding(*model, plain.statistics, "constant-target")) << kind;
  }
}

TEST(RegressErrors, SayWhatIsNeeded) {
  const Buffer table = simulate({.rows = 20, .coefficients = {1.0}}, false, 54);
  const auto message = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  };
  EXPECT_EQ(message([&] {
              make("linear", {{"prior", "ridge"}, {"precision", "2"}}, table.batch());
            }),
            "--precision has no effect with --prior ridge; gaussian or spike-slab reads it.");
  EXPECT_EQ(message([&] {
              make("linear", {{"prior", "ard"}, {"inclusion", "0.2"}}, table.batch());
            }),
            "--inclusion has no effect with --prior ard; spike-slab reads it.");
  EXPECT_NE(message([&] {
              const auto model = make("logistic", {}, table.batch());
              PlainFit plain(*model, table.batch(), 1);
            }).find("logistic regression needs 0 or 1"),
            std::string::npos);
  Buffer missing(DataKind::table, 2);
  const double good[] = {1.0, 2.0}, bad[] = {std::nan(""), 1.0};
  missing.add_row(good);
  missing.add_row(bad);
  EXPECT_EQ(message([&] {
              const auto model = make("linear", {}, missing.batch());
              PlainFit plain(*model, missing.batch(), 1);
            }),
            "row 2, column 'c0': a missing or infinite value; regression needs all cells.");
  Shape text = shape_of(2, 20);
  text.levels = {{}, {"a", "b", "c"}};
  const ModelRecord* record = find_model("regress", "logistic");
  EXPECT_EQ(message([&] { record->make(read_options(record->options, {}, record->kind), text); }),
            "the target 'y' has 3 different values; logistic regression needs two.");
}

}  // namespace
}  // namespace kullback::conjugate
