#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "conjugate/mixture/mixture.hpp"
#include "conjugate/record.hpp"
#include "math/gamma_functions.hpp"
#include "tests/conjugate/model_checks.hpp"

namespace kullback::conjugate {
namespace {

using Values = std::map<std::string, std::string>;

struct Data {
  std::size_t columns;
  std::vector<double> cells = {};
  std::vector<double> weights = {};

  std::size_t rows() const { return cells.size() / columns; }
  Shape shape() const { return {.columns = columns, .units = rows()}; }
  Batch batch() const { return {.units = rows(), .columns = columns, .values = cells, .weights = weights}; }
};

// Three clusters with correlated columns, far from 0.
Data clusters(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Random random(seed);
  Data data{.columns = columns};
  for (std::size_t n = 0; n < rows; ++n) {
    const double shift = random.normal();
    for (std::size_t d = 0; d < columns; ++d) {
      const double centre = 3.0 * static_cast<double>((n * (d + 1)) % 3);
      data.cells.push_back(10 + centre + 0.6 * shift +
                           (0.5 + 0.2 * static_cast<double>(n % 3)) * random.normal());
    }
  }
  return data;
}

void hide_cells(Data& data, double part, std::uint64_t seed) {
  Random random(seed);
  for (double& cell : data.cells) {
    if (random.uniform() < part) cell = std::numeric_limits<double>::quiet_NaN();
  }
}

std::unique_ptr<Model> make(const Data& data, Values values) {
  const ModelRecord* record = find_model("mixture", "gaussian");
  return record->make(read_options(record->options, values, record->kind), data.shape());
}

std::vector<Values> all_kinds(const std::string& components) {
  std::vector<Values> kinds;
  for (const char* covariance : {"full", "tied", "diagonal", "spherical"}) {
    for (const char* weights : {"dirichlet", "dp"}) {
      kinds.push_back({{"covariance", covariance}, {"weights", weights}, {"components", components}});
    }
  }
  return kinds;
}

std::string describe(const Values& values) {
  std::string text;
  for (const auto& [name, value] : values) text += "--" + name + " " + value + " ";
  return text;
}

TEST(GaussianMixture, BoundNeverFalls) {
  for (const std::size_t columns : {1u, 3u, 6u}) {
    const Data data = clusters(150, columns, 1);
    for (Values& values : all_kinds("4")) {
      for (const char* start : {"kmeans", "random"}) {
        values["start"] = start;
        SCOPED_TRACE(describe(values) + std::to_string(columns));
        const auto model = make(data, values);
        expect_bound_never_falls(*model, data.batch(), 3, 12);
      }
    }
  }
}

TEST(GaussianMixture, BoundNeverFallsWithMissingCellsAndWeights) {
  Data data = clusters(120, 4, 2);
  hide_cells(data, 0.2, 5);
  for (std::size_t n = 0; n < data.rows(); ++n)
    data.weights.push_back(0.5 + 0.25 * static_cast<double>(n % 5));
  for (const Values& values : all_kinds("3")) {
    SCOPED_TRACE(describe(values));
    const auto model = make(data, values);
    expect_bound_never_falls(*model, data.batch(), 3, 12);
  }
}

TEST(GaussianMixture, NaturalGradientIsTheGradientInMeanParameters) {
  Data data = clusters(60, 3, 3);
  for (const bool has_missing : {false, true}) {
    if (has_missing) hide_cells(data, 0.15, 6);
    for (const Values& values : all_kinds("3")) {
      SCOPED_TRACE(describe(values) + (has_missing ? "with missing cells" : ""));
      const auto model = make(data, values);
      expect_natural_gradient(*model, data.batch(), 4, 2);
    }
  }
}

TEST(GaussianMixture, StateGivesTheSameModel) {
  const Data data = clusters(90, 3, 4);
  for (const Values& values : all_kinds("3")) {
    const auto model = make(data, values);
    PlainFit fit(*model, data.batch(), 1);
    ExactMover mover;
    for (std::size_t block = 0; block < model->blocks(); ++block) fit.global_step(block, mover);
    const auto other = make(data, values);
    expect_same_after_state(*model, *other, data.batch());
  }
}

// Log evidence of one normal-Wishart component (Murphy 2007, eq. 266).
double normal_wishart_evidence(const Data& data, double nu, double beta, double variance) {
  const std::size_t size = data.columns;
  const double rows = static_cast<double>(data.rows());
  std::vector<double> mean(size, 0.0);
  for (std::size_t i = 0; i < data.cells.size(); ++i) mean[i % size] += data.cells[i] / rows;
  std::vector<double> scale(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    scale[i * size + i] = variance;
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t n = 0; n < data.rows(); ++n) {
        scale[i * size + j] += (data.cells[n * size + i] - mean[i]) * (data.cells[n * size + j] - mean[j]);
      }
      scale[i * size + j] += beta * rows / (beta + rows) * (mean[i] - 1) * (mean[j] - 1);  // prior mean 1
    }
  }
  double log_det = 0;  // by elimination
  for (std::size_t i = 0; i < size; ++i) {
    log_det += std::log(scale[i * size + i]);
    for (std::size_t r = i + 1; r < size; ++r) {
      const double factor = scale[r * size + i] / scale[i * size + i];
      for (std::size_t c = i; c < size; ++c) scale[r * size + c] -= factor * scale[i * size + c];
    }
  }
  const double dimension = static_cast<double>(size);
  const int whole = static_cast<int>(size);
  return -0.5 * rows * dimension * std::log(std::numbers::pi) +
         math::log_multivariate_gamma(whole, 0.5 * (nu + rows)) -
         math::log_multivariate_gamma(whole, 0.5 * nu) + 0.5 * nu * dimension * std::log(variance) -
         0.5 * (nu + rows) * log_det + 0.5 * dimension * std::log(beta / (beta + rows));
}

