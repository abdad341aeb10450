// Models through the C interface: the numbers are those of the C++ model, whatever the number of points or
// threads.
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "base/random.hpp"
#include "fit/loaded_model.hpp"
#include "tests/capi/handles.hpp"

namespace kullback::capi_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> random_points(std::size_t count, std::size_t dim, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> theta(count * dim);
  for (double& x : theta) x = 2 * random.uniform() - 1;
  return theta;
}

struct Evaluated {
  std::vector<double> log_density;
  std::vector<double> gradient;
  std::vector<kb_status> status;
};

struct Flags {
  int jacobian = 1;
  int constants = 0;
};

Evaluated evaluate(const Model& model, const std::vector<double>& theta, Flags flags = {}) {
  const std::size_t dim = kb_model_dim(model.get());
  const std::size_t points = theta.size() / dim;
  Evaluated result{std::vector<double>(points), std::vector<double>(theta.size()),
                   std::vector<kb_status>(points)};
  kb_error* error = nullptr;
  EXPECT_EQ(
      kb_model_log_density(model.get(), points, theta.data(), flags.jacobian, flags.constants,
                           result.log_density.data(), result.gradient.data(), result.status.data(), &error),
      KB_OK)
      << take(error).text;
  return result;
}

TEST(CModel, HasTheCppModelsNumbers) {
  const Model model = eight_schools();
  const std::string text = example("eight_schools.stan");
  for (const Flags flags : {Flags{0, 0}, Flags{1, 0}, Flags{0, 1}, Flags{1, 1}}) {
    const auto program = fit::understand_program({.program = "model.stan", .data = ""}, text);
    const fit::LoadedModel cpp = fit::load_model_with(
        *program, {}, {.normalized = flags.constants != 0, .jacobian = flags.jacobian != 0},
        {std::make_shared<const std::string>(example("eight_schools.json")), "data"});
    const std::vector<double> theta = random_points(1, 10, 3);
    double value = 0;
    std::vector<double> gradient(10);
    density::Status status{};
    cpp.density->evaluate({1, theta.data(), &value, gradient.data(), &status});
    const Evaluated found = evaluate(model, theta, flags);
    EXPECT_EQ(found.log_density[0], value);
    EXPECT_EQ(found.gradient, gradient);
    EXPECT_EQ(found.status[0], KB_OK);
  }
}

TEST(CModel, JacobianAndConstantsAreWhatTheyShouldBe) {
  const Model model = make_model("parameters { real<lower=0> x; } model { x ~ normal(0, 2); }");
  const double theta = 0.3;
  const double x = std::exp(theta);
  const double kernel = -x * x / 8;
  const double constant = -std::log(2.0) - 0.5 * std::log(2 * M_PI);
  EXPECT_NEAR(evaluate(model, {theta}, {0, 0}).log_density[0], kernel, 1e-14);
  EXPECT_NEAR(evaluate(model, {theta}, {1, 0}).log_density[0], kernel + theta, 1e-14);
  EXPECT_NEAR(evaluate(model, {theta}, {0, 1}).log_density[0], kernel + constant, 1e-14);
  EXPECT_NEAR(evaluate(model, {theta}, {1, 1}).log_density[0], kernel + constant + theta, 1e-14);
}

TEST(CModel, GradientIsTheSlope) {
  const Model model = eight_schools();
  const std::vector<double> theta = random_points(1, 10, 4);
  const Evaluated found = evaluate(model, theta);
  for (std::size_t i = 0; i < theta.size(); ++i) {
    constexpr double kStep = 1e-5;
    std::vector<double> points(theta);
    points.insert(points.end(), theta.begin(), theta.end());
    points[i] -= kStep;
    points[10 + i] += kStep;
    const Evaluated beside = evaluate(model, points);
    EXPECT_NEAR(found.gradient[i], (beside.log_density[1] - beside.log_density[0]) / (2 * kStep), 1e-7);
  }
}

