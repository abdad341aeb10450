// What `~` and _lupdf leave out depends on types alone, as in Stan: a term stays where an argument of it is
// autodiff by its type, whatever its number is made of in the branch that was taken.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "model/cpp_model.hpp"
#include "model/generative.hpp"
#include "model/interpreter_check.hpp"
#include "model/outputs.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

const double kLog2 = std::log(2.0);
const double kHalfLogTwoPi = 0.5 * std::log(2 * std::numbers::pi);

struct Row {
  const char* functions;  // of the functions block
  const char* model;      // statements after `parameters { real x; }`
  double x;
  double log_density;  // Stan's, worked out by hand
};

constexpr const char* kDensities =
    "real g_lpdf(real y, real m) { real s = 2; return normal_lupdf(y | m, s); }\n"
    "real h_lpdf(real y, real m) { return g_lupdf(y | m); }\n"
    "real full_lpdf(real y, real m) { return g_lpdf(y | m); }\n"
    "real two(real a, real b) { real c = 2; return c; }\n"
    "real first(data real a, real b) { return a; }\n"
    "void add_lp(real m) { real s = 2; 1.0 ~ normal(m, s); }\n"
    "real part_lpdf(array[] real y, int start, int end, real m) { return normal_lupdf(y | m, 2); }\n"
    "real chosen_lpdf(real y, real a, real b) { return normal_lupdf(y | 0, b > 0 ? a : 2.0); }\n"
    "real listed_lpdf(real y, real a, real b) { return normal_lupdf(y | 0, {a, b}[1]); }\n"
    "real each_lpdf(array[] real y, real m) {\n"
    "  real sum = 0; for (v in y) { sum += normal_lupdf(v | 0, 2); } return sum; }\n";

