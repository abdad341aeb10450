// Models written in C++ against the same models in Stan.
#include "model/cpp_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "math/signatures.hpp"
#include "tape/tape.hpp"
#include "tape/trace/tracer.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

using density::Status;
using Kind = density::Support::Kind;

std::vector<double> points(std::size_t dim, std::size_t lanes) {
  std::vector<double> theta(dim * lanes);
  for (std::size_t i = 0; i < theta.size(); ++i)
    theta[i] = 0.8 * std::sin(1.0 + 1.7 * static_cast<double>(i));
  return theta;
}

void expect_same(density::LogDensity& found, density::LogDensity& wanted) {
  ASSERT_EQ(found.dim(), wanted.dim());
  for (const std::size_t lanes : {1U, 4U}) {
    const std::vector<double> theta = points(found.dim(), lanes);
    const Evaluated a = evaluate_lanes(found, theta, lanes);
    const Evaluated b = evaluate_lanes(wanted, theta, lanes);
    EXPECT_EQ(a.status, b.status);
    for (std::size_t k = 0; k < lanes; ++k)
      EXPECT_NEAR(a.log_density[k], b.log_density[k], 1e-14 * (1 + std::abs(b.log_density[k])));
    for (std::size_t i = 0; i < theta.size(); ++i)
      EXPECT_NEAR(a.gradient[i], b.gradient[i], 1e-14 * (1 + std::abs(b.gradient[i]))) << i;
  }
  ASSERT_EQ(found.blocks().size(), wanted.blocks().size());
  for (std::size_t b = 0; b < found.blocks().size(); ++b) {
    EXPECT_EQ(found.blocks()[b].name, wanted.blocks()[b].name);
    EXPECT_EQ(found.blocks()[b].size, wanted.blocks()[b].size);
  }
  for (std::size_t i = 0; i < found.dim(); ++i) {
    EXPECT_EQ(found.supports()[i].kind, wanted.supports()[i].kind) << i;
    EXPECT_EQ(found.supports()[i].lower, wanted.supports()[i].lower) << i;
  }
}

TEST(CppModel, CentredEightSchoolsIsTheStanProgram) {
  const std::vector<double> y{28, 8, -3, 7, -1, 1, 18, 12};
  const std::vector<double> sigma{15, 10, 16, 11, 9, 11, 10, 18};
  CppModel model([&](Joint& p) {
    const Real mu = p.real("mu");
    const Real tau = p.positive("tau");
    const Vector theta = p.vector("theta", y.size());
    p += normal_lpdf(theta, mu, tau) + normal_lpdf(y, theta, sigma);
    p += normal_lpdf(mu, 0, 5) + cauchy_lpdf(tau, 0, 5);
  });
  const std::string folder = KULLBACK_SOURCE_DIR "/examples/";
  const auto stan = load(
      "data { int J; vector[J] y; vector[J] sigma; }"
      " parameters { real mu; real<lower=0> tau; vector[J] theta; }"
      " model { theta ~ normal(mu, tau); y ~ normal(theta, sigma); mu ~ normal(0, 5); tau ~ cauchy(0, 5); }",
      read_data(folder + "eight_schools.json"), {.normalized = true});
  expect_same(model, *stan->model);
  EXPECT_EQ(model.tape().instructions.size(), stan->model->tape()->instructions.size());
}

TEST(CppModel, LogisticRegressionIsTheStanProgram) {
  const std::vector<std::vector<double>> x{{0.3, 1.2}, {-0.7, 0.1}, {2.0, -1.0}, {0.5, 0.5}, {-1.5, 0.8}};
  const std::vector<int> y{1, 0, 1, 1, 0};
  CppModel model([&](Joint& p) {
    const Real alpha = p.real("alpha");
    const Vector beta = p.vector("beta", 2);
    p += normal_lpdf(alpha, 0, 2.5) + normal_lpdf(beta, 0, 2.5);
    p += bernoulli_logit_lpmf(y, alpha + matrix(x) * beta);
  });
  const auto stan = load(
      "data { matrix[5, 2] x; array[5] int y; } parameters { real alpha; vector[2] beta; }"
      " model { alpha ~ normal(0, 2.5); beta ~ normal(0, 2.5); y ~ bernoulli_logit(alpha + x * beta); }",
      R"({"x": [[0.3, 1.2], [-0.7, 0.1], [2, -1], [0.5, 0.5], [-1.5, 0.8]], "y": [1, 0, 1, 1, 0]})",
      {.normalized = true});
  expect_same(model, *stan->model);
}

