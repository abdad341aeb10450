// One engine for all transforms: reference values of Stan, round trips, log-Jacobians against determinants of
// numerical Jacobians, adjoints against differences, edges, and what is said of invalid values.
#include "math/transform.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace kullback::math {
namespace {

using Numbers = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<DenseArgument> as_arguments(const std::vector<Numbers>& bounds) {
  std::vector<DenseArgument> arguments;
  for (const Numbers& bound : bounds) arguments.push_back({bound.data(), {bound.size(), 1, 1}, true});
  return arguments;
}

struct Case {
  const TransformDef* transform;
  Shape shape;
  std::vector<Numbers> bounds;
};

struct Constrained {
  Numbers value;
  double log_jacobian = 0;
};

Constrained run(const Case& c, const Numbers& free) {
  const auto bounds = as_arguments(c.bounds);
  Constrained result{Numbers(c.shape.size(), -7), 0};
  Numbers scratch(scratch_size(*c.transform, c.shape));
  TransformCall call;
  call.shape = c.shape;
  call.bounds = bounds;
  call.free = free.data();
  call.value = result.value.data();
  call.log_jacobian = &result.log_jacobian;
  call.scratch = scratch.data();
  constrain(*c.transform, call);
  return result;
}

struct Adjoints {
  Numbers free;
  std::vector<Numbers> bounds;
};

Adjoints run_backward(const Case& c, const Numbers& free, const Numbers& weights, double jacobian_weight) {
  const auto bounds = as_arguments(c.bounds);
  Numbers value(c.shape.size());
  Numbers scratch(scratch_size(*c.transform, c.shape));
  Adjoints adjoints{Numbers(free.size()), {}};
  std::vector<double*> bound_adjoints;
  for (const Numbers& bound : c.bounds) adjoints.bounds.emplace_back(bound.size());
  for (Numbers& bound : adjoints.bounds) bound_adjoints.push_back(bound.data());
  TransformCall call;
  call.shape = c.shape;
  call.bounds = bounds;
  call.free = free.data();
  call.value = value.data();
  call.scratch = scratch.data();
  constrain(*c.transform, call);
  call.value_adjoint = weights.data();
  call.log_jacobian_adjoint = jacobian_weight;
  call.free_adjoint = adjoints.free.data();
  call.bound_adjoints = bound_adjoints;
  constrain_backward(*c.transform, call);
  return adjoints;
}

const TransformDef* named(std::string_view name) {
  const TransformDef* transform = find_transform(name);
  EXPECT_NE(transform, nullptr) << name;
  return transform;
}

// ---- Stan's values ----
struct ReferenceRow {
  std::string_view name;
  std::size_t rows;
  std::size_t cols;
  std::vector<Numbers> bounds;
  Numbers free;
  Numbers value;
  double log_jacobian;
  Numbers weights;
  Numbers gradient;
};

const std::vector<ReferenceRow>& reference() {
  static const std::vector<ReferenceRow> rows = {
#include "tests/math/transform_reference.inc"
  };
  return rows;
}

TEST(Transform, EqualsStan) {
  for (const ReferenceRow& row : reference()) {
    SCOPED_TRACE(std::string(row.name) + " " + std::to_string(row.rows) + " x " + std::to_string(row.cols));
    const Case c{named(row.name), {row.rows, row.cols, 1}, row.bounds};
    ASSERT_EQ(free_size(*c.transform, c.shape), row.free.size());
    const Constrained got = run(c, row.free);
    for (std::size_t i = 0; i < row.value.size(); ++i) EXPECT_NEAR(got.value[i], row.value[i], 2e-14) << i;
    EXPECT_NEAR(got.log_jacobian, row.log_jacobian, 1e-13);
    const Adjoints adjoints = run_backward(c, row.free, row.weights, 1);
    for (std::size_t i = 0; i < row.free.size(); ++i)
      EXPECT_NEAR(adjoints.free[i], row.gradient[i], 1e-13) << i;
  }
}

// ---- the engine ----
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const ReferenceRow& row : reference()) {
    all.push_back({named(row.name), {row.rows, row.cols, 1}, row.bounds});
  }
  // Arrays of 3 items, bounds for each number of an item, and for each number of all.
  all.push_back({named("lower"), {2, 1, 3}, {{1, -2}}});
  all.push_back({named("upper"), {2, 1, 3}, {{1, -2, 3, -4, 5, -6}}});
  all.push_back({named("lower_upper"), {2, 2, 3}, {{-1, -2, -3, -4}, {5}}});
  all.push_back({named("offset_multiplier"), {1, 1, 3}, {{-1}, {1, 2, 3}}});
  all.push_back({named("simplex"), {3, 1, 3}, {}});
  all.push_back({named("ordered"), {3, 1, 2}, {}});
  all.push_back({named("corr_matrix"), {3, 3, 2}, {}});
  all.push_back({named("cov_matrix"), {2, 2, 2}, {}});
  all.push_back({named("cholesky_factor_corr"), {5, 5, 2}, {}});
  all.push_back({named("sum_to_zero_matrix"), {2, 3, 2}, {}});
  all.push_back({named("row_stochastic_matrix"), {3, 4, 2}, {}});
  all.push_back({named("column_stochastic_matrix"), {4, 3, 2}, {}});
  all.push_back({named("unit_vector"), {4, 1, 2}, {}});
  return all;
}