TEST(Constants, StayByType) {
  const Row rows[] = {
      // Local variables of the model are autodiff, whatever they hold.
      {"", "real mu; if (x > 0) mu = 2; else mu = x; 1.0 ~ normal(mu, 1);", 0.5, -0.5},
      {"", "real mu; if (x > 0) mu = 2; else mu = x; 1.0 ~ normal(mu, 1);", -0.5, -1.125},
      {"", "real s = 2; 1.0 ~ normal(0, s);", 0.5, -0.125 - kLog2},
      {"", "real rate = 2; 3 ~ poisson(rate);", 0.5, 3 * kLog2 - 2},
      {"", "vector[2] m = [1, 2]'; [0.5, 0.5]' ~ normal(m, 1);", 0.5, -1.25},
      {"", "real y = 1; y ~ normal(0, 2);", 0.5, -0.125},
      {"", "real a = 2; 0.5 ~ gamma(a, 1.0);", 0.5, -kLog2},
      {"", "vector[2] b = [1, 2]'; {1, 0} ~ bernoulli_logit_glm([[1, 0], [0, 1]], 0, b);", 0.5,
       -std::log1p(std::exp(-1)) - std::log1p(std::exp(2))},
      {"", "matrix[2, 2] S = [[2, 0], [0, 2]]; [1, 1]' ~ multi_normal([0, 0]', S);", 0.5, -kLog2 - 0.5},
      // Literals, sizes and loop variables are data: nothing is left.
      {"", "1.0 ~ normal(0, 2);", 0.5, 0},
      {"", "for (i in 1:3) i ~ poisson(2.0);", 0.5, 0},
      {"", "for (v in {1.0, 2.0}) v ~ normal(0, 2);", 0.5, 0},
      {"", "[1, 1]' ~ multi_normal([0, 0]', [[2, 0], [0, 2]]);", 0.5, 0},
      {"", "1.0 ~ normal(1 > 0 ? 2.0 : 3.0, 1);", 0.5, 0},
      {"", "1.0 ~ normal((x, 2.0).2, 1);", 0.5, 0},
      // A comparison of parameters makes parameters of what is chosen by it.
      {"", "1.0 ~ normal(x > 0 ? 2.0 : 3.0, 1);", 0.5, -0.5},
      {"", "1.0 ~ normal((x > 0) * 2.0, 1);", 0.5, 0},
      // Elements have the type of their container.
      {"", "1.0 ~ normal(x > 0 ? 2 : x, 1);", 0.5, -0.5},
      {"", "1.0 ~ normal({x, 2.0}[2], 1);", 0.5, -0.5},
      {"", "1.0 ~ normal([x, 2][2], 1);", 0.5, -0.5},
      {"", "tuple(real, real) t = (x, 2.0); 1.0 ~ normal(t.2, 1);", 0.5, -0.5},
      {"", "array[2] real z = {1, 2}; for (v in z) v ~ normal(0, 1);", 0.5, -2.5},
      {"", "1.0 ~ normal(2 + 0 * target(), 1);", 0.5, -0.5},
      // Of a function: by all of its arguments, for its locals and its result.
      {kDensities, "1.0 ~ normal(two(x, 1), 1);", 0.5, -0.5},
      {kDensities, "1.0 ~ normal(two(3, 1), 1);", 0.5, 0},
      {kDensities, "1.0 ~ normal(first(2, x), 1);", 0.5, -0.5},
      {kDensities, "1.0 ~ g(x);", 0.5, -0.03125 - kLog2},
      {kDensities, "1.0 ~ g(3.0);", 0.5, 0},
      {kDensities, "target += g_lupdf(1.0 | x);", 0.5, -0.03125 - kLog2},
      {kDensities, "target += g_lpdf(1.0 | x);", 0.5, -0.03125 - kLog2 - kHalfLogTwoPi},
      {kDensities, "target += g_lpdf(1.0 | 3.0);", 0.5, -0.5 - kLog2 - kHalfLogTwoPi},
      {kDensities, "1.0 ~ h(x);", 0.5, -0.03125 - kLog2},
      {kDensities, "target += h_lpdf(1.0 | x);", 0.5, -0.03125 - kLog2 - kHalfLogTwoPi},
      {kDensities, "1.0 ~ full(x);", 0.5, -0.03125 - kLog2 - kHalfLogTwoPi},
      {kDensities, "add_lp(x);", 0.5, -0.03125 - kLog2},
      {kDensities, "add_lp(3.0);", 0.5, 0},
      {kDensities, "1.0 ~ chosen(3, x);", 0.5, -1.0 / 18 - std::log(3)},
      {kDensities, "1.0 ~ chosen(3, 1);", 0.5, 0},
      {kDensities, "1.0 ~ listed(2, x);", 0.5, -0.125 - kLog2},
      {kDensities, "1.0 ~ listed(2, 1);", 0.5, 0},
      {kDensities, "{1.0, 2.0} ~ each(x);", 0.5, -0.625},
      {kDensities, "{1.0, 2.0} ~ each(3);", 0.5, 0},
      // reduce_sum, by the name its function is given under.
      {kDensities, "target += reduce_sum(part_lupdf, {1.0, 2.0}, 1, x);", 0.5, -0.3125},
      {kDensities, "target += reduce_sum(part_lpdf, {1.0, 2.0}, 1, x);", 0.5,
       -0.3125 - 2 * kLog2 - 2 * kHalfLogTwoPi},
      {kDensities, "target += reduce_sum(part_lupdf, {1.0, 2.0}, 1, 3);", 0.5, 0},
      // The mass of a truncation always stays.
      {"", "1.5 ~ normal(0, 1) T[0, ];", 0.5, kLog2},
  };
  for (const Row& row : rows) {
    const std::string program = std::string("functions {\n") + row.functions +
                                "}\nparameters { real x; }\nmodel { " + row.model + " }\n";
    const auto loaded = load(program);
    ASSERT_NE(loaded, nullptr) << row.model;
    EXPECT_NEAR(evaluate(*loaded->model, {row.x}).log_density, row.log_density, 1e-13) << row.model;
    const auto normalized = load(program, "{}", {.normalized = true});
    EXPECT_NEAR(interpret(*normalized->model->prepared(), {row.x}, {.normalized = true}),
                evaluate(*normalized->model, {row.x}).log_density, 1e-13)
        << row.model;
  }
}

