// The engine that tests every distribution. A family brings rows of reference values (data/*.inc, computed
// with 50 digits); the rest is derived from its record.
#include "math/distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/sinh_sinh.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "math/instruction_set.hpp"

namespace kullback::math {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;

struct Row {
  const char* family;
  const char* function;  // lpdf, lpmf, lcdf, lccdf
  double arguments[8];
  double value;
  double partials[8];
};

constexpr Row kRows[] = {
#include "tests/math/data/continuous.inc"
#if __has_include("tests/math/data/discrete.inc")
#include "tests/math/data/discrete.inc"
#endif
};

struct Tolerance {
  const char* family;
  const char* function;
  double value = 1e-13;     // relative
  double partials = 1e-13;  // relative
  double absolute = 0;      // of partials
};

// Where no line says otherwise, 1e-13.
constexpr Tolerance kTolerances[] = {
    // logarithms of gamma functions of large shapes cancel with the rest
    {"gamma", "lpdf", 5e-12},
    {"scaled_inv_chi_square", "lpdf", 5e-12},
    {"beta", "lpdf", 5e-13},
    // for large nu the derivative in nu is nearly zero, the difference of terms of order 1/nu
    {"student_t", "lpdf", 1e-13, 1e-13, 1e-21},
    {"student_t", "lcdf", 1e-13, 1e-13, 1e-15},
    {"student_t", "lccdf", 1e-13, 1e-13, 1e-15},
    // for large lambda sigma, so is that in lambda
    {"exp_mod_normal", "lpdf", 1e-13, 5e-13},
    // for large phi, so is that in phi
    {"neg_binomial_2", "lpmf", 1e-13, 5e-13, 1e-22},
    {"neg_binomial_2", "lcdf", 1e-13, 5e-13, 1e-22},
    {"neg_binomial_2", "lccdf", 1e-13, 5e-13, 1e-22},
    {"neg_binomial_2_log", "lpmf", 1e-13, 5e-13, 1e-22},
    // sums of many terms, or differences of digamma functions of large arguments
    {"binomial", "lccdf", 5e-13, 5e-13},
    {"beta_binomial", "lpmf", 1e-13, 5e-13},
    {"beta_neg_binomial", "lcdf", 5e-13, 5e-13},
    {"beta_neg_binomial", "lccdf", 5e-13, 5e-13},
    // the exponential of a logarithm of some hundreds
    {"skew_normal", "lccdf", 1e-12, 1e-12},
};

Tolerance tolerance_of(const Row& row) {
  for (const Tolerance& tolerance : kTolerances)
    if (row.family == std::string_view(tolerance.family) &&
        row.function == std::string_view(tolerance.function))
      return tolerance;
  return {row.family, row.function};
}

const Density& function_of(const Distribution& distribution, std::string_view name) {
  if (name == "lcdf") return distribution.log_cdf;
  if (name == "lccdf") return distribution.log_ccdf;
  return distribution.log_density;
}

bool is_integer(Domain domain) {
  return domain == Domain::integer || domain == Domain::nonnegative_integer ||
         domain == Domain::positive_integer;
}

std::string text(const Row& row) {
  const Distribution* distribution = find_distribution(row.family);
  std::string result = std::string(row.family) + "_" + row.function + "(";
  for (std::size_t j = 0; j < distribution->arguments.size(); ++j)
    result += (j == 0 ? "" : j == 1 ? " | " : ", ") + std::to_string(row.arguments[j]);
  return result + ")";
}

::testing::AssertionResult near(double actual, double expected, double tolerance, double absolute = 1e-307) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected)))
    return ::testing::AssertionSuccess();
  if (std::abs(actual - expected) <= tolerance * std::abs(expected) + absolute)
    return ::testing::AssertionSuccess();
  char message[128];
  std::snprintf(message, sizeof message, "%.17g is not %.17g, relative error %.2g", actual, expected,
                std::abs(actual - expected) / std::abs(expected));
  return ::testing::AssertionFailure() << message;
}

std::vector<const Row*> rows_of(const Distribution& distribution, std::string_view function) {
  std::vector<const Row*> result;
  for (const Row& row : kRows) {
    const bool is_density = std::string_view(row.function).starts_with("lp");
    if (row.family == distribution.name &&
        (row.function == function || (is_density && function == "density")))
      result.push_back(&row);
  }
  return result;
}

