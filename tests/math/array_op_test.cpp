// The engine over all array ops but the densities: adjoints against finite differences, constant arguments,
// empty arguments, shapes that do not fit, numbers outside the domain.
#include "math/array_op.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "array_op_cases.hpp"

namespace kullback::math::array_op_testing {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    total += a[i] * b[i];
  }
  return total;
}

Vector moved(const Vector& x, const Vector& direction, double step) {
  Vector result = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    result[i] += step * direction[i];
  }
  return result;
}

// The derivative of weights' * result along a direction of argument j: central differences, extrapolated
// twice.
double finite_difference(const ArrayOp& op, const std::vector<Value>& values, std::size_t j,
                         const Vector& direction, const Vector& weights) {
  std::vector<Value> shifted = values;
  const auto central = [&](double step) {
    Runner runner(op);
    shifted[j].data = moved(values[j].data, direction, step);
    const double above = dot(weights, runner.forward(shifted));
    shifted[j].data = moved(values[j].data, direction, -step);
    return (above - dot(weights, runner.forward(shifted))) / (2 * step);
  };
  constexpr double kStep = 4e-4;
  const double coarse = central(kStep);
  const double middle = central(kStep / 2);
  const double fine = central(kStep / 4);
  const double first = (4 * middle - coarse) / 3;
  const double second = (4 * fine - middle) / 3;
  return (16 * second - first) / 15;
}

void check_adjoint(const ArrayOp& op, const std::vector<Value>& values, Generator& generator) {
  Runner runner(op);
  const Vector weights = generator.normals(runner.forward(values).size());
  const std::vector<Vector> adjoints = runner.backward(weights);
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (!values[j].varies || values[j].size() == 0) {
      continue;
    }
    for (int trial = 0; trial < 3; ++trial) {
      const Vector direction = generator.direction(values[j]);
      const double expected = finite_difference(op, values, j, direction, weights);
      const double found = dot(adjoints[j], direction);
      const double scale = 1 + std::fabs(expected) + std::sqrt(dot(adjoints[j], adjoints[j]));
      EXPECT_NEAR(found, expected, 2e-7 * scale) << title(op) << ", argument " << j;
    }
    // Alone, an argument has the same adjoint as in company.
    std::vector<Value> alone = values;
    for (std::size_t i = 0; i < alone.size(); ++i) {
      alone[i].varies = i == j;
    }
    Runner lonely(op);
    lonely.forward(alone);
    const Vector own = lonely.backward(weights)[j];
    for (std::size_t i = 0; i < own.size(); ++i) {
      EXPECT_NEAR(own[i], adjoints[j][i], 1e-12 * (1 + std::fabs(own[i]))) << title(op) << ", argument " << j;
    }
  }
}

TEST(ArrayOp, EveryFunctionHasARowInTheTable) {
  std::set<std::string_view> names;
  for (const ArrayOp* op : tested_ops()) {
    EXPECT_TRUE(specs().contains(op->name)) << op->name;
    names.insert(op->name);
  }
  for (const auto& [name, rows] : specs()) {
    EXPECT_TRUE(names.contains(name)) << name << " is in the table of tests but is no array op";
  }
}