TEST(Constants, OfTheIssuesExamples) {
  const auto branch = load(
      "parameters { real<lower=-3, upper=3> x; }\n"
      "model { real mu; if (x > 0) mu = 2; else mu = x; 1.0 ~ normal(mu, 1); }\n");
  EXPECT_NEAR(evaluate(*branch->model, {0.5}).log_density, std::log(6 / (2 + 2 * std::cosh(0.5))) - 0.5,
              1e-14);

  // One observation more on the side of the known rate is that observation's normalized term, up to log y!.
  const auto change_point = load(
      "data { int N; array[N] int y; } parameters { real<lower=0, upper=N> tau; real<lower=0> late; }\n"
      "model { for (i in 1:N) { real lambda; if (i < tau) lambda = 1; else lambda = late;\n"
      "  y[i] ~ poisson(lambda); } }\n",
      R"({"N": 4, "y": [1, 0, 3, 5]})");
  const auto at = [&](double tau) { return std::vector<double>{std::log(tau / (4 - tau)), std::log(3)}; };
  const auto jacobian = [](double tau) { return std::log(tau * (4 - tau) / 4); };
  const double early = evaluate(*change_point->model, at(1.5)).log_density - jacobian(1.5);
  const double late = evaluate(*change_point->model, at(3.5)).log_density - jacobian(3.5);
  EXPECT_NEAR(late - early, (-1 - 1) - (3 * std::log(3) - 6), 1e-12);
}

// Programs whose branches have the same statements: constants that are dropped cannot tell branches apart, so
// that differences between points are those of the normalized densities.
TEST(Constants, BranchesDifferAsNormalizedDensitiesDo) {
  constexpr ProgramRow kRows[] = {
      {"location", "real m; if (x > 0) m = 2; else m = x; {1.0, 3.0} ~ normal(m, 1);"},
      {"scale", "real s; if (x > 0) s = 2; else s = exp(x); {1.0, 3.0} ~ student_t(4, 0, s);"},
      {"count", "real r; if (x > 0) r = 2; else r = exp(x); {1, 3} ~ poisson(r); 2 ~ neg_binomial_2(r, r);"},
      {"vectors", "vector[2] m; m = x > 0 ? [1, 2]' : [x, x]'; [1, 1]' ~ multi_normal(m, [[2, 1], [1, 3]]);"},
      {"shape", "real a; if (x > 0) a = 3; else a = exp(x); 0.3 ~ beta(a, 2); 1.5 ~ gamma(2, a);"},
      {"loop", "for (n in 1:9) { real m = 0; if (n * 0.1 > x) m = x; n * 0.1 ~ normal(m, 1 + m * m); }"},
      {"mixture",
       "real m = 1; if (x < 0) m = x; target += log_mix(0.3, normal_lupdf(1.0 | m, 1), "
       "normal_lupdf(1.0 | x, 1));"},
      {"range", "real a; if (x > 0) a = 0; else a = x; real b = 2; 1.0 ~ uniform(a, b);"},
  };
  for (const ProgramRow& row : kRows) {
    const std::string program = std::string("parameters { real x; } model { ") + row.program + " }";
    const auto dropped = load(program);
    const auto kept = load(program, "{}", {.normalized = true});
    ASSERT_NE(dropped, nullptr);
    const auto difference = [&](double x) {
      return evaluate(*dropped->model, {x}).log_density - evaluate(*kept->model, {x}).log_density;
    };
    for (const double x : {-0.75, 0.25, 0.6, 1.5})
      EXPECT_NEAR(difference(x), difference(-0.3), 1e-12) << row.name << " at " << x;
  }
}