std::string label(const Case& c) {
  return std::string(c.transform->name) + " " + std::to_string(c.shape.rows) + " x " +
         std::to_string(c.shape.cols) + " of " + std::to_string(c.shape.count);
}

Numbers some_numbers(std::size_t count, unsigned seed, double scale) {
  Numbers numbers(count);
  unsigned state = seed * 2654435761U + 12345U;
  for (double& number : numbers) {
    state = state * 1664525U + 1013904223U;
    number = scale * (static_cast<double>(state >> 8U) / 8388608.0 - 1);
  }
  return numbers;
}

// Which elements of an item are coordinates of it: as many as free numbers, or none where the transform has
// no determinant (unit vectors).
bool is_coordinate(const Case& c, std::size_t row, std::size_t col) {
  const std::string_view name = c.transform->name;
  if (name == "simplex" || name == "column_stochastic_matrix") return row + 1 < c.shape.rows;
  if (name == "row_stochastic_matrix") return col + 1 < c.shape.cols;
  if (name == "cholesky_factor_corr" || name == "corr_matrix") return row > col;
  if (name == "cholesky_factor_cov" || name == "cov_matrix") return row >= col;
  return true;
}

long double log_abs_determinant(std::vector<std::vector<long double>> matrix) {
  long double sum = 0;
  const std::size_t n = matrix.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::abs(matrix[i][k]) > std::abs(matrix[pivot][k])) pivot = i;
    }
    std::swap(matrix[k], matrix[pivot]);
    sum += std::log(std::abs(matrix[k][k]));
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double factor = matrix[i][k] / matrix[k][k];
      for (std::size_t j = k; j < n; ++j) matrix[i][j] -= factor * matrix[k][j];
    }
  }
  return sum;
}

// Central differences of sixth order.
template <class Function>
auto difference(double& x, Function function) {
  constexpr double h = 2e-3;
  const double at = x;
  auto value = [&](double offset) {
    x = at + offset;
    auto result = function();
    x = at;
    return result;
  };
  const auto a1 = value(h), b1 = value(-h), a2 = value(2 * h), b2 = value(-2 * h), a3 = value(3 * h),
             b3 = value(-3 * h);
  return (45 * (a1 - b1) - 9 * (a2 - b2) + (a3 - b3)) / (60 * h);
}

// d value_i / d free_k for all i.
std::vector<std::vector<long double>> numerical_jacobian(const Case& c, Numbers free) {
  std::vector<std::vector<long double>> jacobian(c.shape.size(), std::vector<long double>(free.size()));
  for (std::size_t k = 0; k < free.size(); ++k) {
    for (std::size_t i = 0; i < c.shape.size(); ++i) {
      jacobian[i][k] = difference(free[k], [&] { return run(c, free).value[i]; });
    }
  }
  return jacobian;
}