// As close as lanes are to single draws in tests/model/lanes_test.cpp: kernels for vectors may round
// differently.
TEST(CModel, ManyPointsAreEachPoint) {
  const Model model = eight_schools();
  for (const std::size_t points : {2U, 7U, 64U, 131U}) {
    const std::vector<double> theta = random_points(points, 10, points);
    const Evaluated together = evaluate(model, theta);
    for (std::size_t p = 0; p < points; ++p) {
      const Evaluated one = evaluate(model, {theta.begin() + 10 * p, theta.begin() + 10 * p + 10});
      EXPECT_NEAR(together.log_density[p], one.log_density[0], 1e-13 * std::abs(one.log_density[0]));
      for (std::size_t i = 0; i < 10; ++i)
        EXPECT_NEAR(together.gradient[10 * p + i], one.gradient[i], 1e-13 * (1 + std::abs(one.gradient[i])));
    }
  }
}

TEST(CModel, WithoutGradientAndStatus) {
  const Model model = eight_schools();
  const std::vector<double> theta = random_points(5, 10, 5);
  std::vector<double> values(5);
  EXPECT_EQ(
      kb_model_log_density(model.get(), 5, theta.data(), 1, 0, values.data(), nullptr, nullptr, nullptr),
      KB_OK);
  EXPECT_EQ(values, evaluate(model, theta).log_density);
  EXPECT_EQ(kb_model_log_density(model.get(), 0, nullptr, 1, 0, nullptr, nullptr, nullptr, nullptr), KB_OK);
}

TEST(CModel, ThreadsGetTheSameBits) {
  const Model model = eight_schools();
  const std::vector<double> theta = random_points(200, 10, 6);
  std::vector<Evaluated> found(4);
  {
    std::vector<std::jthread> threads;
    for (Evaluated& own : found) {
      threads.emplace_back([&] {
        for (std::size_t p = 0; p < 200; ++p) {
          const Evaluated one = evaluate(model, {theta.begin() + 10 * p, theta.begin() + 10 * p + 10});
          own.log_density.push_back(one.log_density[0]);
          own.gradient.insert(own.gradient.end(), one.gradient.begin(), one.gradient.end());
        }
      });
    }
  }
  for (const Evaluated& own : found) {
    EXPECT_EQ(own.log_density, found[0].log_density);
    EXPECT_EQ(own.gradient, found[0].gradient);
  }
}

TEST(CModel, PointsThatAreNotFinite) {
  const Model model = make_model("parameters { real x; } model { target += log(x); }");
  const Evaluated found = evaluate(model, {-1.0, 2.0, std::nan(""), kInfinity, 3.0});
  EXPECT_EQ(found.status,
            (std::vector<kb_status>{KB_NOT_FINITE, KB_OK, KB_NOT_FINITE, KB_NOT_FINITE, KB_OK}));
  EXPECT_EQ(found.log_density[0], -kInfinity);
  EXPECT_EQ(found.log_density[2], -kInfinity);
  EXPECT_TRUE(std::isnan(found.gradient[0]));
  EXPECT_EQ(found.log_density[1], std::log(2.0));
  EXPECT_EQ(found.gradient[4], 1 / 3.0);
}

TEST(CModel, SaysWhyAPointIsNotFinite) {
  const Model model =
      make_model("parameters { real x; }\nmodel { if (x < 0) reject(\"below: \", x); x ~ normal(0, 1); }");
  const double below = -0.5, above = 0.5, nothing = std::nan("");
  EXPECT_EQ(evaluate(model, {below}).status[0], KB_NOT_FINITE);
  EXPECT_EQ(evaluate(model, {above}).status[0], KB_OK);
  kb_error* error = nullptr;
  EXPECT_EQ(kb_model_explain(model.get(), &below, 1, 0, &error), KB_NOT_FINITE);
  const std::string text = take(error).text;
  EXPECT_NE(text.find("model.stan:2:"), text.npos) << text;
  EXPECT_NE(text.find("below: -0.5"), text.npos) << text;
  EXPECT_EQ(kb_model_explain(model.get(), &above, 1, 0, &error), KB_OK);
  EXPECT_EQ(error, nullptr);
  EXPECT_EQ(kb_model_explain(model.get(), &nothing, 1, 0, &error), KB_NOT_FINITE);
  EXPECT_EQ(take(error).message, "coordinate 1 of theta is not finite.");
}