double value_at(const Density& function, const double* x, Terms terms = {}) {
  return function.value(x, terms, nullptr);
}

TEST(Distribution, EachFamilyHasRowsOfEachFunction) {
  for (const Distribution* distribution : all_distributions()) {
    EXPECT_EQ(find_distribution(distribution->name), distribution);
    EXPECT_GE(rows_of(*distribution, "density").size(), 5U) << distribution->name;
    if (distribution->log_cdf.value != nullptr) {
      EXPECT_GE(rows_of(*distribution, "lcdf").size(), 5U) << distribution->name;
    }
    if (distribution->log_ccdf.value != nullptr) {
      EXPECT_GE(rows_of(*distribution, "lccdf").size(), 5U) << distribution->name;
    }
  }
  EXPECT_EQ(find_distribution("no_such_family"), nullptr);
}

TEST(Distribution, MatchesReferences) {
  for (const Row& row : kRows) {
    const Distribution* distribution = find_distribution(row.family);
    ASSERT_NE(distribution, nullptr) << row.family;
    const Tolerance tolerance = tolerance_of(row);
    const Density& function = function_of(*distribution, row.function);
    ASSERT_NE(function.value, nullptr) << text(row);
    double d[8];
    EXPECT_TRUE(near(function.value(row.arguments, Terms{}, d), row.value, tolerance.value)) << text(row);
    EXPECT_TRUE(near(value_at(function, row.arguments), row.value, tolerance.value)) << text(row);
    for (std::size_t j = 0; j < distribution->arguments.size(); ++j) {
      if (is_integer(distribution->arguments[j].domain)) continue;
      EXPECT_TRUE(near(d[j], row.partials[j], tolerance.partials, 1e-307 + tolerance.absolute))
          << text(row) << ", partial " << j;
    }
  }
}

TEST(Distribution, PartialsAreFiniteDifferences) {
  for (const Row& row : kRows) {
    const Distribution* distribution = find_distribution(row.family);
    const Density& function = function_of(*distribution, row.function);
    double d[8];
    const double value = function.value(row.arguments, Terms{}, d);
    for (std::size_t j = 0; j < distribution->arguments.size() && std::isfinite(value); ++j) {
      if (is_integer(distribution->arguments[j].domain)) continue;
      double x[8];
      std::copy(row.arguments, row.arguments + 8, x);
      // Fourth order. The step is small against the argument, its distance from the others (which may bound
      // the support), and the distance over which the value changes much.
      double step = x[j] != 0 ? 1e-4 * std::abs(x[j]) : 1e-6;
      for (std::size_t k = 0; k < distribution->arguments.size(); ++k)
        if (x[k] != x[j]) step = std::min(step, 1e-2 * std::abs(x[k] - x[j]));
      const bool is_tail = std::string_view(row.function).ends_with("cdf") && std::abs(value) < 1e-8;
      if (d[j] != 0) step = std::min(step, 1e-4 * std::abs((is_tail ? value : 1.0) / d[j]) + 1e-7 * step);
      const auto at = [&](double shift) {
        x[j] = row.arguments[j] + shift;
        return value_at(function, x);
      };
      const double slope = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
      const double rounding = 1e-15 * std::abs(value) / step;
      EXPECT_TRUE(near(d[j], slope, 1e-6, 20 * rounding + 1e-180)) << text(row) << ", partial " << j;
    }
  }
}

// ---- Batches ----

// Arguments of one batched call, each of some kind, with values from rows of the family.
struct Batch {
  std::size_t count, lanes;
  std::vector<std::vector<double>> values, adjoints, partials;
  std::vector<std::vector<std::uint32_t>> indices;
  std::vector<Operand> operands;
  std::vector<double*> partial_pointers;
  Terms terms;

  double at(std::size_t j, std::size_t i, std::size_t lane) const {
    const Operand& operand = operands[j];
    return operand.value[operand.adjoint != nullptr ? operand.at(i) * lanes + lane : operand.at(i)];
  }
};

