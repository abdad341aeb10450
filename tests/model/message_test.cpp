// What bad values get: constraints of computed variables, densities that are not finite, indexes and sizes.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/error.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

using density::Status;

struct Violated {
  const char*
      declaration;  // of `x`, with its value from the parameter t, or the vector v of three parameters
  const char* message;
};

// At t = 1 and v = (1, 0, 0) each constraint holds, at t = -1 and v = (0, 1, 0) none does.
constexpr Violated kViolated[] = {
    {"real<lower=0> x = t;", "'x' is -1, but must be at least 0"},
    {"real<upper=1> x = -t + 1;", "'x' is 2, but must be at most 1"},
    {"vector<lower=0, upper=2>[2] x = [1, t]';", "'x[2]' is -1, but must be at least 0"},
    {"array[2] vector<lower=0>[2] x = {[1, 1]', [1, t]'};", "'x[2, 2]' is -1, but must be at least 0"},
    {"matrix<lower=0>[2, 2] x = [[1, 1], [t, 1]];", "'x[2, 1]' is -1, but must be at least 0"},
    {"simplex[3] x = [t * 0.5, 0.25, 1 - 0.25 - t * 0.5]';", "'x[1]' is -0.5, but must be"},
    {"simplex[2] x = [t * 0.5, 0.5]' + (1 - t);", "'x' sums to "},
    {"ordered[2] x = [0, t]';", "'x[2]' is -1, but must"},
    {"positive_ordered[2] x = [t, 2]';", "'x[1]' is -1, but must be at least 0"},
    {"unit_vector[2] x = [t, 0]' + (1 - t);", "'x' has the squared length 5"},
    {"sum_to_zero_vector[2] x = [t, -1]';", "'x' sums to -2"},
    {"cholesky_factor_cov[2] x = [[t, 0], [1, 1]];", "'x[1, 1]' is -1, but must be positive"},
    {"cholesky_factor_corr[2] x = [[1, 0], [sqrt(1 - 0.25 * t), 0.5]];", "'x"},
    {"cov_matrix[2] x = [[1, 0], [0, t]];", "'x' is not positive definite"},
    {"corr_matrix[2] x = [[1, 0.5], [0.5, t]];", "'x"},
    {"tuple(real, vector<lower=0>[2]) x = (1, [1, t]');", "'x.2[2]' is -1, but must be at least 0"},
};

TEST(Constraints, TransformedParametersRejectAtTraceAndReplay) {
  for (const Violated& row : kViolated) {
    const std::string program = std::string("parameters { real t; }\ntransformed parameters {\n  ") +
                                row.declaration + "\n}\nmodel { t ~ normal(0, 1); }\n";
    const std::string where = "model.stan:3:3: transformed parameter ";
    const auto traced = load(program);
    EXPECT_EQ(evaluate(*traced->model, {-1}).status, Status::rejected) << row.declaration;
    EXPECT_EQ(traced->model->message().rfind(where + row.message, 0), 0U)
        << row.declaration << traced->model->message();
    const auto replayed = load(program);
    const Point good = evaluate(*replayed->model, {1});
    ASSERT_EQ(good.status, Status::ok) << row.declaration << replayed->model->message();
    EXPECT_DOUBLE_EQ(good.log_density, -0.5);
    EXPECT_DOUBLE_EQ(good.gradient[0], -1);
    EXPECT_EQ(evaluate(*replayed->model, {-1}).status, Status::rejected) << row.declaration;
    EXPECT_EQ(replayed->model->message().rfind(where + row.message, 0), 0U)
        << row.declaration << replayed->model->message();
    EXPECT_EQ(evaluate(*replayed->model, {1}).status, Status::ok);
    EXPECT_EQ(replayed->model->message(), "");
  }
}

TEST(Constraints, OneLaneIsRejectedAloneAndTheOthersKeepTheirGradients) {
  const auto loaded = load(
      "parameters { real t; } transformed parameters { real<lower=0> x = 2 * t; } model { x ~ normal(0, 1); "
      "}");
  const std::array<double, 3> theta{1, -1, 2};
  std::array<double, 3> log_density{};
  std::array<double, 3> gradient{};
  std::array<Status, 3> status{};
  loaded->model->evaluate({3, theta.data(), log_density.data(), gradient.data(), status.data()});
  EXPECT_EQ(status[0], Status::ok);
  EXPECT_EQ(status[1], Status::rejected);
  EXPECT_EQ(status[2], Status::ok);
  EXPECT_DOUBLE_EQ(log_density[0], -2);
  EXPECT_DOUBLE_EQ(gradient[2], -8);
}

