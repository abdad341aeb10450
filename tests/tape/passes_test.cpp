// What stands between the trace and the tape must not change the function: every program here is compared,
// value and gradient, with its own trace evaluated operation by operation and with finite differences, alone
// and in lanes. Each row also says what the tape must contain, so that a pass which stops working fails its
// row.
#include <algorithm>
#include <cmath>
#include <functional>

#include "tape/dump.hpp"
#include "tape/record/builder.hpp"
#include "tape/tape.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

struct PassRow {
  const char* name;
  const char* program;
  std::string data;
  const char* in_tape;  // of the dump
  std::size_t most_instructions;
};

std::string list(std::size_t n, const std::function<double(double)>& f) {
  std::string text = "[";
  for (std::size_t i = 0; i < n; ++i) text += (i > 0 ? ", " : "") + std::to_string(f(static_cast<double>(i)));
  return text + "]";
}
std::string ints(std::size_t n, const std::function<int(int)>& f) {
  std::string text = "[";
  for (std::size_t i = 0; i < n; ++i) text += (i > 0 ? ", " : "") + std::to_string(f(static_cast<int>(i)));
  return text + "]";
}

std::vector<PassRow> rows() {
  const std::string y40 = list(40, [](double i) { return std::sin(i) + 0.1 * i; });
  const std::string x40 = list(40, [](double i) { return std::cos(2 * i); });
  return {
      {"sufficient statistics of a regression in a loop",
       "data { int N; vector[N] x; vector[N] y; } parameters { real a; real b; real<lower=0> s; }"
       "model { for (n in 1:N) y[n] ~ normal(a + b * x[n], s); }",
       R"({"N": 40, "x": )" + x40 + R"(, "y": )" + y40 + "}", "normal_residuals", 2},
      {"sufficient statistics of groups",
       "data { int N; int G; array[N] int g; vector[N] x; vector[N] y; } parameters { vector[G] a; real b;"
       " real<lower=0> s; } model { a ~ std_normal(); y ~ normal(a[g] + b * x, s); }",
       R"({"N": 40, "G": 3, "g": )" + ints(40, [](int i) { return 1 + i % 3; }) + R"(, "x": )" + x40 +
           R"(, "y": )" + y40 + "}",
       "normal_residuals", 3},
      {"equal observations",
       "data { int N; array[N] int y; } parameters { real<lower=0, upper=1> p; }"
       "model { for (n in 1:N) y[n] ~ bernoulli(p); }",
       R"({"N": 30, "y": )" + ints(30, [](int i) { return i % 3 == 0 ? 1 : 0; }) + "}", "bernoulli_logit", 1},
      {"a linear recurrence",
       "data { int T; vector[T] y; } parameters { real mu; real phi; real theta; real<lower=0> s; }"
       "model { vector[T] e; e[1] = y[1] - mu; for (t in 2:T) e[t] = y[t] - (mu + phi * y[t-1] + theta * "
       "e[t-1]);"
       " e ~ normal(0, s); }",
       R"({"T": 40, "y": )" + y40 + "}", "recurrence", 8},
      {"a variance that recurs",
       "data { int T; vector[T] y; } parameters { real<lower=0> a; real<lower=0, upper=1> b; real<lower=0, "
       "upper=1> c; }"
       "model { array[T] real h; h[1] = 1; for (t in 2:T) h[t] = sqrt(a + b * pow(y[t-1], 2) + c * "
       "pow(h[t-1], 2));"
       " y ~ normal(0, h); }",
       R"({"T": 40, "y": )" + y40 + "}", "recurrence", 8},
      {"a random walk",
       "data { int T; vector[T] y; } parameters { vector[T] z; real<lower=0> s; }"
       "model { real x = 0; z ~ std_normal(); for (t in 1:T) { x += s * z[t]; y[t] ~ cauchy(x, 1); } }",
       R"({"T": 40, "y": )" + y40 + "}", "recurrence", 6},
      {"a generalised linear model",
       "data { int N; matrix[N, 2] X; array[N] int y; } parameters { real a; vector[2] b; }"
       "model { y ~ bernoulli_logit(a + X * b); }",
       R"({"N": 4, "X": [[1, 2], [0.5, -1], [0, 1], [2, 2]], "y": [1, 0, 0, 1]})", "bernoulli_logit_glm_lpmf",
       1},
      {"softmax in a loop",
       "data { int N; array[N] int y; } parameters { vector[3] b; vector[N] t; }"
       "model { t ~ std_normal(); for (n in 1:N) y[n] ~ categorical(softmax(cumulative_sum(t[n] - b))); }",
       R"({"N": 12, "y": [1, 2, 3, 1, 2, 3, 1, 1, 2, 2, 3, 3]})", "log_sum_exp", 12},
      {"a mixture",
       "data { int N; vector[N] y; } parameters { simplex[3] w; vector[3] mu; } model { for (n in 1:N) {"
       " vector[3] l; for (k in 1:3) l[k] = log(w[k]) + normal_lpdf(y[n] | mu[k], 1); target += "
       "log_sum_exp(l); } }",
       R"({"N": 40, "y": )" + y40 + "}", "log_sum_exp", 8},
      {"a long sum",
       "data { int N; vector[N] x; } parameters { real a; } model { real s = 0; for (n in 1:N) s += exp(a * "
       "x[n]);"
       " target += -square(s); }",
       R"({"N": 40, "x": )" + x40 + "}", "sum", 5},
      {"flat densities of bounded parameters",
       "parameters { real<lower=0, upper=1> p; real<lower=-2, upper=3> u; }"
       "model { p ~ beta(1, 1); u ~ uniform(-2, 3); 3 ~ binomial(5, p); target += -square(u); }",
       "{}", "standard_logistic", 1},
      {"eigenvalues and eigenvectors of one matrix",
       "parameters { vector[3] x; } transformed parameters { matrix[3, 3] A = add_diag(x * x', [1, 2, 4]); }"
       "model { target += -sum(log(eigenvalues_sym(A))) - dot_self(eigenvectors_sym(A) * [0.3, 0.5, 1]'); "
       " target += sum(eigenvectors_sym(A)[1] .* [1, 2, 3]) * sum(square(x)); }",
       "{}", "eigendecompose_sym", 14},
      {"log of exp and powers",
       "parameters { real<lower=0> s; real x; } model { target += log(exp(x)) - pow(x, 2) - s ^ 0.5 - pow(s, "
       "-1); }",
       "{}", "sqrt", 1},
  };
}