// Two traces of one program differ by its own branches only, never by constants.
TEST(Constants, DoNotDependOnThePointOfTheTrace) {
  const std::string program =
      "data { array[6] real y; } parameters { real x; real<lower=0, upper=2> u; vector[3] z; }\n"
      "model { real a = 0; real b = 2; vector[3] m = [0, 1, 2]'; if (x > 0) { m[2] = x; a = -x; }\n"
      "  u ~ uniform(a, b); z ~ normal(m, 1); y ~ normal(x > 0.2 ? 0.2 : x, u + 1);\n"
      "  for (i in 1:6) { real s = 1; if (y[i] > x) s = u + 1; y[i] ~ double_exponential(m[2], s); } }\n";
  const std::string data = R"({"y": [-0.4, 0.1, 0.5, -1, 0.3, 0.7]})";
  const std::vector<std::vector<double>> points = {
      {-0.5, 0.1, 0.2, 0.3, 0.4}, {0.1, -0.3, 0.2, -0.3, 0.4}, {0.4, 0.7, 1.2, 0.3, -0.4}};
  for (const std::vector<double>& traced : points) {
    const auto loaded = load(program, data);
    evaluate(*loaded->model, traced);
    for (const std::vector<double>& point : points) {
      const auto fresh = load(program, data);
      const double wanted = interpret(*fresh->model->prepared(), point, {});
      EXPECT_NEAR(evaluate(*fresh->model, point).log_density, wanted, 1e-12);
      EXPECT_NEAR(evaluate(*loaded->model, point).log_density, wanted, 1e-12);
    }
  }
}

// _lpdf of generated quantities is normalized, whatever the function does inside.
TEST(Constants, GeneratedQuantitiesKeepThem) {
  const auto loaded =
      load(std::string("functions {\n") + kDensities +
           "}\nparameters { real x; } model { x ~ normal(0, 1); }\n"
           "generated quantities { real l = g_lpdf(1.0 | x); real h = h_lpdf(1.0 | 3.0); }\n");
  Outputs outputs(loaded->model->prepared());
  std::vector<double> row(3);
  Random random(1);
  const double x = 0.5;
  outputs.write(&x, random, row.data());
  EXPECT_NEAR(row[1], -0.03125 - kLog2 - kHalfLogTwoPi, 1e-14);
  EXPECT_NEAR(row[2], -0.5 - kLog2 - kHalfLogTwoPi, 1e-14);
}

TEST(Constants, OfCppModelsGoByTheTypesOfArguments) {
  const auto density = [](const std::function<Quantity(const Quantity&)>& term, double x) {
    CppModel model([&](Joint& p) { p += term(p.real("x")); });
    return evaluate(model, {x}).log_density;
  };
  const auto branch = [](const Quantity& x) {
    const Real mu = x > 0 ? Real(2.0) : x;
    return call("normal_lupdf", {1.0, mu, 1});
  };
  EXPECT_NEAR(density(branch, 0.5), -0.5, 1e-15);
  EXPECT_NEAR(density(branch, -0.5), -1.125, 1e-15);
  EXPECT_EQ(density([](const Quantity&) { return call("normal_lupdf", {1.0, 0, 2.0}); }, 0.5), 0);
  EXPECT_NEAR(density(
                  [](const Quantity&) {
                    return call("normal_lupdf", {1.0, 0, Real(2.0)});
                  },
                  0.5),
              -0.125 - kLog2, 1e-15);
}