TEST(Transform, LogJacobianIsThatOfTheNumericalJacobian) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(label(c));
    const std::string_view name = c.transform->name;
    if (name == "unit_vector") continue;
    const Numbers free = some_numbers(free_size(*c.transform, c.shape), 3, 1.2);
    const auto full = numerical_jacobian(c, free);
    std::vector<std::vector<long double>> square;
    if (name.starts_with("sum_to_zero")) {  // an isometry: J^T J = 1
      square.assign(free.size(), std::vector<long double>(free.size(), 0));
      for (std::size_t a = 0; a < free.size(); ++a) {
        for (std::size_t b = 0; b < free.size(); ++b) {
          for (const auto& row : full) square[a][b] += row[a] * row[b];
          EXPECT_NEAR(static_cast<double>(square[a][b]), a == b ? 1.0 : 0.0, 1e-11);
        }
      }
    } else {
      for (std::size_t i = 0; i < c.shape.size(); ++i) {
        const std::size_t in_item = i % (c.shape.rows * c.shape.cols);
        if (is_coordinate(c, in_item % c.shape.rows, in_item / c.shape.rows)) square.push_back(full[i]);
      }
    }
    ASSERT_EQ(square.size(), free.size());
    EXPECT_NEAR(run(c, free).log_jacobian, static_cast<double>(log_abs_determinant(square)), 1e-9);
  }
}

TEST(Transform, AdjointsAreThoseOfDifferences) {
  for (Case c : cases()) {
    SCOPED_TRACE(label(c));
    Numbers free = some_numbers(free_size(*c.transform, c.shape), 5, 1.1);
    const Numbers weights = some_numbers(c.shape.size(), 9, 2);
    const double jacobian_weight = 0.7;
    auto objective = [&] {
      const Constrained got = run(c, free);
      double sum = jacobian_weight * got.log_jacobian;
      for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * got.value[i];
      return sum;
    };
    const Adjoints adjoints = run_backward(c, free, weights, jacobian_weight);
    for (std::size_t k = 0; k < free.size(); ++k) {
      EXPECT_NEAR(adjoints.free[k], difference(free[k], objective), 1e-9) << "free " << k;
    }
    for (std::size_t b = 0; b < c.bounds.size(); ++b) {
      for (std::size_t i = 0; i < c.bounds[b].size(); ++i) {
        const double expected = std::isinf(c.bounds[b][i]) ? 0 : difference(c.bounds[b][i], objective);
        EXPECT_NEAR(adjoints.bounds[b][i], expected, 1e-9) << "bound " << b << " " << i;
      }
    }
  }
}

TEST(Transform, AdjointsAreAdded) {
  const Case c{named("simplex"), {3, 1, 1}, {}};
  const Numbers free = {0.1, 0.2};
  Numbers value(3), scratch(3), weights = {1, 2, 3}, adjoint = {100, 200};
  TransformCall call;
  call.shape = c.shape;
  call.free = free.data();
  call.value = value.data();
  call.scratch = scratch.data();
  constrain(*c.transform, call);
  call.value_adjoint = weights.data();
  call.free_adjoint = adjoint.data();
  constrain_backward(*c.transform, call);
  const Adjoints alone = run_backward(c, free, weights, 0);
  EXPECT_NEAR(adjoint[0], 100 + alone.free[0], 1e-12);
  EXPECT_NEAR(adjoint[1], 200 + alone.free[1], 1e-12);
}

TEST(Transform, ValuesSatisfyTheConstraintAndComeBack) {
  for (const Case& c : cases()) {
    for (const double scale : {0.5, 2.0, 5.0}) {
      SCOPED_TRACE(label(c) + " scale " + std::to_string(scale));
      const Numbers free = some_numbers(free_size(*c.transform, c.shape), 11, scale);
      const Constrained got = run(c, free);
      const auto bounds = as_arguments(c.bounds);
      const ConstrainedValue value{c.shape, bounds, got.value.data()};
      const auto violation = find_violation(*c.transform, value);
      EXPECT_FALSE(violation.has_value()) << describe(*violation, c.shape);
      Numbers back(free.size());
      const auto refused = unconstrain(*c.transform, value, back.data());
      ASSERT_FALSE(refused.has_value()) << describe(*refused, c.shape);
      const Constrained again = run(c, back);
      for (std::size_t i = 0; i < got.value.size(); ++i) {
        EXPECT_NEAR(again.value[i], got.value[i], 1e-9 * (1 + std::abs(got.value[i]))) << i;
      }
      if (c.transform->name == "unit_vector" || scale > 2) continue;
      for (std::size_t k = 0; k < free.size(); ++k) EXPECT_NEAR(back[k], free[k], 1e-7) << k;
    }
  }
}