TEST(Constraints, ValuesOfExpAndInvLogitNeedNoCheck) {
  const auto loaded = load(
      "parameters { vector[3] t; real<lower=1> p; } transformed parameters { vector<lower=0>[3] x = exp(t);"
      " vector<lower=0, upper=1>[3] y = inv_logit(t); real<lower=0> q = p; } model { x ~ normal(y, 1); }");
  const auto without = load(
      "parameters { vector[3] t; real<lower=1> p; } transformed parameters { vector[3] x = exp(t);"
      " vector[3] y = inv_logit(t); real q = p; } model { x ~ normal(y, 1); }");
  evaluate(*loaded->model, {0, 0, 0, 0});
  evaluate(*without->model, {0, 0, 0, 0});
  EXPECT_EQ(loaded->model->tape()->instructions.size(), without->model->tape()->instructions.size());
}

std::string load_error(const std::string& program, const std::string& data = "{}") {
  try {
    load(program, data);
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

TEST(Constraints, TransformedDataAreAnError) {
  EXPECT_EQ(load_error("transformed data {\n  array[2] int<lower=1> k = {1, 0};\n} parameters { real mu; }"),
            "model.stan:2:3: transformed data variable 'k[2]' is 0, but must be at least 1");
  EXPECT_EQ(load_error("transformed data {\n  real<lower=0> k;\n} parameters { real mu; }"),
            "model.stan:2:3: transformed data variable 'k' is nan, but must be at least 0");
}

TEST(Places, IndexesAndSizesNameTheVariable) {
  const std::string end = "\n} parameters { real mu; }";
  const auto line = [&](const std::string& text) { return load_error("transformed data {\n" + text + end); };
  EXPECT_EQ(line("vector[3] x = [1, 2, 3]'; int k = 4;\nreal y = x[k];"),
            "model.stan:3:1: 'x': index 4 is outside 1 to 3.");
  EXPECT_EQ(line("matrix[2, 3] x = rep_matrix(1, 2, 3);\nx[1, 0] = 2;"),
            "model.stan:3:1: 'x': index 0 of dimension 2 is outside 1 to 3.");
  EXPECT_EQ(line("vector[3] x;\nx = [1, 2]';"),
            "model.stan:3:1: 'x' has dimensions [3], but the value assigned to it has dimensions [2].");
  EXPECT_EQ(line("vector[3] x;\nx[1:2] = [1, 2, 3]';"),
            "model.stan:3:1: 'x[1:2]' has dimensions [2], but the value assigned to it has dimensions [3].");
  EXPECT_EQ(line("matrix[3, 3] x;\nx[1:2, 1:3] = rep_matrix(0, 3, 2);"),
            "model.stan:3:1: 'x[1:2, 1:3]' has dimensions [2, 3], but the value assigned to it has "
            "dimensions [3, 2].");
  EXPECT_EQ(line("array[2] int k; k[1] = 3;\nint j = sum(k);"),
            "model.stan:3:1: 'k' is read before it is set.");
  EXPECT_EQ(line("\nvector[3] x = [1, 2]';"),
            "model.stan:3:1: 'x' has dimensions [3], but the value it is given has dimensions [2].");
  EXPECT_EQ(line("int k;\nint j = k + 1;"), "model.stan:3:1: 'k' is read before it is set.");
  EXPECT_EQ(line("array[2] int k; k[1] = 3;\nint j = k[2];"),
            "model.stan:3:1: 'k[2]' is read before it is set.");
  EXPECT_EQ(line("\nfatal_error(\"so: \", 3);"), "model.stan:3:1: fatal_error: so: 3");
  EXPECT_EQ(line("\nreject(\"so: \", 3);"), "model.stan:3:1: so: 3");
}

TEST(Ints, BeyondTheirRangeAreErrors) {
  struct Row {
    const char* statement;
    const char* message;
  };
  constexpr Row kRows[] = {
      {"int n = 65536 * 65536;", "65536 * 65536 is 4294967296"},
      {"array[65536 * k] real x;", "65536 * 65536 is 4294967296"},
      {"vector[65536 * k] x;", "65536 * 65536 is 4294967296"},
      {"for (i in 1:(k * k)) k = 1;", "65536 * 65536 is 4294967296"},
      {"int n = most + 1;", "2147483647 + 1 is 2147483648"},
      {"int n = least - 1;", "-2147483648 - 1 is -2147483649"},
      {"int n = -least;", "-(-2147483648) is 2147483648"},
      {"int n = least %/% -1;", "-2147483648 %/% (-1) is 2147483648"},
      {"int n = least / -1;", "-2147483648 / (-1) is 2147483648"},
      {"int n = abs(least);", "-(-2147483648) is 2147483648"},
      {"k *= k;", "65536 * 65536 is 4294967296"},
      {"k -= least;", "65536 - (-2147483648) is 2147549184"},
      {"int n = sum({most, 1});", "the result of sum is 2147483648"},
      {"int n = prod({k, k, 2});", "the result of prod is 8589934592"},
      {"int n = choose(60, 30);", "the result of choose is 1.18"},
      {"int n = to_int(3e9);", "the result of to_int is 3000000000"},
      {"int n = to_int(not_a_number());", "the result of to_int is nan"},
      {"int n = poisson_rng(1e9) + poisson_rng(1e9) + 500000000;", " is 2"},
      {"int n = k %/% 0;", "65536 %/% 0 divides an int by zero."},
      {"int n = k / 0;", "65536 / 0 divides an int by zero."},
      {"int n = k % 0;", "65536 % 0 divides an int by zero."},
      {"int n = modulus(k, 0);", "65536 % 0 divides an int by zero."},
  };
  for (const Row& row : kRows) {
    const std::string found = load_error(
        std::string("transformed data {\n  int k = 65536; int most = 2147483647; int least = -most - 1;\n") +
        row.statement + "\n} parameters { real mu; }");
    EXPECT_EQ(found.rfind("model.stan:3:", 0), 0U) << row.statement << ": " << found;
    EXPECT_NE(found.find(row.message), std::string::npos) << row.statement << ": " << found;
  }
  EXPECT_NE(load_error("data { vector[65536 * 65536] y; } parameters { real mu; }", R"({"y": []})")
                .find("65536 * 65536 is 4294967296, but an int holds -2147483648 to 2147483647 only"),
            std::string::npos);
  EXPECT_NE(load_error("parameters { vector[65536 * 65536] y; }").find("65536 * 65536 is 4294967296"),
            std::string::npos);
}

// The least int is a value like any other, not the sign of one that was never set.
TEST(Ints, AllOfThemAreValues) {
  const auto loaded = load(
      "data { int d; array[2] int e; }\n"
      "transformed data {\n"
      "  int least = -2147483647 - 1; array[3] int a; a[2] = least; a[1] = min({3, least}); a[3] = d;\n"
      "  array[2] int part = a[2:3]; int n = 0; int j; j = least;\n"
      "  for (i in 2147483645:2147483647) n += 1;\n"
      "  for (i in e) if (i == least) n += 10;\n"
      "}\n"
      "parameters { real x; }\n"
      "model { int k = least; target += x * n; target += (a[1] == d) + 2 * (part[1] == k) + 4 * (j + 1 == "
      "-2147483647);\n"
      "  target += 8 * (sum({1, least, 2147483647}) == 0) + 16 * (prod({0, least, least}) == 0) +\n"
      "            32 * (linspaced_int_array(2, least, 2147483647)[2] == 2147483647); }\n",
      R"({"d": -2147483648, "e": [-2147483648, 1]})");
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(evaluate(*loaded->model, {1}).log_density, 13 + 63) << loaded->model->message();
}

TEST(Ints, GapsMoveWithTheirArrays) {
  const auto line = [&](const std::string& text) {
    return load_error("transformed data {\n  array[4] int a; a[1] = 7; a[3] = 8;\n" + text +
                      "\n} parameters { real mu; }");
  };
  EXPECT_EQ(line("array[2] int b = a[3:4]; int n = b[1] + size(a); b = head(a, 2); n = b[1];"), "no error");
  EXPECT_EQ(line("array[2] int b = a[3:4]; int n = b[2];"),
            "model.stan:3:26: 'b[2]' is read before it is set.");
  EXPECT_EQ(line("array[2] int b = {1, 2}; b[1:2] = a[1:2]; int n = b[2];"),
            "model.stan:3:43: 'b[2]' is read before it is set.");
  EXPECT_EQ(line("array[4] int b = reverse(a); int n = b[3];"),
            "model.stan:3:30: 'b[3]' is read before it is set.");
  EXPECT_EQ(line("array[4] real b = a;"), "model.stan:3:1: 'a' is read before it is set.");
  EXPECT_EQ(line("array[5] int b = append_array(a, {1});"), "model.stan:3:1: 'a' is read before it is set.");
  EXPECT_EQ(line("vector[4] v; vector[2] w = v[a[1:2]];"),
            "model.stan:3:14: 'a[1:2]' is read before it is set.");
}

struct NotFiniteRow {
  const char* statement;
  double theta;
  Status status;
  const char* message;
};

constexpr NotFiniteRow kNotFinite[] = {
    {"1 ~ normal(0, t);", -1, Status::rejected,
     "model.stan:3:1: normal_lpdf: scale is -1, but must be positive"},
    {"[1, 2]' ~ normal(0, [1, t]');", -1, Status::rejected,
     "model.stan:3:1: normal_lpdf: scale is -1, but must be positive (element 2 of 2)"},
    {"target += log(t);", -1, Status::not_finite, "statement at model.stan:3:1: log(-1) is nan"},
    {"target += log(t);", 0, Status::not_finite, "statement at model.stan:3:1: log(0) is -inf"},
    {"1 ~ exponential(exp(t));", 1000, Status::rejected, "model.stan:3:1: exponential_lpdf: "},
    {"target += uniform_lpdf(t | 0, 3);", 5, Status::not_finite,
     "statement at model.stan:3:1: uniform_lpdf(5 | 0, 3) is -inf"},
    {"{ real y = 1 / (t + 1); target += square(y) - y; }", -1, Status::not_finite,
     "statement at model.stan:3:3: divide(1, 0) is inf"},
    {"if (t < 0) reject(\"t = \", t);", -1, Status::rejected, "model.stan:3:12: t = -1"},
    {"[1, 2]' ~ multi_normal([0, 0]', [[1, 0], [0, t]]);", -1, Status::rejected, "model.stan:3:1: "},
    {"1 ~ poisson(t);", -1, Status::rejected, "model.stan:3:1: poisson_lpmf: "},
};

std::string always_error(StanModel& model) {
  try {
    evaluate(model, std::vector<double>(model.dim(), 0.0));
  } catch (const Error& error) {
    EXPECT_NE(error.hint(), "");
    return error.message();
  }
  return "no error";
}

TEST(NotFinite, NamesTheStatementAtTraceAndReplay) {
  for (const NotFiniteRow& row : kNotFinite) {
    const std::string program =
        std::string("parameters { real t; }\nmodel {\n") + row.statement + "\nt ~ normal(0, 1); }";
    for (const bool replay : {false, true}) {
      const auto loaded = load(program);
      if (replay) {
        ASSERT_EQ(evaluate(*loaded->model, {1}).status, Status::ok) << row.statement;
      }
      EXPECT_EQ(evaluate(*loaded->model, {row.theta}).status, row.status) << row.statement << replay;
      EXPECT_EQ(loaded->model->message().rfind(row.message, 0), 0U)
          << row.statement << replay << loaded->model->message();
      const std::string first = loaded->model->message();
      evaluate(*loaded->model, {1});
      evaluate(*loaded->model, {row.theta});
      EXPECT_EQ(loaded->model->message(), first);
    }
  }
}

TEST(NotFinite, ArgumentsThatAreDataAreCheckedEvenWhereTheDensityIsDropped) {
  const auto loaded = load("parameters { real t; }\nmodel {\n1 ~ normal(0, -1); }");
  EXPECT_EQ(always_error(*loaded->model),
            "model.stan:3:1: normal_lpdf: scale is -1, but must be positive, in '1 ~ normal(0, -1);'.");
}

TEST(NotFinite, WhatNoParameterChangesIsAnErrorWithItsStatement) {
  const auto error_of = [](const std::string& statement) {
    const auto loaded = load("parameters { vector[2] mu; }\nmodel {\n" + statement + " }");
    return always_error(*loaded->model);
  };
  EXPECT_EQ(error_of("[1, 2, 3]' ~ normal(mu,\n   1);"),
            "model.stan:3:1: normal: the variate has 3 elements, but the location has 2 elements, in "
            "'[1, 2, 3]' ~ normal(mu, 1);'.");
  EXPECT_EQ(error_of("[1, not_a_number()]' ~ normal(mu, 1);"),
            "model.stan:3:1: normal_lpdf: variate is NaN (element 2 of 2), in "
            "'[1, not_a_number()]' ~ normal(mu, 1);'.");
  EXPECT_EQ(error_of("target += mu[3];"), "model.stan:3:1: 'mu': index 3 is outside 1 to 2.");
  EXPECT_EQ(error_of("vector[3] x = mu;"),
            "model.stan:3:1: 'x' has dimensions [3], but the value it is given has dimensions [2].");
  EXPECT_EQ(error_of("target += sum(mu + [1, 2, 3]');"),
            "model.stan:3:1: add: its arguments have dimensions [2] and dimensions [3].");
}

TEST(NotFinite, WhatABranchOfParametersDecidesIsNoError) {
  const auto loaded = load(
      "parameters { real t; }\nmodel {\nif (t > 0) [1, 2, 3]' ~ normal([1, 2]', 1); t ~ normal(0, 1); }");
  EXPECT_EQ(evaluate(*loaded->model, {1}).status, Status::rejected);
  EXPECT_EQ(evaluate(*loaded->model, {-1}).status, Status::ok);
}

TEST(NotFinite, AnOverflowOfAParameterNamesItsDeclaration) {
  const auto loaded = load("parameters {\n  real<lower=0> s;\n}\nmodel { 1 ~ normal(0, s); }");
  EXPECT_EQ(evaluate(*loaded->model, {800}).status, Status::not_finite);
  EXPECT_EQ(loaded->model->message(), "statement at model.stan:2:3: the parameter declared here is inf");
}

TEST(NotFinite, ATruncatedVariateOutsideItsBoundsIsMinusInfinity) {
  const auto loaded = load("parameters { real t; }\nmodel { t ~ normal(0, 1) T[0, 2]; }");
  const Point inside = evaluate(*loaded->model, {1});
  EXPECT_EQ(inside.status, Status::ok);
  const Point outside = evaluate(*loaded->model, {-1});
  EXPECT_EQ(outside.status, Status::not_finite);
  EXPECT_EQ(outside.log_density, -INFINITY);
  EXPECT_EQ(evaluate(*loaded->model, {3}).log_density, -INFINITY);
}

TEST(Memory, AProgramThatDoesNotFitIsRefusedWithItsLargestStatement) {
  const char* program =
      "data { int N; }\nparameters { real t; }\nmodel {\n  real x = t;\n  for (n in 1:N) x = sin(x) + n;\n"
      "  target += x;\n}\n";
  const std::string data = R"({"N": 20000})";
  const auto message_of = [](StanModel& model, std::size_t lanes) -> std::string {
    const std::vector<double> theta(lanes, 0.5);
    std::vector<double> log_density(lanes);
    std::vector<Status> status(lanes);
    try {
      model.evaluate({lanes, theta.data(), log_density.data(), nullptr, status.data()});
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  };
  const auto small = load(program, data, {.max_memory = 1'000'000});
  const std::string traced = message_of(*small->model, 1);
  EXPECT_NE(traced.find("needs more than 1 MB of memory for its first "), std::string::npos) << traced;
  EXPECT_NE(traced.find("100 % come from the statement at model.stan:5:18."), std::string::npos) << traced;
  tape::Builder recorded;
  const double point = 0.5;
  ASSERT_TRUE(load(program, data)->model->trace(&point, recorded));
  // The trace fits, values and adjoints of 40000 operations do not.
  const auto larger = load(program, data, {.max_memory = recorded.bytes() + 100'000});
  const std::string estimated = message_of(*larger->model, 1);
  EXPECT_NE(estimated.find(" MB of memory for 40000 operations, but "), std::string::npos) << estimated;
  const auto one_lane = load(program, data, {.max_memory = 5'000'000});
  EXPECT_EQ(message_of(*one_lane->model, 1), "no error");
  EXPECT_EQ(message_of(*one_lane->model, 64), "no error");  // fewer of them run together
  const auto unlimited = load(program, data);
  EXPECT_EQ(message_of(*unlimited->model, 64), "no error");
  EXPECT_LT(one_lane->model->lanes_together(), unlimited->model->lanes_together());
}

}  // namespace
}  // namespace kullback::model