// Each row of the data keeps its own constants: all minibatches of a size sum to the whole.
TEST(Constants, OfRowsGoWithTheirRows) {
  constexpr ProgramRow kRows[] = {
      {"loop", "for (i in 1:N) { real m = 1; if (x > 0) m = x; y[i] ~ normal(m, 2); }"},
      {"vector", "real m = 1; if (x > 0) m = x; y ~ normal(m, 2);"},
      {"local", "vector[N] m = y; m[1] = x; y ~ normal(m, 2); real s = 2; y ~ normal(0, s);"},
      {"count", "real r = 2; if (x > 0) r = x; k ~ poisson(r); for (i in 1:N) k[i] ~ poisson(r);"},
      {"glm", "vector[1] b = [2]'; if (x > 0) b[1] = x; k ~ poisson_log_glm(to_matrix(y), 0.1, b);"},
      {"user", "for (i in 1:N) y[i] ~ g(x > 0 ? x : 1);"},
  };
  for (const ProgramRow& row : kRows) {
    const std::string program =
        std::string("functions {\n") + kDensities +
        "} data { int N; vector[N] y; array[N] int k; } parameters { real x; }\nmodel { " + row.program +
        " x ~ normal(0, 1); }\n";
    const auto loaded = load(program, R"({"N": 4, "y": [0.3, -1, 2, 0.7], "k": [1, 0, 3, 2]})");
    ASSERT_NE(loaded, nullptr) << row.name;
    for (const double x : {0.5, -0.5}) {
      const double whole = evaluate(*loaded->model, {x}).log_density;
      const auto own = loaded->model->clone();
      double sum = 0;
      for (std::uint32_t i = 0; i < 4; ++i) {
        own->rows()->choose(std::vector<std::uint32_t>{i});
        sum += evaluate(*own, {x}).log_density / 4;
      }
      EXPECT_NEAR(sum, whole, 1e-12) << row.name << " at " << x;
    }
  }
}

TEST(Constants, AreInTheTermsOfATerm) {
  const auto loaded = load(
      "data { vector[4] y; } parameters { real x; vector[4] z; } model { real m; real s = 2;"
      " if (x > 0) m = x + 1; else m = x; z ~ normal(0, s); y ~ normal(z, s); 1 ~ poisson(s); z[1] ~ "
      "cauchy(m, "
      "s); }",
      R"({"y": [0.3, -1, 2, 0.7]})");
  for (const double x : {-0.4, 0.4}) {
    const std::vector<double> theta{x, 0.1, 0.2, 0.3, 0.4};
    for (density::Terms* terms : {loaded->model->terms(), loaded->model->factors()}) {
      std::vector<double> values(terms->count());
      terms->evaluate(1, theta.data(), values.data());
      EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0),
                  evaluate(*loaded->model, theta).log_density, 1e-12);
    }
  }
}

TEST(InterpreterCheck, ComparesBothSidesOfGuards) {
  const auto loaded = load(
      "data { vector[9] y; } parameters { real x; real<lower=0> s; }\n"
      "model { real m = 0; if (x > 0) m = x; if (s > 3) m = m - s;\n"
      "  y ~ normal(m, s); s ~ exponential(1); }\n",
      R"({"y": [1, 2, 3, 4, 5, 6, 7, 8, 9]})");
  const InterpreterCheck check = check_against_interpreter(*loaded->model, {0.3, 0.4}, {});
  EXPECT_EQ(check.beyond_guards, 2U);
  EXPECT_EQ(check.points, 5U);
  EXPECT_LT(check.worst_error, 1e-13);
  EXPECT_LT(check.worst_slope_error, 1e-7);
  EXPECT_EQ(check.statement, "");
}

// A tape that keeps other terms than it should stands in for one that is wrong.
TEST(InterpreterCheck, NamesTheStatementThatDiffers) {
  const auto loaded = load(
      "parameters { real x; }\nmodel {\n  x ~ normal(0, 1);\n  x ~ logistic(0, 2);\n  target += -x^2;\n}\n");
  const InterpreterCheck check = check_against_interpreter(*loaded->model, {0.3}, {.normalized = true});
  EXPECT_EQ(check.statement, "model.stan:3:3");
  EXPECT_NEAR(check.statement_tape - check.statement_interpreter, kHalfLogTwoPi, 1e-14);
  EXPECT_GT(check.worst_error, 0.1);
  EXPECT_LT(check.worst_slope_error, 1e-7);
}

}  // namespace
}  // namespace kullback::model