// Kinds: 0 broadcast, 1 contiguous, 2 gathered, 3 with a step of two; varying or not.
Batch make_batch(const Distribution& distribution, const std::vector<const Row*>& rows, std::size_t count,
                 std::size_t lanes, std::mt19937& generator) {
  Batch batch{.count = count,
              .lanes = lanes,
              .values = {},
              .adjoints = {},
              .partials = {},
              .indices = {},
              .operands = {},
              .partial_pointers = {},
              .terms = {}};
  const std::size_t arity = distribution.arguments.size();
  batch.values.resize(arity);
  batch.adjoints.resize(arity);
  batch.partials.resize(arity);
  batch.indices.resize(arity);
  batch.operands.resize(arity);
  batch.partial_pointers.resize(arity);
  batch.terms.varying = 0;
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(generator);
  };
  const bool is_mixed = below(3) != 0;
  const Row* same = rows[below(rows.size())];
  for (std::size_t j = 0; j < arity; ++j) {
    const std::size_t kind = j == 0 && below(4) != 0 ? 1 : below(4);
    const bool varies = below(2) == 0 && !is_integer(distribution.arguments[j].domain);
    const std::size_t slots = kind == 0 ? 1 : 2 * count;
    batch.values[j].resize(slots * (varies ? lanes : 1));
    for (double& x : batch.values[j]) x = (is_mixed ? rows[below(rows.size())] : same)->arguments[j];
    Operand& operand = batch.operands[j];
    operand.value = batch.values[j].data();
    operand.step = kind == 1 ? 1 : kind == 3 ? 2 : 0;
    if (kind == 2) {
      for (std::size_t i = 0; i < count; ++i)
        batch.indices[j].push_back(static_cast<std::uint32_t>(below(slots)));
      operand.index = batch.indices[j].data();
    }
    if (varies) {
      batch.terms.varying |= 1U << j;
      batch.adjoints[j].resize(batch.values[j].size());
      operand.adjoint = batch.adjoints[j].data();
      batch.partials[j].assign((kind == 0 ? 1 : count) * lanes, kNaN);
      batch.partial_pointers[j] = batch.partials[j].data();
    }
  }
  batch.terms.normalized = below(2) == 0 || batch.terms.varying == 0;
  return batch;
}

void check_batch(const Distribution& distribution, const Density& function, const Batch& batch,
                 bool with_partials) {
  const std::size_t arity = distribution.arguments.size();
  std::vector<double> result(batch.lanes, 0.25);
  function.batch({.count = batch.count,
                  .lanes = batch.lanes,
                  .terms = batch.terms,
                  .arguments = batch.operands.data(),
                  .result = result.data(),
                  .partials = with_partials ? batch.partial_pointers.data() : nullptr});
  for (std::size_t lane = 0; lane < batch.lanes; ++lane) {
    double sum = 0.25, size = 0.25;
    double partial_sums[8] = {}, partial_sizes[8] = {};
    std::vector<double> partials(batch.count * arity);
    for (std::size_t i = 0; i < batch.count; ++i) {
      double x[8], d[8] = {};
      for (std::size_t j = 0; j < arity; ++j) x[j] = batch.at(j, i, lane);
      const double value = function.value(x, batch.terms, d);
      sum += value;
      size += std::abs(value);
      for (std::size_t j = 0; j < arity; ++j) {
        partials[i * arity + j] = std::isfinite(value) ? d[j] : kNaN;
        partial_sums[j] += d[j];
        partial_sizes[j] += std::abs(d[j]);
      }
    }
    EXPECT_TRUE(near(result[lane], sum, 0, 1e-13 * size)) << distribution.name << " lane " << lane;
    for (std::size_t j = 0; j < arity && with_partials; ++j) {
      if (batch.partial_pointers[j] == nullptr) continue;
      const std::string where =
          std::string(distribution.name) + " partial " + std::to_string(j) + " lane " + std::to_string(lane);
      const double absolute = 1e-13 * partial_sizes[j] + 1e-15;
      if (batch.operands[j].is_broadcast()) {
        const double actual = std::isfinite(sum) ? batch.partials[j][lane] : partial_sums[j];
        EXPECT_TRUE(near(actual, partial_sums[j], 0, absolute)) << where;
        continue;
      }
      for (std::size_t i = 0; i < batch.count; ++i) {
        const double expected = partials[i * arity + j];
        if (std::isnan(expected)) continue;
        const double actual = batch.partials[j][i * batch.lanes + lane];
        EXPECT_TRUE(near(actual, expected, 1e-12, absolute)) << where << " element " << i;
      }
    }
  }
}