TEST(Transform, SmallestSizes) {
  struct Edge {
    std::string_view name;
    Shape shape;
    std::size_t free;
    Numbers value;
  };
  const std::vector<Edge> edges = {
      {"identity", {0, 1, 1}, 0, {}},
      {"ordered", {0, 1, 1}, 0, {}},
      {"ordered", {1, 1, 1}, 1, {0.5}},
      {"positive_ordered", {0, 1, 1}, 0, {}},
      {"positive_ordered", {1, 1, 1}, 1, {std::exp(0.5)}},
      {"simplex", {1, 1, 1}, 0, {1}},
      {"simplex", {3, 1, 0}, 0, {}},
      {"unit_vector", {1, 1, 1}, 1, {1}},
      {"sum_to_zero_vector", {1, 1, 1}, 0, {0}},
      {"sum_to_zero_matrix", {1, 1, 1}, 0, {0}},
      {"sum_to_zero_matrix", {1, 3, 1}, 0, {0, 0, 0}},
      {"sum_to_zero_matrix", {3, 1, 1}, 0, {0, 0, 0}},
      {"cholesky_factor_corr", {0, 0, 1}, 0, {}},
      {"cholesky_factor_corr", {1, 1, 1}, 0, {1}},
      {"cholesky_factor_cov", {0, 0, 1}, 0, {}},
      {"cholesky_factor_cov", {1, 1, 1}, 1, {std::exp(0.5)}},
      {"cholesky_factor_cov", {3, 0, 1}, 0, {}},
      {"corr_matrix", {0, 0, 1}, 0, {}},
      {"corr_matrix", {1, 1, 1}, 0, {1}},
      {"cov_matrix", {0, 0, 1}, 0, {}},
      {"cov_matrix", {1, 1, 1}, 1, {std::exp(1.0)}},
      {"column_stochastic_matrix", {1, 2, 1}, 0, {1, 1}},
      {"column_stochastic_matrix", {2, 0, 1}, 0, {}},
      {"row_stochastic_matrix", {2, 1, 1}, 0, {1, 1}},
      {"row_stochastic_matrix", {0, 2, 1}, 0, {}},
  };
  for (const Edge& edge : edges) {
    const Case c{named(edge.name), edge.shape, {}};
    SCOPED_TRACE(label(c));
    ASSERT_EQ(free_size(*c.transform, c.shape), edge.free);
    const Numbers free(edge.free, 0.5);
    const Constrained got = run(c, free);
    ASSERT_EQ(got.value.size(), edge.value.size());
    for (std::size_t i = 0; i < edge.value.size(); ++i) EXPECT_NEAR(got.value[i], edge.value[i], 1e-15);
    const Adjoints adjoints = run_backward(c, free, Numbers(edge.value.size(), 1), 1);
    EXPECT_EQ(adjoints.free.size(), edge.free);
    if (edge.free == 0) {
      EXPECT_EQ(got.log_jacobian, 0);
    }
  }
}

TEST(Transform, SizesThatParametersCannotHave) {
  auto problem = [](std::string_view name, Shape shape) {
    const TransformDef* transform = named(name);
    return transform->size_problem == nullptr ? "" : transform->size_problem(shape);
  };
  EXPECT_EQ(problem("simplex", {0, 1, 1}), "must have at least one element");
  EXPECT_EQ(problem("simplex", {1, 1, 1}), "");
  EXPECT_EQ(problem("unit_vector", {1, 1, 1}), "must have at least two elements");
  EXPECT_EQ(problem("sum_to_zero_vector", {0, 1, 1}), "must have at least one element");
  EXPECT_EQ(problem("sum_to_zero_matrix", {0, 1, 1}), "must have at least one row and one column");
  EXPECT_EQ(problem("cholesky_factor_cov", {2, 3, 1}), "must have at least as many rows as columns");
  EXPECT_EQ(problem("column_stochastic_matrix", {0, 3, 1}), "must have at least one row");
  EXPECT_EQ(problem("row_stochastic_matrix", {3, 0, 1}), "must have at least one column");
  EXPECT_EQ(problem("ordered", {0, 1, 1}), "");
}