// The same with a precision of its own for each column, or one for all of them.
double normal_gamma_evidence(const Data& data, double a, double b, double beta, bool is_shared) {
  const double rows = static_cast<double>(data.rows());
  double sum = 0, scatter_of_all = b;
  const double cells = is_shared ? static_cast<double>(data.cells.size()) : rows;
  for (std::size_t d = 0; d < data.columns; ++d) {
    double mean = 0, scatter = 0;
    for (std::size_t n = 0; n < data.rows(); ++n) mean += data.cells[n * data.columns + d] / rows;
    for (std::size_t n = 0; n < data.rows(); ++n)
      scatter += std::pow(data.cells[n * data.columns + d] - mean, 2);
    scatter += beta * rows / (beta + rows) * (mean - 1) * (mean - 1);
    sum += 0.5 * std::log(beta / (beta + rows)) - 0.5 * rows * std::log(std::numbers::pi);
    scatter_of_all += scatter;
    if (is_shared && d + 1 < data.columns) continue;
    const double after = is_shared ? scatter_of_all : b + scatter;
    sum += math::log_gamma(0.5 * (a + cells)) - math::log_gamma(0.5 * a) + 0.5 * a * std::log(b) -
           0.5 * (a + cells) * std::log(after);
  }
  return sum;
}

TEST(GaussianMixture, BoundOfOneComponentIsTheLogEvidence) {
  const Data data = clusters(40, 3, 5);
  const double nu = 4.5, beta = 0.7, variance = 2.25;
  const std::map<std::string, double> expected = {
      {"full", normal_wishart_evidence(data, nu, beta, variance)},
      {"tied", normal_wishart_evidence(data, nu, beta, variance)},
      {"diagonal", normal_gamma_evidence(data, nu, variance, beta, false)},
      {"spherical", normal_gamma_evidence(data, 3 * nu, 3 * variance, beta, true)}};
  for (const auto& [covariance, evidence] : expected) {
    const auto model = make(data, {{"components", "1"},
                                   {"covariance", covariance},
                                   {"degrees", "4.5"},
                                   {"mean_precision", "0.7"},
                                   {"mean", "1"},
                                   {"covariance_prior", "2.25"}});
    PlainFit fit(*model, data.batch(), 1);
    EXPECT_NEAR(fit.elbo(), evidence, 1e-10 * std::abs(evidence)) << covariance;
  }
}