class Batches : public ::testing::TestWithParam<InstructionSet> {
 protected:
  void SetUp() override {
    if (!fix_instruction_set(GetParam())) GTEST_SKIP() << "not on this machine";
  }
  void TearDown() override {
    for (const auto set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512})
      fix_instruction_set(set);
  }
};

TEST_P(Batches, AreSumsOfScalarCalls) {
  std::mt19937 generator(20);
  for (const Distribution* distribution : all_distributions()) {
    for (const char* name : {"density", "lcdf", "lccdf"}) {
      const Density& function = function_of(*distribution, name);
      if (function.batch == nullptr) continue;
      const std::vector<const Row*> rows = rows_of(*distribution, name);
      if (rows.empty()) continue;
      const bool is_density = name == std::string_view("density");
      for (const std::size_t lanes : {1U, 3U, 8U}) {
        for (const std::size_t count : {1U, 2U, 7U, is_density ? 300U : 9U}) {
          for (int repeat = 0; repeat < (is_density ? 6 : 2); ++repeat) {
            const Batch batch = make_batch(*distribution, rows, count, lanes, generator);
            check_batch(*distribution, function, batch, repeat % 3 != 2);
          }
        }
      }
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Batches,
                         ::testing::Values(InstructionSet::baseline, InstructionSet::avx2,
                                           InstructionSet::avx512));

// ---- Properties ----

TEST(Distribution, DroppedTermsDoNotDependOnWhatVaries) {
  for (const Distribution* distribution : all_distributions()) {
    const std::vector<const Row*> rows = rows_of(*distribution, "density");
    const unsigned all = (1U << distribution->arguments.size()) - 1U;
    unsigned integers = 0;  // which cannot vary
    for (std::size_t j = 0; j < distribution->arguments.size(); ++j)
      if (is_integer(distribution->arguments[j].domain)) integers |= 1U << j;
    for (unsigned varying = 1; varying <= all; ++varying) {
      if ((varying & integers) != 0) continue;
      for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
        double x[8], dropped[2], size = 1;
        std::copy(rows[k]->arguments, rows[k]->arguments + 8, x);
        for (double& result : dropped) {
          const double full = value_at(distribution->log_density, x, Terms{true, varying});
          const double part = value_at(distribution->log_density, x, Terms{false, varying});
          result = full - part;
          size = std::max({size, std::abs(full), std::abs(part)});
          for (std::size_t j = 0; j < distribution->arguments.size(); ++j)
            if ((varying >> j & 1U) != 0) x[j] = rows[k + 1]->arguments[j];
        }
        if (!std::isfinite(dropped[0] + dropped[1])) continue;
        EXPECT_NEAR(dropped[0], dropped[1], 1e-12 * size) << text(*rows[k]) << ", varying " << varying;
      }
    }
  }
}

struct Support {
  double low, high;
};
Support support_of(const Distribution& distribution, const double* x) {
  if (distribution.name == "uniform") return {x[1], x[2]};
  if (distribution.name == "pareto" || distribution.name == "pareto_type_2") return {x[1], kInf};
  if (distribution.name == "von_mises") return {x[1] - kPi, x[1] + kPi};
  if (distribution.name == "wiener") return {x[2], kInf};
  const double below =
      distribution.cdf_variate == Domain::any || distribution.cdf_variate == Domain::finite ? -kInf : 0.0;
  return {below, distribution.arguments[0].domain == Domain::probability ? 1.0 : kInf};
}

TEST(Distribution, DensitiesIntegrateToOne) {
  for (const Distribution* distribution : all_distributions()) {
    if (distribution->discrete || distribution->name == "wiener") continue;
    int done = 0;
    for (const Row* row : rows_of(*distribution, "density")) {
      if (++done > 3) break;
      double x[8];
      std::copy(row->arguments, row->arguments + 8, x);
      const Support support = support_of(*distribution, x);
      // a kink, or the variate of the row
      const bool has_kink = distribution->name.ends_with("double_exponential");
      const double middle = row->arguments[has_kink ? 1 : 0];
      const auto density = [&](double y) {
        x[0] = y;
        const double value = value_at(distribution->log_density, x);
        return std::isnan(value) ? 0.0 : std::exp(value);  // a bound that Stan does not admit
      };
      double sum = 0;
      boost::math::quadrature::exp_sinh<double> half_line;
      boost::math::quadrature::tanh_sinh<double> interval;
      const auto left = [&](double t) { return density(middle - t); };
      const auto right = [&](double t) { return density(middle + t); };
      sum += std::isinf(support.low) ? half_line.integrate(left, 0.0, kInf, 1e-10)
                                     : interval.integrate(density, support.low, middle, 1e-10);
      sum += std::isinf(support.high) ? half_line.integrate(right, 0.0, kInf, 1e-10)
                                      : interval.integrate(density, middle, support.high, 1e-10);
      EXPECT_NEAR(sum, 1.0, 1e-7) << text(*row);
    }
  }
}

TEST(Distribution, DerivativeOfCdfIsDensity) {
  for (const Row& row : kRows) {
    const Distribution* distribution = find_distribution(row.family);
    const std::string_view name = row.function;
    if (distribution->discrete || (name != "lcdf" && name != "lccdf")) continue;
    double d[8];
    const double value = function_of(*distribution, name).value(row.arguments, Terms{}, d);
    const double log_density = value_at(distribution->log_density, row.arguments);
    const double slope = name == "lcdf" ? d[0] : -d[0];
    if (std::abs(slope) < 1e-300 || !std::isfinite(value)) continue;
    EXPECT_NEAR(std::log(slope) + value, log_density, 1e-11 * std::max(1.0, std::abs(log_density)))
        << text(row);
  }
}

TEST(Distribution, TailsAreComplements) {
  for (const Distribution* distribution : all_distributions()) {
    if (distribution->log_cdf.value == nullptr || distribution->log_ccdf.value == nullptr) continue;
    for (const Row* row : rows_of(*distribution, "lcdf")) {
      const double lower = std::exp(value_at(distribution->log_cdf, row->arguments));
      const double upper = std::exp(value_at(distribution->log_ccdf, row->arguments));
      EXPECT_NEAR(lower + upper, 1.0, 2e-14) << text(*row);
    }
  }
}

// ---- Domains ----

double outside(Domain domain) {
  switch (domain) {
    case Domain::any: return kNaN;
    case Domain::finite: return kInf;
    case Domain::positive: return 0;
    case Domain::positive_finite: return kInf;
    case Domain::nonnegative: return -0.5;
    case Domain::nonnegative_finite: return kInf;
    case Domain::probability: return 1.5;
    case Domain::open_probability: return 1;
    case Domain::integer: return 0.5;
    case Domain::nonnegative_integer: return -1;
    case Domain::positive_integer: return 0;
    case Domain::correlation: return -1.5;
  }
  return kNaN;
}

TEST(Distribution, BadArgumentsAreNamedAndMakeNaN) {
  for (const Distribution* distribution : all_distributions()) {
    const std::size_t arity = distribution->arguments.size();
    for (const char* name : {"density", "lcdf", "lccdf"}) {
      const Density& function = function_of(*distribution, name);
      const std::vector<const Row*> rows = rows_of(*distribution, name);
      if (function.value == nullptr || rows.empty()) continue;
      const std::string suffix = name != std::string_view("density") ? name
                                 : distribution->discrete            ? "lpmf"
                                                                     : "lpdf";
      EXPECT_EQ(describe_bad_argument(*distribution, suffix, rows[0]->arguments), "");
      for (std::size_t j = 0; j < arity; ++j) {
        const ArgumentDef& argument = distribution->arguments[j];
        const Domain domain = j == 0 && suffix.ends_with("cdf") ? distribution->cdf_variate : argument.domain;
        for (const double bad : {outside(domain), kNaN}) {
          double x[8];
          std::copy(rows[0]->arguments, rows[0]->arguments + 8, x);
          x[j] = bad;
          EXPECT_FALSE(contains(domain, bad));
          EXPECT_TRUE(std::isnan(value_at(function, x)))
              << distribution->name << " " << suffix << " argument " << j;
          const std::string message = describe_bad_argument(*distribution, suffix, x);
          const std::string start =
              std::string(distribution->name) + "_" + suffix + ": " + std::string(argument.name) + " is ";
          EXPECT_TRUE(message.starts_with(start)) << message;
          // in a batch of three, broadcast or contiguous, along lanes or elements: only its own lane
          for (const std::uint32_t step : {0U, 1U}) {
            for (const std::size_t lanes : {1U, 5U}) {
              std::vector<std::vector<double>> values(arity);
              std::vector<Operand> operands(arity);
              for (std::size_t k = 0; k < arity; ++k) {
                values[k].assign((step == 0 ? 1 : 3) * lanes, rows[0]->arguments[k]);
                operands[k] = {values[k].data(), values[k].data(), nullptr, step};
              }
              values[j][lanes - 1] = bad;
              std::vector<double> result(lanes, 0.0);
              function.batch({3, lanes, Terms{}, operands.data(), result.data(), nullptr});
              for (std::size_t lane = 0; lane < lanes; ++lane)
                EXPECT_EQ(std::isnan(result[lane]), lane == lanes - 1) << distribution->name << " " << j;
            }
          }
        }
      }
    }
  }
}

TEST(Distribution, MessagesAreStans) {
  const double normal[] = {0, 0, -1};
  EXPECT_EQ(describe_bad_argument(*find_distribution("normal"), "lpdf", normal),
            "normal_lpdf: scale is -1, but must be positive");
  const double uniform[] = {0, 2, 1};
  EXPECT_EQ(describe_bad_argument(*find_distribution("uniform"), "lpdf", uniform),
            "uniform_lpdf: upper bound must be greater than lower bound");
}

struct Edge {
  const char* family;
  const char* function;
  double arguments[5];
  double value;
};

constexpr Edge kEdges[] = {
#include "tests/math/data/continuous_edges.inc"
#if __has_include("tests/math/data/discrete_edges.inc")
#include "tests/math/data/discrete_edges.inc"
#endif
};

TEST(Distribution, Edges) {
  for (const Edge& edge : kEdges) {
    const Distribution* distribution = find_distribution(edge.family);
    if (distribution == nullptr) continue;
    const Density& function = function_of(*distribution, edge.function);
    double d[8];
    std::string name = std::string(edge.family) + "_" + edge.function;
    for (const double x : edge.arguments) name += " " + std::to_string(x);
    EXPECT_TRUE(near(function.value(edge.arguments, Terms{}, d), edge.value, 1e-15)) << name;
    // and in the vectorised loops
    const std::size_t arity = distribution->arguments.size();
    std::vector<std::vector<double>> values(arity);
    std::vector<Operand> operands(arity);
    std::vector<double> partials[8];
    double* partial_pointers[8];
    for (std::size_t j = 0; j < arity; ++j) {
      values[j].assign(9, edge.arguments[j]);
      operands[j] = {values[j].data(), values[j].data(), nullptr, 1};
      partials[j].resize(9);
      partial_pointers[j] = partials[j].data();
    }
    double result = 0;
    function.batch({9, 1, Terms{}, operands.data(), &result, partial_pointers});
    EXPECT_TRUE(near(result, 9 * edge.value, 1e-14)) << name;
  }
}

// ---- Random ----

TEST(Distribution, RandomDrawsFollowTheCdf) {
  constexpr std::size_t kDraws = 20000;
  for (const Distribution* distribution : all_distributions()) {
    if (distribution->random == nullptr || distribution->log_cdf.value == nullptr) continue;
    int done = 0;
    for (const Row* row : rows_of(*distribution, "lcdf")) {
      if (++done > 3) break;
      if (distribution->name == "von_mises" && row->arguments[1] != 0) continue;
      Random random(17, 0, static_cast<std::uint32_t>(done));
      std::vector<double> draws(kDraws);
      for (double& y : draws) y = distribution->random(random, row->arguments + 1);
      std::sort(draws.begin(), draws.end());
      double x[8];
      std::copy(row->arguments, row->arguments + 8, x);
      double distance = 0;
      for (std::size_t i = 0; i < kDraws; ++i) {
        if (i + 1 < kDraws && draws[i] == draws[i + 1]) continue;  // the last of equal draws
        x[0] = draws[i];
        const double cdf = std::exp(value_at(distribution->log_cdf, x));
        ASSERT_FALSE(std::isnan(cdf)) << text(*row) << " drew " << draws[i];
        distance = std::max(distance, std::abs(cdf - static_cast<double>(i + 1) / kDraws));
      }
      // Kolmogorov: P(sqrt(n) D > 2.2) is 1e-4; the seed is fixed
      EXPECT_LT(distance * std::sqrt(static_cast<double>(kDraws)), 2.2) << text(*row);
    }
  }
}

}  // namespace
}  // namespace kullback::math