std::vector<double> point_at(std::size_t dim, double turn) {
  std::vector<double> theta(dim);
  for (std::size_t i = 0; i < dim; ++i) theta[i] = 0.4 * std::sin(turn + 1.7 * static_cast<double>(i));
  return theta;
}

double value_of_trace(StanModel& model, const std::vector<double>& theta) {
  tape::Builder builder;
  EXPECT_TRUE(model.trace(theta.data(), builder));
  double sum = 0;
  for (const tape::Id id : builder.target()) sum += builder.value(id);
  return sum;
}

TEST(Passes, KeepTheFunction) {
  for (const PassRow& row : rows()) {
    const auto loaded = load(row.program, row.data);
    ASSERT_NE(loaded, nullptr) << row.name;
    StanModel& model = *loaded->model;
    for (const double turn : {0.3, 2.0, 4.0}) {
      const std::vector<double> theta = point_at(model.dim(), turn);
      const double traced = value_of_trace(model, theta);
      EXPECT_NEAR(evaluate(model, theta).log_density, traced, 1e-12 * (1 + std::abs(traced))) << row.name;
      expect_gradient(model, theta, 2e-8, row.name);
    }
  }
}

TEST(Passes, KeepTheFunctionInLanes) {
  for (const PassRow& row : rows()) {
    const auto loaded = load(row.program, row.data);
    ASSERT_NE(loaded, nullptr) << row.name;
    for (const std::size_t lanes : {2U, 4U, 8U, 13U}) {
      std::vector<std::vector<double>> draws;
      for (std::size_t k = 0; k < lanes; ++k)
        draws.push_back(point_at(loaded->model->dim(), 0.1 * static_cast<double>(k)));
      expect_lanes(*loaded->model, draws);
    }
  }
}

TEST(Passes, DoTheirWork) {
  for (const PassRow& row : rows()) {
    const auto loaded = load(row.program, row.data);
    ASSERT_NE(loaded, nullptr) << row.name;
    evaluate(*loaded->model, point_at(loaded->model->dim(), 0.3));
    const tape::Tape* tape = loaded->model->tape();
    ASSERT_NE(tape, nullptr) << row.name;
    const std::string text = tape::dump(*tape, loaded->sources);
    EXPECT_NE(text.find(row.in_tape), std::string::npos) << row.name << "\n" << text;
    EXPECT_LE(tape->instructions.size(), row.most_instructions) << row.name << "\n" << text;
  }
}

// Weights of equal terms add up; a term of weight zero stays out.
TEST(Passes, AddTheWeightsOfEqualTerms) {
  const auto loaded = load(
      "parameters { real x; } model { real a = exp(x); target += a; target += a; target += -2 * a; target += "
      "3 * x; }");
  ASSERT_NE(loaded, nullptr);
  const Point at = evaluate(*loaded->model, {0.7});
  EXPECT_NEAR(at.log_density, 2.1, 1e-14);
  EXPECT_NEAR(at.gradient[0], 3.0, 1e-14);
}

// A number outside the support makes the same statuses through packed and batched densities.
TEST(Passes, KeepStatuses) {
  const auto loaded = load("parameters { real s; real x; } model { x ~ normal(0, s); }");
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(evaluate(*loaded->model, {1.0, 0.5}).status, density::Status::ok);
  EXPECT_EQ(evaluate(*loaded->model, {-1.0, 0.5}).status, density::Status::rejected);
  EXPECT_NE(loaded->model->message().find("scale is -1"), std::string::npos) << loaded->model->message();
}

}  // namespace
}  // namespace kullback::model