// Far out the values saturate; nothing becomes NaN and the log-Jacobian goes on.
TEST(Transform, Tails) {
  for (const Case& c : cases()) {
    if (c.transform->name == "unit_vector") continue;
    for (const double far : {-40.0, 40.0}) {
      SCOPED_TRACE(label(c) + " at " + std::to_string(far));
      const Numbers free(free_size(*c.transform, c.shape), far);
      const Constrained got = run(c, free);
      for (const double value : got.value) EXPECT_FALSE(std::isnan(value));
      EXPECT_TRUE(std::isfinite(got.log_jacobian));
      const Adjoints adjoints = run_backward(c, free, Numbers(got.value.size(), 1), 1);
      for (const double adjoint : adjoints.free) EXPECT_TRUE(std::isfinite(adjoint));
    }
  }
  EXPECT_NEAR(run({named("lower_upper"), {1, 1, 1}, {{0}, {1}}}, {40}).log_jacobian, -40, 1e-12);
  EXPECT_NEAR(run({named("cholesky_factor_corr"), {2, 2, 1}, {}}, {40}).log_jacobian,
              2 * (std::log(2.0) - 40), 1e-12);
}

TEST(Transform, RefusesBoundsThatLeaveNoRoom) {
  EXPECT_THROW(run({named("lower_upper"), {1, 1, 1}, {{1}, {1}}}, {0}), std::domain_error);
  EXPECT_THROW(run({named("lower_upper"), {1, 1, 1}, {{std::nan("")}, {1}}}, {0}), std::domain_error);
  EXPECT_THROW(run({named("offset_multiplier"), {1, 1, 1}, {{0}, {0}}}, {0}), std::domain_error);
  EXPECT_THROW(run({named("offset_multiplier"), {1, 1, 1}, {{kInf}, {1}}}, {0}), std::domain_error);
  EXPECT_THROW(run({named("unit_vector"), {2, 1, 1}, {}}, {0, 0}), std::domain_error);
  try {
    run({named("lower_upper"), {1, 1, 1}, {{3}, {1.5}}}, {0});
    FAIL();
  } catch (const std::domain_error& error) {
    EXPECT_STREQ(error.what(), "the lower bound is 3, but must be less than the upper bound, 1.5");
  }
}