TEST(CppModel, LoopsIndexesConstraintsAndNamedFunctions) {
  const std::vector<double> y{1, -1, 0.5, 2, 3};
  const std::vector<int> group{0, 1, 0, 1, 1};
  CppModel model([&](Joint& p) {
    const Vector a = p.vector("a", 2, affine(1, 2));
    const Real s = p.real("s", between(0.1, 9));
    const Real nu = p.real("nu", at_least(s));
    const Vector w = p.simplex("w", 3);
    const Vector o = p.ordered("o", 3);
    const Matrix L = p.cholesky_factor_corr("L", 2);
    const Matrix A = p.matrix("A", 2, 2, at_most(4));
    for (std::size_t n = 0; n < y.size(); ++n)
      p += call("student_t_lpdf", {y[n], nu, a[static_cast<std::size_t>(group[n])], s});
    p += normal_lpdf(y, a[group], 2);
    p += call("dirichlet_lupdf", {w, std::vector<double>{1.5, 2, 3}});
    p += lkj_corr_cholesky_lpdf(L, 2) + std_normal_lpdf(o);
    p += -dot_self(A[0]) - square(A(1, 0)) * exp(-A(1, 1) / 3) + sum(transpose(A) * a) + log_sum_exp(w);
  });
  const auto stan = load(
      "data { vector[5] y; array[5] int g; } parameters { vector<offset=1, multiplier=2>[2] a;"
      " real<lower=0.1, upper=9> s; real<lower=s> nu; simplex[3] w; ordered[3] o; cholesky_factor_corr[2] L;"
      " matrix<upper=4>[2, 2] A; }"
      " model { for (n in 1:5) target += student_t_lpdf(y[n] | nu, a[g[n]], s); target += normal_lpdf(y | "
      "a[g], 2);"
      " w ~ dirichlet([1.5, 2, 3]'); target += lkj_corr_cholesky_lpdf(L | 2) + std_normal_lpdf(o);"
      " target += -dot_self(A[1]) - square(A[2, 1]) * exp(-A[2, 2] / 3) + sum(A' * a) + log_sum_exp(w); }",
      R"({"y": [1, -1, 0.5, 2, 3], "g": [1, 2, 1, 2, 2]})");
  expect_same(model, *stan->model);
  EXPECT_EQ(model.supports()[3].kind, Kind::other);  // nu: its bound is a parameter
}

double branches(double x) { return (x > 0 ? -x : 3 * x) - (x <= 2 ? 0 : 1); }

TEST(CppModel, ABranchOnAParameterIsTakenAnewAtEachPoint) {
  CppModel model([](Joint& p) {
    const Real x = p.real("x");
    p += x > 0 ? -x : 3 * x;
    if (!(x <= 2)) p += -1;
  });
  const std::vector<double> theta{1.0, -1.0, 3.0, -2.0};
  const Evaluated at = evaluate_lanes(model, theta, 4);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_DOUBLE_EQ(at.log_density[k], branches(theta[k]));
    EXPECT_DOUBLE_EQ(at.gradient[k], theta[k] > 0 ? -1 : 3);
  }
}

TEST(CppModel, RejectionsAreStatuses) {
  CppModel model([](Joint& p) {
    const Real x = p.real("x");
    if (x < -1) reject("x is too small");
    p += exponential_lpdf(x, 1);
  });
  EXPECT_EQ(evaluate_lanes(model, {-2.0}).status[0], Status::rejected);
  EXPECT_EQ(model.message(), "x is too small");
  EXPECT_EQ(evaluate_lanes(model, {-0.5}).status[0], Status::not_finite);
  EXPECT_EQ(model.message(),
            "the log density is nan: exponential_lpdf: variate is -0.5, but must be nonnegative");
  EXPECT_EQ(evaluate_lanes(model, {0.5}).status[0], Status::ok);
  EXPECT_EQ(model.message(), "");
}

TEST(CppModel, SaysWhatIsNotFinite) {
  CppModel model([](Joint& p) { p += uniform_lpdf(p.real("x"), -1, 1); });
  EXPECT_EQ(evaluate_lanes(model, {-3.0}).status[0], Status::not_finite);
  EXPECT_EQ(model.message(), "the log density is -inf: uniform_lpdf(-3 | -1, 1) is -inf");
}

TEST(CppModel, SaysWhichArgumentIsOutsideItsDomain) {
  CppModel model([](Joint& p) { p += normal_lpdf(1.5, 0, 1 + p.real("x")); });
  EXPECT_EQ(evaluate_lanes(model, {-3.0}).status[0], Status::not_finite);
  EXPECT_NE(model.message().find("-2"), std::string::npos) << model.message();
}

