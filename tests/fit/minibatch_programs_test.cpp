// Minibatch gradients of Stan programs are unbiased, exactly: with blocks of one size the mean over an epoch
// is the value with all rows. So for the log density, with and without an anchor, and for the gradient of the
// ELBO to the parameters of a mean field, whose factors of rows are seen with their rows only.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "infer/algorithm.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/row_plan.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::infer {
namespace {

using model::program_test::load;
using Numbers = std::vector<double>;

constexpr std::size_t kRows = 12;
constexpr std::size_t kBatch = 3;
constexpr std::size_t kBlocks = kRows / kBatch;

const std::string kData = R"({"N": 12, "K": 2, "J": 3,
  "x": [[0.1, 1.0], [-0.4, 0.3], [0.9, -1.2], [1.4, 0.2], [-0.8, 0.5], [0.3, 0.3], [0.2, -0.1], [1.1, 0.7],
        [-1.3, 0.4], [0.6, -0.6], [0.5, 1.5], [-0.2, -0.9]],
  "y": [0.2, 1.1, -0.7, 0.4, 2.0, -1.5, 0.3, 0.8, -0.1, 1.7, -0.9, 0.6],
  "b": [1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 1],
  "c": [3, 0, 2, 5, 1, 1, 0, 4, 2, 2, 7, 1],
  "g": [1, 2, 3, 1, 2, 3, 3, 2, 1, 1, 2, 3]})";

const std::string kHead = R"(data { int N; int K; int J; matrix[N, K] x; vector[N] y; array[N] int b;
  array[N] int c; array[N] int<lower=1, upper=J> g; } )";

struct Program {
  const char* name;
  const char* body;
  bool has_own;
};

const Program kPrograms[] = {
    {"logistic regression", R"(parameters { real a; vector[K] beta; }
      model { a ~ normal(0, 2); beta ~ std_normal(); b ~ bernoulli_logit_glm(x, a, beta); })",
     false},
    {"hierarchical regression",
     R"(parameters { vector[J] a; real mu; real<lower=0> tau; vector[K] beta; real<lower=0> s; }
      model { mu ~ normal(0, 1); tau ~ exponential(1); s ~ exponential(1); a ~ normal(mu, tau); beta ~ std_normal();
        y ~ normal(a[g] + x * beta, s); })",
     false},
    {"hierarchy, not centred", R"(parameters { vector[J] e; real mu; real<lower=0> tau; }
      transformed parameters { vector[J] a = mu + tau * e; }
      model { e ~ std_normal(); mu ~ std_normal(); tau ~ lognormal(0, 1); c ~ poisson_log(a[g]); })",
     false},
    {"random effect of each row", R"(parameters { vector[N] u; real<lower=0> tau; real mu; }
      model { tau ~ exponential(1); mu ~ normal(0, 2); u ~ normal(0, tau); c ~ poisson_log(mu + u); })",
     true},
    {"weights of rows in groups", R"(parameters { vector[J] a; real<lower=0> tau; vector<lower=0>[N] w; }
      model { tau ~ exponential(1); a ~ normal(0, tau); w ~ gamma(2, 2); y ~ normal(a[g], inv_sqrt(w)); })",
     true},
    {"mixture", R"(parameters { real<lower=0, upper=1> p; ordered[2] m; real<lower=0> s; }
      model { m ~ normal(0, 2); s ~ exponential(1);
        for (n in 1:N) target += log_mix(p, normal_lpdf(y[n] | m[1], s), normal_lpdf(y[n] | m[2], s)); })",
     false},
};

RowSampler epochs() { return {{5, 0, 0}, RowSampling::epochs, kRows, kBatch}; }

Numbers point(std::size_t dim, double phase) {
  Numbers theta(dim);
  for (std::size_t i = 0; i < dim; ++i) theta[i] = 0.4 * std::sin(phase + 2.0 * static_cast<double>(i));
  return theta;
}

// Value, then gradient.
Numbers evaluate(density::LogDensity& density, const Numbers& theta) {
  Numbers result(theta.size() + 1);
  density::Status status{};
  density.evaluate({1, theta.data(), result.data(), result.data() + 1, &status});
  EXPECT_EQ(status, density::Status::ok);
  return result;
}

Numbers mean_of_blocks(const std::function<Numbers()>& block) {
  Numbers mean;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const Numbers one = block();
    mean.resize(one.size());
    for (std::size_t i = 0; i < one.size(); ++i) mean[i] += one[i] / kBlocks;
  }
  return mean;
}

void expect_near(const Numbers& found, const Numbers& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-10 * (1 + std::abs(expected[i]))) << what << ", " << i;
}

TEST(MinibatchPrograms, densitiesAreUnbiased) {
  for (const Program& program : kPrograms) {
    SCOPED_TRACE(program.name);
    const auto loaded = load(kHead + program.body, kData, {.row_size = "N"});
    ASSERT_NE(loaded, nullptr);
    density::LogDensity& model = *loaded->model;
    const Numbers theta = point(model.dim(), 1);
    const Numbers full = evaluate(model, theta);
    SubsampledDensity plain(model, epochs());
    expect_near(mean_of_blocks([&] { return evaluate(plain, theta); }), full, "plain");
    const Numbers at = point(model.dim(), 2.5);
    const Numbers known = evaluate(model, at);
    SubsampledDensity anchored(model, epochs(), Anchor{at, known[0], {known.begin() + 1, known.end()}});
    expect_near(mean_of_blocks([&] { return evaluate(anchored, theta); }), full, "with an anchor");
  }
}

TEST(MinibatchPrograms, gradientsOfTheElboAreUnbiased) {
  const auto objective = find_objective("elbo").make({});
  for (const Program& program : kPrograms) {
    for (const char* name : {"stl", "reparam"}) {
      SCOPED_TRACE(std::string(program.name) + ", " + name);
      const auto loaded = load(kHead + program.body, kData, {.row_size = "N"});
      ASSERT_NE(loaded, nullptr);
      density::LogDensity& model = *loaded->model;
      const Options options;
      const auto family = find_family("meanfield").make({model.dim(), {}, {}, &options});
      const NoiseSource noise({3, 0, 8}, Sampling::iid, family->noise());
      const Numbers lambda = point(family->parameters(), 0.3);
      EstimatorSetting setting{&model, family.get(), objective.get(), &noise, 4, &options};
      const EstimatorRecord& record = find_estimator(name);
      Estimate estimate;
      record.make(setting)->estimate(lambda, 0, estimate);
      const Numbers full = estimate.gradient;
      SubsampledDensity subsampled(model, epochs());
      setting.density = &subsampled;
      std::unique_ptr<Estimator> estimator = record.make(setting);
      if (program.has_own) estimator = make_row_factor_estimator(std::move(estimator), *family, subsampled);
      std::vector<std::size_t> touched(lambda.size(), 0);
      const Numbers mean = mean_of_blocks([&] {
        estimator->estimate(lambda, 0, estimate);
        for (std::size_t i = 0; i < lambda.size(); ++i)
          touched[i] += estimate.frozen.empty() || estimate.frozen[i] == 0;
        return estimate.gradient;
      });
      expect_near(mean, full, "gradient");
      std::size_t once = 0;
      for (const std::size_t count : touched) once += count == 1;
      EXPECT_EQ(once, program.has_own ? 2 * kRows : 0)
          << "mean and sd of each row's own parameter, in its block";
    }
  }
}

}  // namespace
}  // namespace kullback::infer