TEST(Transform, SaysWhatIsWrong) {
  struct Bad {
    std::string_view name;
    Shape shape;
    std::vector<Numbers> bounds;
    Numbers value;
    std::string_view message;  // empty: valid
    double excess;
  };
  const double nan = std::nan("");
  const std::vector<Bad> rows = {
      {"identity", {2, 1, 1}, {}, {nan, kInf}, "", 0},
      {"lower", {3, 1, 1}, {{0}}, {1, 0, 2}, "", 0},
      {"lower", {3, 1, 1}, {{0}}, {1, -1, 2}, "[2] is -1, but must be at least 0", 1},
      {"lower", {1, 1, 1}, {{0}}, {-1}, "the value is -1, but must be at least 0", 1},
      {"lower", {1, 1, 1}, {{-kInf}}, {-kInf}, "", 0},
      {"lower", {1, 1, 1}, {{0}}, {nan}, "the value is nan, but must be at least 0", nan},
      {"upper", {2, 2, 1}, {{1, 2, 3, 4}}, {1, 2, 3.5, 4}, "[1, 2] is 3.5, but must be at most 3", 0.5},
      {"lower_upper", {1, 3, 1}, {{0}, {1}}, {0, 1, 1.5}, "[3] is 1.5, but must be at most 1", 0.5},
      {"lower_upper",
       {2, 1, 2},
       {{0}, {1}},
       {0, 1, 0.5, -2},
       "item 2 at [2] is -2, but must be at least 0",
       2},
      {"offset_multiplier", {1, 1, 1}, {{0}, {1}}, {nan}, "", 0},
      {"ordered",
       {3, 1, 1},
       {},
       {1, 1, 2},
       "[2] is 1, but must be greater than the element before it, which is 1",
       0},
      {"ordered",
       {2, 1, 1},
       {},
       {1, nan},
       "[2] is nan, but must be greater than the element before it, which is 1",
       nan},
      {"positive_ordered", {2, 1, 1}, {}, {-0.5, 1}, "[1] is -0.5, but must be at least 0", 0.5},
      {"positive_ordered", {2, 1, 1}, {}, {0, 1}, "", 0},
      {"simplex", {2, 1, 1}, {}, {0.5, 0.5 + 0.9e-8}, "", 0},
      {"simplex", {2, 1, 1}, {}, {0.5, 0.75}, "the value sums to 1.25, but must sum to 1", 0.25},
      {"simplex",
       {2, 1, 2},
       {},
       {0.5, 0.5, 1.25, -0.25},
       "item 2 at [2] is -0.25, but must be at least 0 in a simplex",
       0.25},
      {"simplex", {0, 1, 1}, {}, {}, "the value is empty, but a simplex has at least one element", 1},
      {"unit_vector", {2, 1, 1}, {}, {1, 1}, "the value has the squared length 2, but it must be 1", 1},
      {"unit_vector", {2, 1, 1}, {}, {0.6, -0.8}, "", 0},
      {"sum_to_zero_vector", {2, 1, 1}, {}, {1, -0.5}, "the value sums to 0.5, but must sum to 0", 0.5},
      {"sum_to_zero_matrix",
       {2, 2, 1},
       {},
       {1, -1, 2, -2},
       "the value has row 1 that sums to 3, but must sum to 0",
       3},
      {"sum_to_zero_matrix",
       {2, 2, 1},
       {},
       {1, -1, -1, 2},
       "the value has column 2 that sums to 1, but must sum to 0",
       1},
      {"cholesky_factor_cov", {2, 2, 1}, {}, {1, 2, 0, 1}, "", 0},
      {"cholesky_factor_cov",
       {2, 2, 1},
       {},
       {1, 2, 0.5, 1},
       "[1, 2] is 0.5, but must be 0 above the diagonal",
       0.5},
      {"cholesky_factor_cov",
       {2, 2, 1},
       {},
       {1, 2, 0, -1},
       "[2, 2] is -1, but must be positive on the diagonal",
       1},
      {"cholesky_factor_cov", {3, 2, 1}, {}, {1, 2, 3, 0, 1, 4}, "", 0},
      {"cholesky_factor_cov",
       {1, 2, 1},
       {},
       {1, 0},
       "the value has 1 rows and 2 columns, but must have at least as many rows as columns",
       1},
      {"cholesky_factor_corr", {2, 2, 1}, {}, {1, 0.6, 0, 0.8}, "", 0},
      {"cholesky_factor_corr",
       {2, 2, 1},
       {},
       {1, 0.5, 0, 0.5},
       "the value has row 2 of squared length 0.5, but it must be 1",
       0.5},
      {"corr_matrix", {2, 2, 1}, {}, {1, 0.5, 0.5, 1}, "", 0},
      {"corr_matrix", {2, 2, 1}, {}, {1, 0.5, 0.5, 1.5}, "[2, 2] is 1.5, but must be 1 on the diagonal", 0.5},
      {"corr_matrix",
       {2, 2, 1},
       {},
       {1, 0.5, 0.25, 1},
       "[1, 2] is 0.25, but must equal the element across the diagonal, which is 0.5",
       0.25},
      {"corr_matrix",
       {2, 2, 1},
       {},
       {1, 2, 2, 1},
       "the value is not positive definite: pivot 2 of its decomposition is -3, but must be positive",
       3},
      {"cov_matrix", {2, 2, 1}, {}, {4, 2, 2, 4}, "", 0},
      {"cov_matrix", {1, 1, 1}, {}, {-1}, "the value is -1, but must be positive", 1},
      {"cov_matrix", {2, 2, 1}, {}, {nan, 2, 2, 4}, "[1, 1] is nan, but must be a number", nan},
      {"column_stochastic_matrix",
       {2, 2, 1},
       {},
       {0.5, 0.5, 0.5, 1},
       "the value has column 2 that sums to 1.5, but must sum to 1",
       0.5},
      {"column_stochastic_matrix",
       {2, 2, 1},
       {},
       {0.5, 0.5, 2, -1},
       "[2, 2] is -1, but must be at least 0 in a simplex",
       1},
      {"row_stochastic_matrix",
       {2, 2, 1},
       {},
       {0.5, 0.5, 0.5, 1},
       "the value has row 2 that sums to 1.5, but must sum to 1",
       0.5},
      {"row_stochastic_matrix",
       {1, 3, 1},
       {},
       {1, 1, -1},
       "[3] is -1, but must be at least 0 in a simplex",
       1},
  };
  for (const Bad& bad : rows) {
    SCOPED_TRACE(bad.name);
    const auto bounds = as_arguments(bad.bounds);
    const auto violation = find_violation(*named(bad.name), {bad.shape, bounds, bad.value.data()});
    EXPECT_EQ(violation ? describe(*violation, bad.shape) : "", bad.message);
    if (!violation) continue;
    if (std::isnan(bad.excess)) {
      EXPECT_TRUE(std::isnan(violation->excess));
    } else {
      EXPECT_NEAR(violation->excess, bad.excess, 1e-12);
    }
    Numbers free(64);
    if (bad.shape.rows >= bad.shape.cols && bad.name != "cholesky_factor_corr") {
      EXPECT_TRUE(
          unconstrain(*named(bad.name), {bad.shape, bounds, bad.value.data()}, free.data()).has_value());
    }
  }
}