TEST(ArrayOp, IsFoundByNameAndTypes) {
  for (const ArrayOp* op : all_array_ops()) {
    EXPECT_EQ(find_array_op(op->name, op->parameter_types), op) << title(*op) << " is there twice";
  }
  EXPECT_EQ(find_array_op("no_such_function", {}), nullptr);
  EXPECT_EQ(find_array_op("sum", std::vector<Type>{{Kind::complex}}), nullptr);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] { EXPECT_FALSE(all_array_ops().empty()); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST(ArrayOp, AdjointsAgreeWithFiniteDifferences) {
  Generator generator(1);
  const std::vector<Sizes> all_sizes = {{.n = 3, .k = 2, .m = 4, .d = 2},
                                        {.n = 2, .k = 4, .m = 3, .d = 1},
                                        {.n = 5, .k = 5, .m = 2, .d = 3},
                                        {1, 1, 1, 1}};
  for (const ArrayOp* op : tested_ops()) {
    if (op->backward == nullptr) {
      continue;
    }
    for (const Sizes& sizes : all_sizes) {
      SCOPED_TRACE("n = " + std::to_string(sizes.n) + ", k = " + std::to_string(sizes.k));
      if (op->name.starts_with("hypergeometric_pFq") && sizes.k > sizes.n + 1) {
        continue;  // does not converge
      }
      check_adjoint(*op, generator.arguments(*op, sizes), generator);
    }
  }
}

TEST(ArrayOp, AdjointsOfBlockedAlgorithmsAgreeWithFiniteDifferences) {
  Generator generator(2);
  for (const ArrayOp* op : tested_ops()) {
    for (const std::string_view name :
         {"multiply", "crossprod", "cholesky_decompose", "mdivide_left", "mdivide_right",
          "mdivide_left_tri_low", "mdivide_right_tri_low", "mdivide_left_spd", "mdivide_right_spd",
          "inverse_spd", "log_determinant", "quad_form_sym", "qr_thin_R", "eigenvalues_sym",
          "gp_matern52_cov"}) {
      if (op->name == name) {
        check_adjoint(*op, generator.arguments(*op, {.n = 61, .k = 37, .m = 53, .d = 3}), generator);
      }
    }
  }
}

TEST(ArrayOp, EmptyArgumentsGiveEmptyOrNeutralResults) {
  const std::set<std::string_view> refuse = {"mean",
                                             "variance",
                                             "sd",
                                             "log_softmax",
                                             "hmm_marginal",
                                             "hmm_hidden_state_prob",
                                             "csr_matrix_times_vector",
                                             "csr_to_dense_matrix"};
  const std::map<std::string_view, double> neutral = {
      {"sum", 0},
      {"prod", 1},
      {"dot_product", 0},
      {"norm2", 0},
      {"trace", 0},
      {"determinant", 1},
      {"quad_form", 0},
      {"log_determinant_spd", 0},
      {"norm1", 0},
      {"log_determinant", 0},
      {"multiply", 0},
      {"trace_gen_quad_form", 0},
      {"log_sum_exp", -std::numeric_limits<double>::infinity()}};
  Generator generator(3);
  for (const ArrayOp* op : tested_ops()) {
    const std::vector<Value> values = generator.arguments(*op, {0, 0, 0, 0});
    Runner runner(*op);
    const bool of_ints =
        (op->name == "min" || op->name == "max") && op->parameter_types[0].is_int() && values.size() == 1;
    if (refuse.contains(op->name) || of_ints) {
      EXPECT_THROW(runner.forward(values), std::invalid_argument) << title(*op);
      continue;
    }
    const Vector result = runner.forward(values);
    if (const auto expected = neutral.find(op->name); expected != neutral.end() && result.size() == 1) {
      EXPECT_EQ(result[0], expected->second) << title(*op);
    }
    if (op->backward != nullptr) {
      runner.backward(generator.normals(result.size()));
    }
  }
}

// Makes one of two sizes that must agree larger by one.
TEST(ArrayOp, ShapesThatDoNotFitAreNamed) {
  Generator generator(4);
  const Sizes sizes{.n = 3, .k = 2, .m = 4, .d = 5};
  int tried = 0;
  for (const ArrayOp* op : tested_ops()) {
    if (op->name.starts_with("csr") || op->name == "add_diag" || op->name.starts_with("gp_dot") ||
        op->name.starts_with("hypergeometric_pFq")) {
      continue;
    }
    const std::vector<ArgumentSpec> spec = spec_of(*op);
    std::vector<Value> values = generator.arguments(*op, sizes);
    std::map<char, int> uses;
    for (std::size_t j = 0; j < spec.size(); ++j) {
      Shape shape;
      for (const Dimension& dimension : dimensions(op->parameter_types[j], spec[j], shape)) {
        ++uses[dimension.letter];
      }
    }
    for (std::size_t j = 0; j < spec.size(); ++j) {
      const Shape original = values[j].shape;
      for (const Dimension& dimension : dimensions(op->parameter_types[j], spec[j], values[j].shape)) {
        if (uses[dimension.letter] < 2) {
          continue;
        }
        ++tried;
        ++*dimension.size;
        std::vector<DenseArgument> arguments;
        for (const Value& value : values) {
          arguments.push_back({value.data.data(), value.shape, value.varies});
        }
        try {
          op->result_shape(arguments);
          ADD_FAILURE() << title(*op) << " takes an argument " << j << " of the wrong shape";
        } catch (const std::invalid_argument& error) {
          EXPECT_TRUE(std::string_view(error.what()).starts_with(std::string(op->name) + ": "))
              << error.what();
        }
        values[j].shape = original;
      }
    }
  }
  EXPECT_GT(tried, 100);
}

TEST(ArrayOp, MessagesAreStans) {
  const auto message = [](std::string_view name, const std::vector<Value>& values) -> std::string {
    for (const ArrayOp* op : all_array_ops()) {
      if (op->name == name && op->parameter_types.size() == values.size()) {
        try {
          Runner(*op).forward(values);
        } catch (const std::exception& error) {
          return error.what();
        }
      }
    }
    return "nothing was thrown";
  };
  const Value a{{2, 3, 1}, Vector(6)};
  const Value b{{4, 1, 1}, Vector(4)};
  EXPECT_EQ(message("multiply", {a, b}), "multiply: Columns of m1 (3) and Rows of m2 (4) must match in size");
  EXPECT_EQ(
      message("cholesky_decompose", {a}),
      "cholesky_decompose: Expecting a square matrix; rows of A (2) and columns of A (3) must match in size");
  EXPECT_EQ(message("mean", {{{0, 1, 1}, {}}}), "mean: m has size 0, but must have a non-zero size");
  EXPECT_EQ(message("chol2inv", {{{2, 2, 1}, {1, 0, 0.5, 1}}}),
            "chol2inv: L is not lower triangular; L[1,2]=0.5");
}

struct BadNumbers {
  std::string_view name;
  std::vector<Value> values;
};

TEST(ArrayOp, NumbersOutsideTheDomainAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Value indefinite{{2, 2, 1}, {1, 2, 2, 1}};
  const Value asymmetric{{2, 2, 1}, {2, 0.5, 0.4, 2}};
  const Value vector{{2, 1, 1}, {0.5, 0.5}};
  const Value not_simplex{{2, 1, 1}, {0.5, 0.6}};
  const Value omega{{2, 3, 1}, Vector(6, -1)};
  const Value stochastic{{2, 2, 1}, {0.5, 0.5, 0.5, 0.5}};
  const Value points{{1, 1, 2}, {0, 1}};
  const Value one{{1, 1, 1}, {1}};
  const Value minus{{1, 1, 1}, {-1}};
  const std::vector<BadNumbers> rows = {
      {"cholesky_decompose", {indefinite}},
      {"cholesky_decompose", {asymmetric}},
      {"cholesky_decompose", {{{1, 1, 1}, {0}}}},
      {"cholesky_decompose", {{{2, 2, 1}, {1, nan, nan, 1}}}},
      {"inverse_spd", {indefinite}},
      {"log_determinant_spd", {indefinite}},
      {"mdivide_left_spd", {indefinite, vector}},
      {"mdivide_left_spd", {asymmetric, vector}},
      {"mdivide_right_spd", {{{1, 2, 1}, {1, 2}}, indefinite}},
      {"quad_form_sym", {asymmetric, vector}},
      {"eigenvalues_sym", {asymmetric}},
      {"chol2inv", {asymmetric}},
      {"log_mix", {{{2, 1, 1}, {0.5, 1.5}}, vector}},
      {"log_mix", {vector, {{2, 1, 1}, {0, nan}}}},
      {"hmm_marginal", {omega, stochastic, not_simplex}},
      {"hmm_marginal", {omega, {{2, 2, 1}, {0.5, 0.5, 0.5, 0.6}}, vector}},
      {"gp_exp_quad_cov", {points, minus, one}},
      {"gp_matern32_cov", {points, one, minus}},
      {"gp_matern52_cov", {{{1, 1, 2}, {0, nan}}, one, one}},
      {"gp_periodic_cov", {points, one, one, minus}},
      {"gp_dot_prod_cov", {points, minus}},
      {"quantile", {vector, {{1, 1, 1}, {1.5}}}},
      {"matrix_power", {stochastic, minus}},
      {"hypergeometric_pFq", {{{2, 1, 1}, {1, 1}}, {{1, 1, 1}, {2}}, {{1, 1, 1}, {1.5}}}},
  };
  for (const auto& [name, values] : rows) {
    bool found = false;
    for (const ArrayOp* op : all_array_ops()) {
      if (op->name == name && op->parameter_types.size() == values.size()) {
        try {
          Runner(*op).forward(values);
          ADD_FAILURE() << title(*op) << " takes numbers outside its domain";
        } catch (const std::domain_error& error) {
          EXPECT_TRUE(std::string_view(error.what()).starts_with(std::string(name) + ": ")) << error.what();
        }
        found = true;
        break;
      }
    }
    EXPECT_TRUE(found) << name;
  }
}

}  // namespace
}  // namespace kullback::math::array_op_testing