TEST(CModel, HessianTimesDirections) {
  const Model model =
      make_model("parameters { vector[2] x; } model { target += -x[1]^2 - 3 * x[1] * x[2] - 2 * x[2]^4; }");
  const double theta[] = {0.4, 0.5}, v[] = {1, 0, 0, 1, 1, -1};
  double result[6] = {};
  ASSERT_EQ(kb_model_hessian_times(model.get(), theta, 3, v, result, nullptr), KB_OK);
  const double expected[] = {-2, -3, -3, -6, 1, 3};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(result[i], expected[i], 1e-8);
}

TEST(CModel, NamesAndSizes) {
  const Model model = eight_schools();
  const kb_model* m = model.get();
  EXPECT_EQ(kb_model_dim(m), 10U);
  EXPECT_EQ(kb_model_size(m, KB_PARAMETERS), 10U);
  EXPECT_EQ(kb_model_size(m, KB_TRANSFORMED), 8U);
  EXPECT_EQ(kb_model_size(m, KB_PARAMETERS | KB_GENERATED), 18U);
  EXPECT_EQ(kb_model_size(m, KB_ALL), 26U);
  EXPECT_EQ(std::string(kb_model_names(m, KB_PARAMETERS)).substr(0, 10), "mu,tau,z.1");
  EXPECT_NE(std::strstr(kb_model_names(m, KB_PARAMETERS | KB_GENERATED), "z.8,log_lik.1,"), nullptr);
  EXPECT_NE(std::strstr(kb_model_names(m, KB_ALL), "z.8,theta.1,"), nullptr);
  EXPECT_STREQ(kb_model_names(m, 0), "");
  const Model others = make_model(
      "parameters { simplex[3] p; array[2] tuple(real, matrix[2, 2]) t; cov_matrix[2] S; } model {}");
  EXPECT_STREQ(kb_model_unconstrained_names(others.get()),
               "p.1,p.2,t.1:1,t.1:2.1.1,t.1:2.2.1,t.1:2.1.2,t.1:2.2.2,t.2:1,t.2:2.1.1,t.2:2.2.1,t.2:2.1.2,"
               "t.2:2.2.2,S.1,S.2,S.3");
}

// Every kind of container there and back.
TEST(CModel, ConstrainAndUnconstrain) {
  const Model model = make_model(
      "data { int K; }\n"
      "parameters { real<lower=1> a; simplex[K] p; ordered[3] o; cov_matrix[2] S; matrix<upper=2>[2, 3] M;\n"
      "  array[2] vector<lower=-1, upper=a>[2] v; tuple(real<lower=0>, array[2] simplex[2]) t;\n"
      "  cholesky_factor_corr[3] L; unit_vector[3] u; }\n"
      "transformed parameters { real b = a + p[1]; }\n"
      "generated quantities { real y = normal_rng(b, 1); }",
      "{\"K\": 4}");
  kb_model* m = model.get();
  const std::size_t dim = kb_model_dim(m), width = kb_model_size(m, KB_PARAMETERS);
  constexpr std::size_t kPoints = 3;
  const std::vector<double> theta = random_points(kPoints, dim, 8);
  std::vector<double> params(kPoints * width), all(kPoints * (width + 2)), back(theta.size());
  kb_error* error = nullptr;
  ASSERT_EQ(kb_model_constrain(m, kPoints, theta.data(), KB_PARAMETERS, 0, params.data(), &error), KB_OK);
  ASSERT_EQ(kb_model_constrain(m, kPoints, theta.data(), KB_ALL, 7, all.data(), &error), KB_OK);
  for (std::size_t p = 0; p < kPoints; ++p) {
    EXPECT_TRUE(std::equal(&params[p * width], &params[p * width] + width, &all[p * (width + 2)]));
    EXPECT_GT(params[p * width], 1);
    EXPECT_EQ(all[p * (width + 2) + width], params[p * width] + params[p * width + 1]);
  }
  ASSERT_EQ(kb_model_unconstrain(m, kPoints, params.data(), back.data(), &error), KB_OK) << take(error).text;
  // A unit vector has one coordinate more than it needs: its direction comes back, with length 1.
  for (std::size_t p = 0; p < kPoints; ++p) {
    for (std::size_t i = 0; i + 3 < dim; ++i) EXPECT_NEAR(back[p * dim + i], theta[p * dim + i], 1e-10) << i;
    const double* u = &theta[p * dim + dim - 3];
    const double length = std::hypot(u[0], u[1], u[2]);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(back[p * dim + dim - 3 + i], u[i] / length, 1e-12);
  }
  std::vector<double> again(all.size());
  ASSERT_EQ(kb_model_constrain(m, kPoints, theta.data(), KB_ALL, 7, again.data(), &error), KB_OK);
  EXPECT_EQ(all, again);
  ASSERT_EQ(kb_model_constrain(m, kPoints, theta.data(), KB_ALL, 8, again.data(), &error), KB_OK);
  EXPECT_NE(all.back(), again.back());
}