TEST(Transform, CountsViolations) {
  const Numbers bound = {0};
  const std::vector<DenseArgument> bounds = {{bound.data(), {1, 1, 1}, false}};
  const Numbers values = {1, -1, -2, 3, -4};
  EXPECT_EQ(find_violation(*named("lower"), {{5, 1, 1}, bounds, values.data()})->count, 3U);
  const Numbers simplexes = {0.5, 0.6, 0.5, 0.5, 1, 1};
  EXPECT_EQ(find_violation(*named("simplex"), {{2, 1, 3}, {}, simplexes.data()})->count, 2U);
}

// As in Stan, initial values of a correlation factor may be rounded; a row that is too long is refused.
TEST(Transform, RoundedCorrelationFactorsHaveFreeNumbers) {
  double free = 0;
  const Numbers rounded = {1, 0.5, 0, 0.866};
  EXPECT_FALSE(
      unconstrain(*named("cholesky_factor_corr"), {{2, 2, 1}, {}, rounded.data()}, &free).has_value());
  EXPECT_NEAR(free, std::atanh(0.5), 1e-15);
  const Numbers long_row = {1, 1.5, 0, 0.5};
  const auto violation = unconstrain(*named("cholesky_factor_corr"), {{2, 2, 1}, {}, long_row.data()}, &free);
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(describe(*violation, {2, 2, 1}),
            "[2, 1] is 1.5, but must be at most 1 in magnitude for its row to have length 1");
}

TEST(Transform, EveryRecordIsComplete) {
  EXPECT_EQ(all_transforms().size(), 17U);
  for (const TransformDef* transform : all_transforms()) {
    EXPECT_EQ(find_transform(transform->name), transform);
    EXPECT_NE(transform->free_size, nullptr);
    EXPECT_NE(transform->forward, nullptr);
    EXPECT_NE(transform->backward, nullptr);
    EXPECT_NE(transform->unconstrain, nullptr);
    EXPECT_NE(transform->check, nullptr);
    EXPECT_FALSE(transform->doc.empty());
  }
  EXPECT_EQ(find_transform("no_such"), nullptr);
}

}  // namespace
}  // namespace kullback::math
