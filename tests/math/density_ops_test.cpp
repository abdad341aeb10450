// Tests of the multivariate densities and GLMs. Each row of data/densities.inc (values with 50 digits) is
// also checked for its adjoints, what `~` drops, and arrays against single calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "math/array_op.hpp"
#include "math/array_ops/densities.hpp"

namespace kullback::math {
namespace {

// What a change of an argument must respect.
enum class Structure { free, fixed, symmetric, correlation, lower, simplex };

struct Argument {
  Type type;
  Shape shape;
  std::vector<double> data;
  Structure structure = Structure::free;
};

using Numbers = std::vector<double>;

Argument real(double x) { return {{Kind::real}, {}, {x}}; }
Argument integer(int n) { return {{Kind::int_}, {}, {static_cast<double>(n)}, Structure::fixed}; }
Argument integers(Numbers n) {
  return {array_of({Kind::int_}), {.count = n.size()}, std::move(n), Structure::fixed};
}
Argument vector(Numbers x) { return {{Kind::vector}, {.rows = x.size()}, std::move(x)}; }
Argument row_vector(Numbers x) { return {{Kind::row_vector}, {.cols = x.size()}, std::move(x)}; }
Argument vectors(std::size_t size, Numbers x) {
  return {array_of({Kind::vector}), {.rows = size, .count = x.size() / size}, std::move(x)};
}
Argument row_vectors(std::size_t size, Numbers x) {
  return {array_of({Kind::row_vector}), {.cols = size, .count = x.size() / size}, std::move(x)};
}
Argument with(Structure structure, Argument argument) {
  argument.structure = structure;
  return argument;
}
Argument simplex(Numbers x) { return with(Structure::simplex, vector(std::move(x))); }
Argument row_simplex(Numbers x) { return with(Structure::simplex, row_vector(std::move(x))); }
Argument simplexes(std::size_t size, Numbers x) {
  return with(Structure::simplex, vectors(size, std::move(x)));
}
Argument row_simplexes(std::size_t size, Numbers x) {
  return with(Structure::simplex, row_vectors(size, std::move(x)));
}
Argument matrix(std::size_t rows, Numbers x) {
  return {{Kind::matrix}, {.rows = rows, .cols = x.size() / rows}, std::move(x)};
}
Argument symmetric(std::size_t rows, Numbers x) {
  return with(Structure::symmetric, matrix(rows, std::move(x)));
}
Argument correlation(std::size_t rows, Numbers x) {
  return with(Structure::correlation, matrix(rows, std::move(x)));
}
Argument lower(std::size_t rows, Numbers x) { return with(Structure::lower, matrix(rows, std::move(x))); }

struct Row {
  const char* name;
  std::vector<Argument> arguments;
  double value;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
#include "tests/math/data/densities.inc"
  };
  return all;
}

const std::vector<ArrayOp>& ops() {
  static const std::vector<ArrayOp> all = [] {
    std::vector<ArrayOp> result;
    append_density_ops(result);
    return result;
  }();
  return all;
}

const ArrayOp* find(const std::string& name, const std::vector<Argument>& arguments) {
  for (const ArrayOp& op : ops()) {
    if (op.name != name || op.parameter_types.size() != arguments.size()) continue;
    if (std::equal(arguments.begin(), arguments.end(), op.parameter_types.begin(),
                   [](const Argument& a, const Type& t) { return a.type == t; })) {
      return &op;
    }
  }
  return nullptr;
}

std::string text(const Row& row) {
  std::string result = std::string(row.name) + "(";
  for (const Argument& argument : row.arguments) result += to_string(argument.type) + " ";
  return result + ")";
}

struct Result {
  double value = 0;
  std::vector<Numbers> adjoints;
};

unsigned all_varying(const std::vector<Argument>& arguments) {
  unsigned varying = 0;
  for (std::size_t j = 0; j < arguments.size(); ++j) {
    if (arguments[j].structure != Structure::fixed) varying |= 1U << j;
  }
  return varying;
}

Result evaluate(const ArrayOp& op, const std::vector<Argument>& arguments, unsigned varying, bool normalized,
                bool with_gradient) {
  std::vector<DenseArgument> dense;
  for (std::size_t j = 0; j < arguments.size(); ++j) {
    dense.push_back({arguments[j].data.data(), arguments[j].shape, (varying >> j & 1U) != 0});
  }
  EXPECT_EQ(op.result_shape(dense), Shape{});
  Result result;
  Numbers scratch(op.scratch_size(dense) + 1, std::numeric_limits<double>::quiet_NaN());
  ArrayCall call{.arguments = dense,
                 .terms = {normalized, varying},
                 .result = &result.value,
                 .scratch = with_gradient ? scratch.data() : nullptr,
                 .result_adjoint = nullptr,
                 .adjoints = {}};
  op.forward(call);
  EXPECT_TRUE(std::isnan(scratch.back())) << op.name << " wrote past its scratch";
  if (!with_gradient) return result;
  std::vector<double*> pointers;
  for (std::size_t j = 0; j < arguments.size(); ++j) {
    result.adjoints.emplace_back(arguments[j].data.size(), 10.0);  // adjoints are added to
    pointers.push_back((varying >> j & 1U) != 0 ? result.adjoints[j].data() : nullptr);
  }
  const double result_adjoint = 2;
  call.result_adjoint = &result_adjoint;
  call.adjoints = pointers;
  op.backward(call);
  for (Numbers& adjoint : result.adjoints) {
    for (double& value : adjoint) value = (value - 10) / 2;
  }
  return result;
}

double value_of(const ArrayOp& op, const std::vector<Argument>& arguments) {
  return evaluate(op, arguments, all_varying(arguments), true, false).value;
}

// Directions in which an argument may be changed: pairs (entry, weight).
using Direction = std::vector<std::pair<std::size_t, double>>;
std::vector<Direction> directions(const Argument& argument) {
  std::vector<Direction> result;
  const std::size_t rows = argument.shape.rows;
  const std::size_t size = rows * argument.shape.cols;
  for (std::size_t i = 0; i < argument.data.size(); ++i) {
    const std::size_t row = i % rows;
    const std::size_t col = i / rows;
    switch (argument.structure) {
      case Structure::fixed: break;
      case Structure::free: result.push_back({{i, 1}}); break;
      case Structure::simplex:
        if (i % size != 0) result.push_back({{i, 1}, {i - 1, -1}});
        break;
      case Structure::lower:
        if (row >= col) result.push_back({{i, 1}});
        break;
      case Structure::symmetric:
        if (row == col) result.push_back({{i, 1}});
        if (row > col) result.push_back({{i, 1}, {col + row * rows, 1}});
        break;
      case Structure::correlation:
        if (row > col) result.push_back({{i, 1}, {col + row * rows, 1}});
        break;
    }
  }
  return result;
}

void expect_near(double actual, double expected, double tolerance, const std::string& what) {
  EXPECT_LE(std::abs(actual - expected), tolerance * std::max(1.0, std::abs(expected)))
      << what << ": " << actual << " is not " << expected;
}

TEST(DensityOps, EveryOverloadHasARow) {
  for (const ArrayOp& op : ops()) {
    const bool has_row = std::any_of(rows().begin(), rows().end(),
                                     [&](const Row& row) { return find(row.name, row.arguments) == &op; });
    std::string types;
    for (const Type& type : op.parameter_types) types += to_string(type) + " ";
    EXPECT_TRUE(has_row) << op.name << " " << types;
  }
}

TEST(DensityOps, MatchReferences) {
  for (const Row& row : rows()) {
    const ArrayOp* op = find(row.name, row.arguments);
    ASSERT_NE(op, nullptr) << text(row);
    expect_near(value_of(*op, row.arguments), row.value, 2e-14, text(row));
    expect_near(evaluate(*op, row.arguments, all_varying(row.arguments), true, true).value, row.value, 2e-14,
                text(row));
  }
}

TEST(DensityOps, AdjointsAreFiniteDifferences) {
  for (const Row& row : rows()) {
    const ArrayOp* op = find(row.name, row.arguments);
    ASSERT_NE(op, nullptr) << text(row);
    const Result result = evaluate(*op, row.arguments, all_varying(row.arguments), true, true);
    for (std::size_t j = 0; j < row.arguments.size(); ++j) {
      for (const Direction& direction : directions(row.arguments[j])) {
        constexpr double h = 1e-4;
        const auto at = [&](double step) {
          std::vector<Argument> moved = row.arguments;
          for (const auto& [entry, weight] : direction) moved[j].data[entry] += step * weight;
          return value_of(*op, moved);
        };
        const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
        double partial = 0;
        for (const auto& [entry, weight] : direction) partial += weight * result.adjoints[j][entry];
        expect_near(
            partial, slope, 1e-9,
            text(row) + " argument " + std::to_string(j) + " entry " + std::to_string(direction[0].first));
      }
    }
  }
}

// The derivative by one argument alone, and whatever `~` keeps, are those of the whole density.
TEST(DensityOps, DroppedTermsDoNotDependOnWhatVaries) {
  for (const Row& row : rows()) {
    const ArrayOp* op = find(row.name, row.arguments);
    ASSERT_NE(op, nullptr) << text(row);
    const unsigned all = all_varying(row.arguments);
    const Result whole = evaluate(*op, row.arguments, all, true, true);
    for (unsigned varying = 1; varying <= all; ++varying) {
      if ((varying & ~all) != 0) continue;
      const Result kept = evaluate(*op, row.arguments, varying, false, true);
      const double dropped = whole.value - kept.value;
      for (std::size_t j = 0; j < row.arguments.size(); ++j) {
        if ((varying >> j & 1U) == 0) continue;
        for (std::size_t i = 0; i < row.arguments[j].data.size(); ++i) {
          expect_near(kept.adjoints[j][i], whole.adjoints[j][i], 1e-13, text(row) + " alone");
        }
        for (const Direction& direction : directions(row.arguments[j])) {
          std::vector<Argument> moved = row.arguments;
          for (const auto& [entry, weight] : direction) moved[j].data[entry] += 0.01 * weight;
          const double elsewhere = evaluate(*op, moved, all, true, false).value -
                                   evaluate(*op, moved, varying, false, false).value;
          expect_near(elsewhere, dropped, 1e-12, text(row) + " dropped");
        }
      }
    }
    EXPECT_EQ(evaluate(*op, row.arguments, 0, false, false).value, 0) << text(row) << " with nothing varying";
  }
}

TEST(DensityOps, ArraysAreSumsOfSingleCalls) {
  for (const Row& row : rows()) {
    if (std::string(row.name).find("glm") != std::string::npos) continue;
    const bool counts = std::string(row.name).find("multinomial") != std::string::npos;
    const bool ordered = std::string(row.name).starts_with("ordered");
    const auto is_split = [&](const Argument& argument) {
      return (argument.type.is_array() && !counts) ||
             (ordered && argument.type.is(Kind::vector) && &argument == &row.arguments[1]);
    };
    std::size_t count = 0;
    for (const Argument& argument : row.arguments) {
      if (!is_split(argument)) continue;
      count = argument.type.is_array() ? argument.shape.count : argument.shape.rows;
    }
    if (count == 0) continue;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<Argument> single = row.arguments;
      for (std::size_t j = 0; j < single.size(); ++j) {
        if (!is_split(row.arguments[j])) continue;
        Argument& argument = single[j];
        const std::size_t size = argument.data.size() / count;
        argument.data = Numbers(argument.data.begin() + static_cast<std::ptrdiff_t>(i * size),
                                argument.data.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
        argument.shape.count = 1;
        if (argument.type.is_array()) {
          argument.type = element_of(argument.type);
        } else {
          argument.type = {Kind::real};
          argument.shape = {};
        }
      }
      const ArrayOp* op = find(row.name, single);
      ASSERT_NE(op, nullptr) << text(row);
      sum += value_of(*op, single);
    }
    expect_near(sum, row.value, 1e-13, text(row));
  }
}

// ---- what is refused ----
template <class Error>
std::string message_of(const std::string& name, const std::vector<Argument>& arguments) {
  const ArrayOp* op = find(name, arguments);
  if (op == nullptr) return "no such op";
  try {
    value_of(*op, arguments);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DensityOps, ShapesThatDoNotFitAreNamed) {
  using Invalid = std::invalid_argument;
  const Argument identity = symmetric(2, {1, 0, 0, 1});
  EXPECT_EQ(message_of<Invalid>("multi_normal_lpdf", {vector({1, 2, 3}), vector({1, 2, 3}), identity}),
            "multi_normal_lpdf: Size of random variable (3) and rows of covariance parameter (2) must match "
            "in size");
  EXPECT_EQ(
      message_of<Invalid>("multi_normal_lpdf", {vector({1, 2}), vector({1, 2, 3}), identity}),
      "multi_normal_lpdf: Size of random variable (2) and size of location parameter (3) must match in size");
  EXPECT_EQ(message_of<Invalid>("wishart_lpdf", {matrix(2, {1, 0, 0, 1, 0, 0}), real(3), identity}),
            "wishart_lpdf: Expecting a square matrix; rows of random variable (2) and columns of random "
            "variable (3) "
            "must match in size");
  EXPECT_EQ(
      message_of<Invalid>("multinomial_lpmf", {integers({1, 2}), vector({0.5, 0.25, 0.25})}),
      "multinomial_lpmf: Size of number of trials variable (2) and rows of probabilities parameter (3) must "
      "match in size");
  EXPECT_EQ(message_of<Invalid>("bernoulli_logit_glm_lpmf",
                                {integers({1, 0}), matrix(2, {1, 2, 3, 4}), real(0), vector({1})}),
            "bernoulli_logit_glm_lpmf: size of Weight vector (1) and columns of Matrix of independent "
            "variables (2) "
            "must match in size");
  EXPECT_EQ(message_of<Invalid>("poisson_log_glm_lpmf",
                                {integers({1, 0, 2}), matrix(2, {1, 2, 3, 4}), real(0), vector({1, 2})}),
            "poisson_log_glm_lpmf: size of Vector of dependent variables (3) and number of rows (2) must "
            "match in size");
}

TEST(DensityOps, ValuesOutsideTheirDomainsAreNamed) {
  using Domain = std::domain_error;
  const Argument two = vector({1, 2});
  EXPECT_EQ(
      message_of<Domain>("multi_normal_lpdf", {two, two, matrix(2, {1, 0.5, 0.25, 1})}),
      "multi_normal_lpdf: Covariance matrix is not symmetric. Covariance matrix[1,2] = 0.25, but Covariance "
      "matrix[2,1] = 0.5");
  EXPECT_EQ(message_of<Domain>("multi_normal_lpdf", {two, two, symmetric(2, {1, 2, 2, 1})}),
            "multi_normal_lpdf: LDLT_Factor of covariance parameter is not positive definite.");
  EXPECT_EQ(message_of<Domain>("multi_normal_lpdf", {two, vector({1, HUGE_VAL}), symmetric(2, {1, 0, 0, 1})}),
            "multi_normal_lpdf: Location parameter[2] is inf, but must be finite!");
  EXPECT_EQ(message_of<Domain>("multi_student_t_lpdf", {two, real(-1), two, symmetric(2, {1, 0, 0, 1})}),
            "multi_student_t_lpdf: Degrees of freedom parameter is -1, but must be positive finite!");
  EXPECT_EQ(message_of<Domain>("categorical_lpmf", {integer(4), vector({0.5, 0.25, 0.25})}),
            "categorical_lpmf: Number of categories is 4, but must be in the interval [1, 3]");
  EXPECT_EQ(message_of<Domain>("categorical_lpmf", {integer(1), vector({0.5, 0.25, 0.5})}),
            "categorical_lpmf: Probabilities parameter is not a valid simplex. sum(Probabilities parameter) "
            "= 1.25, but "
            "should be 1");
  EXPECT_EQ(message_of<Domain>("dirichlet_lpdf", {vector({0.5, 0.5}), vector({1, -1})}),
            "dirichlet_lpdf: prior sample sizes[2] is -1, but must be positive!");
  EXPECT_EQ(
      message_of<Domain>("wishart_lpdf", {symmetric(2, {1, 0, 0, 1}), real(1), symmetric(2, {1, 0, 0, 1})}),
      "wishart_lpdf: Degrees of freedom parameter is 1, but must be greater than 1");
  EXPECT_EQ(message_of<Domain>("lkj_corr_lpdf", {correlation(2, {1, 0.5, 0.5, 2}), real(1)}),
            "lkj_corr_lpdf: Correlation matrix is not a valid correlation matrix. Correlation matrix(2,2) is "
            "2, but "
            "should be near 1.0");
  EXPECT_EQ(message_of<Domain>("lkj_corr_cholesky_lpdf", {lower(2, {1, 0.6, 0.5, 0.8}), real(1)}),
            "lkj_corr_cholesky_lpdf: Random variable is not lower triangular; Random variable[1,2]=0.5");
  EXPECT_EQ(message_of<Domain>("ordered_logistic_lpmf", {integer(2), real(0), vector({1, 0.5})}),
            "ordered_logistic_lpmf: Cut-points is not a valid ordered vector. The element at 2 is 0.5, but "
            "should be "
            "greater than the previous element, 1");
  const Argument x = matrix(2, {1, 2, 3, 4});
  EXPECT_EQ(
      message_of<Domain>("bernoulli_logit_glm_lpmf", {integers({1, 2}), x, real(0), two}),
      "bernoulli_logit_glm_lpmf: Vector of dependent variables[2] is 2, but must be in the interval [0, 1]");
  EXPECT_EQ(message_of<Domain>("poisson_log_glm_lpmf", {integers({1, -2}), x, real(0), two}),
            "poisson_log_glm_lpmf: Vector of dependent variables[2] is -2, but must be nonnegative!");
  EXPECT_EQ(message_of<Domain>("normal_id_glm_lpdf", {two, x, real(0), two, real(0)}),
            "normal_id_glm_lpdf: Scale vector is 0, but must be positive finite!");
  EXPECT_EQ(message_of<Domain>("poisson_log_glm_lpmf", {integers({1, 2}), x, real(0), vector({NAN, 0})}),
            "poisson_log_glm_lpmf: Weight vector[1] is nan, but must be finite!");
  EXPECT_EQ(
      message_of<Domain>("binomial_logit_glm_lpmf", {integers({1, 5}), integers({3, 4}), x, real(0), two}),
      "binomial_logit_glm_lpmf: Successes variable is 5, but must be in the interval [0, 4]");
}

// Sums over all outcomes are one.
TEST(DensityOps, MassesSumToOne) {
  const Argument theta = vector({0.125, 0.5, 0.375});
  const Argument beta = vector({0.5, -1.5, 2});
  const Argument cuts = vector({-1, 0.25});
  const auto total = [](const std::string& name, const std::function<std::vector<Argument>(int)>& at,
                        int last) {
    double sum = 0;
    for (int n = 1; n <= last; ++n) sum += std::exp(value_of(*find(name, at(n)), at(n)));
    return sum;
  };
  EXPECT_NEAR(total(
                  "categorical_lpmf",
                  [&](int n) {
                    return std::vector{integer(n), theta};
                  },
                  3),
              1, 1e-14);
  EXPECT_NEAR(total(
                  "categorical_logit_lpmf",
                  [&](int n) {
                    return std::vector{integer(n), beta};
                  },
                  3),
              1, 1e-14);
  for (const char* name : {"ordered_logistic_lpmf", "ordered_probit_lpmf"}) {
    EXPECT_NEAR(total(
                    name,
                    [&](int n) {
                      return std::vector{integer(n), real(0.75), cuts};
                    },
                    3),
                1, 1e-14);
  }
  for (const char* name : {"multinomial_lpmf", "multinomial_logit_lpmf", "dirichlet_multinomial_lpmf"}) {
    const Argument parameter = name == std::string("multinomial_lpmf")         ? theta
                               : name == std::string("multinomial_logit_lpmf") ? beta
                                                                               : vector({0.5, 1.5, 30});
    double sum = 0;
    for (int a = 0; a <= 6; ++a) {
      for (int b = 0; a + b <= 6; ++b) {
        const std::vector<Argument> at = {
            integers({static_cast<double>(a), static_cast<double>(b), static_cast<double>(6 - a - b)}),
            parameter};
        sum += std::exp(value_of(*find(name, at), at));
      }
    }
    EXPECT_NEAR(sum, 1, 1e-13) << name;
  }
}

// A GLM over more rows than one block, with all instruction sets, is the sum of its rows.
TEST(DensityOps, LongGlmsAreSumsOfTheirRows) {
  constexpr std::size_t kRows = 301;
  constexpr std::size_t kCols = 6;
  Numbers x(kRows * kCols), binary(kRows), counts(kRows), outcome(kRows), weights(kCols), alpha(kRows);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i * i % 97));
  for (std::size_t i = 0; i < kRows; ++i) {
    binary[i] = static_cast<double>(i * 7 % 11 < 5);
    counts[i] = static_cast<double>(i * 13 % 17);
    outcome[i] = std::cos(static_cast<double>(i));
    alpha[i] = 0.25 * std::cos(static_cast<double>(3 * i));
  }
  for (std::size_t j = 0; j < kCols; ++j) weights[j] = 0.3 * std::sin(static_cast<double>(j + 1));
  const Argument design = matrix(kRows, x);
  const Argument slopes = vector(weights);
  const std::vector<std::pair<std::string, std::vector<Argument>>> cases = {
      {"bernoulli_logit_glm_lpmf", {integers(binary), design, real(0.5), slopes}},
      {"poisson_log_glm_lpmf", {integers(counts), design, vector(alpha), slopes}},
      {"neg_binomial_2_log_glm_lpmf", {integers(counts), design, real(0.5), slopes, real(2.5)}},
      {"normal_id_glm_lpdf", {vector(outcome), design, vector(alpha), slopes, real(0.75)}}};
  for (const auto& [name, arguments] : cases) {
    const Result whole = evaluate(*find(name, arguments), arguments, all_varying(arguments), true, true);
    double sum = 0;
    Numbers beta_slopes(kCols, 0.0);
    for (std::size_t i = 0; i < kRows; ++i) {
      std::vector<Argument> one = arguments;
      one[0].data = {arguments[0].data[i]};
      if (one[0].type.is_array())
        one[0].shape.count = 1;
      else
        one[0].shape.rows = 1;
      Numbers predictors;
      for (std::size_t j = 0; j < kCols; ++j) predictors.push_back(x[i + j * kRows]);
      one[1] = matrix(1, predictors);
      if (arguments[2].type.is(Kind::vector)) one[2] = vector({alpha[i]});
      const Result row = evaluate(*find(name, one), one, all_varying(one), true, true);
      sum += row.value;
      for (std::size_t j = 0; j < kCols; ++j) {
        beta_slopes[j] += row.adjoints[3][j];
        expect_near(whole.adjoints[1][i + j * kRows], row.adjoints[1][j], 1e-13, name + " by x");
      }
    }
    expect_near(whole.value, sum, 1e-12, name);
    for (std::size_t j = 0; j < kCols; ++j)
      expect_near(whole.adjoints[3][j], beta_slopes[j], 1e-12, name + " by beta");
  }
}

}  // namespace
}  // namespace kullback::math