TEST(CppModel, IsTracedWhereTheOriginIsRejected) {
  CppModel model([](Joint& p) {
    const Vector x = p.vector("x", 2);
    if (x[0] * x[0] < 0.01) reject("near zero");
    const Real late = p.real("late");
    p += std_normal_lpdf(x) + std_normal_lpdf(late);
  });
  EXPECT_EQ(model.dim(), 3U);
  EXPECT_EQ(evaluate_lanes(model, {0, 0, 0}).status[0], Status::rejected);
  EXPECT_EQ(evaluate_lanes(model, {1, 0, 0}).status[0], Status::ok);
}

TEST(CppModel, ClonesInThreadsGiveTheSameBits) {
  const std::vector<double> y{1, -1, 0.5};
  CppModel model([&](Joint& p) {
    const Real mu = p.real("mu");
    const Real s = p.positive("s");
    p += mu > 0 ? normal_lpdf(y, mu, s) : student_t_lpdf(y, 4, mu, s);
  });
  const std::vector<double> theta = points(2, 8);
  const Evaluated expected = evaluate_lanes(model, theta, 8);
  std::vector<std::unique_ptr<density::LogDensity>> clones;
  std::vector<Evaluated> found(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) clones.push_back(model.clone());
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] { found[t] = evaluate_lanes(*clones[t], theta, 8); });
  for (std::thread& thread : threads) thread.join();
  for (const Evaluated& one : found) EXPECT_TRUE(one == expected);
}

std::string error_of(const CppModel::Function& function) {
  try {
    const CppModel model(function);
  } catch (const Error& error) {
    return error.message() + " " + error.hint();
  }
  return "no error";
}

TEST(CppModel, SaysWhatIsWrongWithTheFunction) {
  const std::vector<double> two{1, 2};
  const auto expect = [](const std::string& found, const std::string& wanted) {
    EXPECT_NE(found.find(wanted), std::string::npos) << found;
  };
  expect(error_of([](Joint& p) {
           p += call("nrmal_lpdf", {p.real("x"), 0, 1});
         }),
         "Did you mean 'normal_lpdf'?");
  const std::string mistyped =
      error_of([](Joint& p) { p += normal_lpdf(p.real("x"), p.matrix("A", 2, 2), 1); });
  expect(mistyped, "cpp_model_test.cpp:" + std::to_string(__LINE__ - 1) +
                       ": 'normal_lpdf' does not take (real, matrix, int)");
  expect(error_of([&](Joint& p) { p += p.vector("x", 2) * Vector(two); }),
         "'operator *' does not take (vector, vector)");
  expect(error_of([](Joint& p) { p += normal_lpdf(p.real("x"), 0, 1) + p.real("x"); }),
         "'x' is declared twice");
  expect(error_of([](Joint& p) { p += p.vector("x", 2)[2]; }), "index 2 is outside 0 to 1");
  expect(error_of([&](Joint& p) { p += p.vector("x", 3)[std::vector<int>{0, 3}]; }), "index 3");
  expect(error_of([](Joint&) { reject("never"); }), "never");
  std::optional<Quantity> kept;
  expect(error_of([&](Joint& p) {
           const Real x = p.real("x");
           if (!kept) kept = x;
           p += *kept;
         }),
         "another run");
  int runs = 0;
  expect(error_of([&](Joint& p) { p += p.vector("x", static_cast<std::size_t>(++runs)); }),
         "more parameters");
  EXPECT_THROW(Quantity(1.0), Error);
}

TEST(CppModel, EveryNamedFunctionIsOneOfTheEngine) {
  struct Row {
    const char* name;
    std::size_t arguments;
  };
#define KULLBACK_CALL1(name) {#name, 1},
#define KULLBACK_CALL2(name) {#name, 2},
#define KULLBACK_CALL3(name) {#name, 3},
#define KULLBACK_CALL4(name) {#name, 4},
  const Row rows[] = {
#include "model/cpp_functions.def"
  };
  for (const Row& row : rows) {
    EXPECT_TRUE(tape::is_supported(row.name)) << row.name;
    const std::vector<math::Signature> signatures = math::signatures(row.name);
    EXPECT_TRUE(std::any_of(signatures.begin(), signatures.end(), [&](const math::Signature& signature) {
      return signature.arguments.size() == row.arguments;
    })) << row.name;
  }
}

}  // namespace
}  // namespace kullback::model