TEST(CModel, UnconstrainFromJson) {
  const Model model = make_model("parameters { real<lower=0> s; vector[2] v; } model {}");
  double theta[3] = {};
  kb_error* error = nullptr;
  EXPECT_EQ(kb_model_unconstrain_json(model.get(), R"({"v": [3, 4], "s": 2, "extra": 1})", theta, &error),
            KB_OK);
  EXPECT_EQ(theta[0], std::log(2.0));
  EXPECT_EQ(theta[2], 4);
  EXPECT_EQ(kb_model_unconstrain_json(model.get(), R"({"v": [3, 4]})", theta, &error), KB_BAD_INPUT);
  EXPECT_EQ(take(error).message, "values: the parameter 's' is missing.");
  EXPECT_EQ(kb_model_unconstrain_json(model.get(), R"({"v": [3, 4], "s": -1})", theta, &error), KB_BAD_INPUT);
  EXPECT_NE(take(error).message.find("'s'"), std::string::npos);
  EXPECT_EQ(kb_model_unconstrain_json(model.get(), "{", theta, &error), KB_BAD_INPUT);
  kb_error_free(error);
}

TEST(CModel, RejectedOutputsAreNaN) {
  const Model model = make_model(
      "parameters { real x; } transformed parameters { real y = 2 * x; } model {}\n"
      "generated quantities { real z = x; if (x < 0) reject(\"no\"); }");
  const double theta[] = {1, -1};
  double columns[6] = {};
  kb_error* error = nullptr;
  EXPECT_EQ(kb_model_constrain(model.get(), 2, theta, KB_ALL, 0, columns, &error), KB_NOT_FINITE);
  const std::string text = take(error).text;
  EXPECT_EQ(text.substr(0, 8), "point 2:");
  EXPECT_EQ(columns[2], 1);
  EXPECT_EQ(columns[4], -2);
  EXPECT_TRUE(std::isnan(columns[5]));
  EXPECT_EQ(kb_model_constrain(model.get(), 2, theta, KB_PARAMETERS | KB_TRANSFORMED, 0, columns, &error),
            KB_OK);
  EXPECT_EQ(columns[3], -2);
}

TEST(CModel, SeedOfTransformedData) {
  const char* program =
      "transformed data { real c = normal_rng(0, 1); } parameters { real x; } model { x ~ normal(c, 1); }";
  const Model one = make_model(program, "", "{\"seed\": 1}"),
              again = make_model(program, "", "{\"seed\": 1}");
  const Model two = make_model(program, "", "{\"seed\": 2}");
  EXPECT_EQ(evaluate(one, {0.5}).log_density, evaluate(again, {0.5}).log_density);
  EXPECT_NE(evaluate(one, {0.5}).log_density, evaluate(two, {0.5}).log_density);
}

TEST(CModel, WithoutParameters) {
  const Model model = make_model("generated quantities { real z = 3; }");
  double value = 1, z = 0;
  EXPECT_EQ(kb_model_dim(model.get()), 0U);
  EXPECT_EQ(kb_model_log_density(model.get(), 1, nullptr, 1, 0, &value, nullptr, nullptr, nullptr), KB_OK);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(kb_model_constrain(model.get(), 1, nullptr, KB_GENERATED, 0, &z, nullptr), KB_OK);
  EXPECT_EQ(z, 3);
}

}  // namespace
}  // namespace kullback::capi_test