TEST(GaussianMixture, AWeightIsACopy) {
  for (const bool has_missing : {false, true}) {
    Data once = clusters(60, 3, 6);
    if (has_missing) hide_cells(once, 0.2, 7);
    Data weighted = once, copied = once;
    for (std::size_t n = 0; n < once.rows(); ++n) {
      weighted.weights.push_back(n % 2 == 0 ? 2 : 1);
      if (n % 2 == 0) {
        for (std::size_t d = 0; d < 3; ++d) copied.cells.push_back(once.cells[n * 3 + d]);
      }
    }
    for (const Values& values : all_kinds("3")) {
      SCOPED_TRACE(describe(values));
      const auto model = make(once, values);
      PlainFit fit(*model, once.batch(), 1);
      Statistics a, b;
      a.values.assign(model->statistics_size(), 0.0);
      b.values.assign(model->statistics_size(), 0.0);
      model->local_step(weighted.batch(), {}, a);
      model->local_step(copied.batch(), {}, b);
      EXPECT_DOUBLE_EQ(a.units, b.units);
      EXPECT_NEAR(a.local, b.local, 1e-10 * (1 + std::abs(b.local)));
      for (std::size_t i = 0; i < a.values.size(); ++i) {
        EXPECT_NEAR(a.values[i], b.values[i], 1e-9 * (1 + std::abs(b.values[i])));
      }
    }
  }
}

// Blocks of 12 units, chunks of hundreds: no unit is lost or counted twice at their borders.
TEST(GaussianMixture, StatisticsDoNotDependOnHowUnitsAreDivided) {
  const Data data = clusters(2500, 5, 12);
  for (const Values& values : all_kinds("3")) {
    SCOPED_TRACE(describe(values));
    const auto model = make(data, values);
    PlainFit fit(*model, data.batch(), 1);
    Statistics parts;
    parts.values.assign(model->statistics_size(), 0.0);
    for (std::size_t begin = 0; begin < data.rows(); begin += 7) {
      model->local_step(data.batch().part(begin, std::min(begin + 7, data.rows())), {}, parts);
    }
    EXPECT_EQ(parts.units, 2500);
    EXPECT_NEAR(parts.local, fit.statistics.local, 1e-9 * (1 + std::abs(parts.local)));
    for (std::size_t i = 0; i < parts.values.size(); ++i) {
      const double value = fit.statistics.values[i];
      EXPECT_NEAR(parts.values[i], value, 1e-9 * (1 + std::abs(value)));
    }
  }
}

double density_at(const Model& model, double x) {
  const double cell[] = {x};
  return std::exp(model.score({.units = 1, .columns = 1, .values = cell}).log_density);
}

// x = 10 + 3 sinh(t) reaches the tails of Student's t; the trapezium rule is accurate to rounding there.
TEST(GaussianMixture, PredictiveDensityIntegratesToOne) {
  const Data data = clusters(50, 1, 8);
  for (const Values& values : all_kinds("3")) {
    const auto model = make(data, values);
    PlainFit fit(*model, data.batch(), 1);
    double integral = 0;
    const double step = 0.01;
    for (double t = -25; t < 25; t += step) {
      integral += density_at(*model, 10 + 3 * std::sinh(t)) * 3 * std::cosh(t) * step;
    }
    EXPECT_NEAR(integral, 1, 1e-6) << describe(values);
  }
}

// The density of the observed cells is the integral of that of all cells over the missing one.
TEST(GaussianMixture, MissingCellsAreMarginalisedInTheScore) {
  const Data data = clusters(50, 2, 9);
  const double hidden[] = {11.0, std::numeric_limits<double>::quiet_NaN()};
  for (const Values& values : all_kinds("3")) {
    const auto model = make(data, values);
    PlainFit fit(*model, data.batch(), 1);
    double integral = 0;
    const double step = 0.01;
    for (double t = -12; t < 12; t += step) {
      const double both[] = {11.0, 10 + 3 * std::sinh(t)};
      integral += std::exp(model->score({.units = 1, .columns = 2, .values = both}).log_density) * 3 *
                  std::cosh(t) * step;
    }
    const double found = std::exp(model->score({.units = 1, .columns = 2, .values = hidden}).log_density);
    EXPECT_NEAR(found, integral, 1e-6 * integral) << describe(values);
  }
}

bool has_code(const Findings& findings, const std::string& code) {
  for (const Finding& finding : findings) {
    if (finding.code == code) return true;
  }
  return false;
}

void run(PlainFit& fit, Model& model, int passes) {
  ExactMover mover;
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t block = 0; block < model.blocks(); ++block) fit.global_step(block, mover);
    fit.local_step();
  }
}

TEST(GaussianMixture, EmptyComponentsAreFoundAndHarmless) {
  Data data{.columns = 2};
  for (int n = 0; n < 40; ++n) {  // two distinct rows only
    data.cells.push_back(n % 2);
    data.cells.push_back(-3.0 * (n % 2));
  }
  for (Values& values : all_kinds("6")) {
    SCOPED_TRACE(describe(values));
    const auto model = make(data, values);
    PlainFit fit(*model, data.batch(), 1);
    run(fit, *model, 30);
    EXPECT_TRUE(std::isfinite(fit.elbo()));
    std::vector<double> cells;
    model->unit_lines(data.batch(), cells);
    for (const double cell : cells) EXPECT_TRUE(std::isfinite(cell));
    if (values.at("weights") == "dirichlet") {
      EXPECT_TRUE(has_code(model->findings(fit.statistics), "empty-components"));
    }
    if (values.at("covariance") == "full") {
      EXPECT_TRUE(has_code(model->findings(fit.statistics), "collinear-columns"));
    }
  }
}

TEST(GaussianMixture, ATruncationThatIsReachedIsFound) {
  const Data data = clusters(300, 2, 11);
  const auto model = make(data, {{"components", "2"}, {"weights", "dp"}});
  PlainFit fit(*model, data.batch(), 1);
  run(fit, *model, 20);
  EXPECT_TRUE(has_code(model->findings(fit.statistics), "truncation"));
  const auto wide = make(data, {{"components", "12"}, {"weights", "dp"}});
  PlainFit other(*wide, data.batch(), 1);
  run(other, *wide, 200);
  EXPECT_FALSE(has_code(wide->findings(other.statistics), "truncation"));
}

TEST(GaussianMixture, BadDataAreRefusedAndConstantColumnsReported) {
  Random random(1);
  const Data few = clusters(3, 2, 1);
  EXPECT_THROW(make(few, {{"components", "4"}})->begin(few.batch(), random), Error);
  const Data same{.columns = 2, .cells = {1, 2, 1, 2, 1, 2}};
  EXPECT_THROW(make(same, {{"components", "2"}})->begin(same.batch(), random), Error);
  EXPECT_THROW(make(few, {{"degrees", "0.5"}}), Error);
  EXPECT_THROW(make(few, {{"mean", "1,2,3"}}), Error);
  EXPECT_THROW(make(few, {{"mean", "1,b"}}), Error);
  EXPECT_THROW(make(few, {{"covariance_prior", "-1"}}), Error);

  Data constant = clusters(60, 3, 2);
  for (std::size_t n = 0; n < constant.rows(); ++n) constant.cells[3 * n + 1] = 7;
  for (const Values& values : all_kinds("3")) {
    SCOPED_TRACE(describe(values));
    const auto model = make(constant, values);
    PlainFit fit(*model, constant.batch(), 1);
    run(fit, *model, 10);
    EXPECT_TRUE(std::isfinite(fit.elbo()));
    EXPECT_TRUE(has_code(model->findings(fit.statistics), "constant-columns"));
  }
}

TEST(GaussianMixture, TwoComponentsAreFound) {
  Random random(20);
  Data data{.columns = 1};
  for (int n = 0; n < 200; ++n) data.cells.push_back((n < 100 ? -5 : 5) + 2 * random.normal());
  const auto model = make(data, {{"components", "2"}});
  PlainFit fit(*model, data.batch(), 1);
  run(fit, *model, 50);
  const ResultTable table = model->tables(data.shape()).front();
  ASSERT_EQ(table.columns.size(), 4u);
  const double means[] = {table.cells[3], table.cells[7]};
  EXPECT_NEAR(std::min(means[0], means[1]), -5, 0.6);
  EXPECT_NEAR(std::max(means[0], means[1]), 5, 0.6);
  EXPECT_NEAR(table.cells[0], 0.5, 0.05);
}

}  // namespace
}  // namespace kullback::conjugate
