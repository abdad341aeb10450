// Gradient estimators. Each pair (objective, estimator) that is labelled unbiased is held to the gradient by
// quadrature, those for the surrogate of K draws to a long independent run of the whole derivative: |z|
// < 4.5, with seeds and the number of draws fixed so that a bias of 2 % of the gradient's norm is found by
// the same test. Consistent ones show a bias that falls as 1 / K.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "base/error.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/expectation_objective.hpp"
#include "infer/vi/f_divergence.hpp"
#include "infer/vi/options.hpp"
#include "tests/infer/coupled_target.hpp"
#include "tests/infer/test_densities.hpp"

namespace kullback::infer {
namespace {

using Vector = std::vector<double>;
using testing::CoupledTarget;
using testing::Quadrature;
using testing::TestDensity;

constexpr double kMostZ = 4.5;
constexpr double kBias = 0.02;     // of the gradient's norm, to be found
constexpr double kError = 0.0028;  // of the gradient's norm: the standard error that is aimed at
const Vector kLambda{0.6, -0.5, 0.0, std::log(0.9)};

// One estimator with all it stands on.
struct Bench {
  Bench(const ObjectiveRecord* record, std::unique_ptr<Objective> of, std::string_view name,
        std::size_t count, std::uint64_t seed, Options given = {})
      : options(std::move(given)),
        objective(std::move(of)),
        family(find_family("meanfield").make({2, {}, {}, &options})),
        noise({seed, 0, 5}, Sampling::iid, family->noise()) {
    options.set("grad_draws", count);
    const EstimatorSetting setting{&target, family.get(), objective.get(), &noise, count, &options};
    if (record != nullptr) {
      estimator = record->make_estimator(setting);
      return;
    }
    const EstimatorRecord& found = find_estimator(name);
    const auto reason = found.refuse(setting);
    EXPECT_FALSE(reason) << *reason;
    if (!reason) estimator = found.make(setting);
  }

  CoupledTarget target;
  Options options;
  std::unique_ptr<Objective> objective;
  std::unique_ptr<Family> family;
  NoiseSource noise;
  std::unique_ptr<Estimator> estimator;
};

// Mean and covariance of gradients.
struct Means {
  double calls = 0;
  Vector mean = Vector(4, 0.0);
  Vector products = Vector(16, 0.0);

  void add(const Vector& gradient) {
    ++calls;
    Vector gap(4);
    for (std::size_t i = 0; i < 4; ++i) {
      gap[i] = gradient[i] - mean[i];
      mean[i] += gap[i] / calls;
    }
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) products[4 * i + j] += gap[i] * (gradient[j] - mean[j]);
    }
  }
  double along(const Vector& direction) const {
    return std::inner_product(mean.begin(), mean.end(), direction.begin(), 0.0);
  }
  double variance(const Vector& direction) const {
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) sum += direction[i] * products[4 * i + j] * direction[j];
    }
    return sum / (calls - 1);
  }
  double error(const Vector& direction) const { return std::sqrt(variance(direction) / calls); }
};

Means run(Bench& bench, std::size_t calls, std::uint32_t first = 0) {
  Means means;
  Estimate estimate;
  for (std::size_t i = 0; i < calls; ++i) {
    bench.estimator->estimate(kLambda, first + static_cast<std::uint32_t>(i), estimate);
    means.add(estimate.gradient);
  }
  return means;
}

double norm(const Vector& x) { return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0)); }

Vector unit(Vector x) {
  const double size = norm(x);
  for (double& value : x) value /= size;
  return x;
}

// So many calls that the standard error is a share `relative` of `size`, from a pilot run of other noise.
std::size_t calls_for(Bench& bench, const Vector& direction, double size, double relative = kError) {
  const Means pilot = run(bench, 400, 1U << 30U);
  return static_cast<std::size_t>(pilot.variance(direction) / std::pow(relative * size, 2)) + 400;
}

struct Reference {
  Vector gradient;
  std::function<double(const Vector&)> error;
};

void expect_unbiased(Bench& bench, const Reference& reference, const std::string& what) {
  ASSERT_NE(bench.estimator, nullptr);
  const Vector direction = unit(reference.gradient);
  const double size = norm(reference.gradient);
  const Means found = run(bench, calls_for(bench, direction, size));
  const double error = std::hypot(found.error(direction), reference.error(direction));
  const double z = (found.along(direction) - size) / error;
  EXPECT_LT(std::abs(z), kMostZ) << what;
  EXPECT_GT(std::abs(z + kBias * size / error), kMostZ) << what << ": no power";
  EXPECT_GT(std::abs(z - kBias * size / error), kMostZ) << what << ": no power";
  for (std::size_t i = 0; i < 4; ++i) {
    Vector axis(4, 0.0);
    axis[i] = 1;
    const double of_axis = std::hypot(found.error(axis), reference.error(axis)) + 1e-7;
    EXPECT_LT(std::abs(found.mean[i] - reference.gradient[i]) / of_axis, kMostZ)
        << what << ", parameter " << i;
  }
}

Reference exact(Vector gradient) {
  return {std::move(gradient), [](const Vector&) { return 0.0; }};
}

const Quadrature& quadrature() {
  static const Quadrature instance;
  return instance;
}

template <class Function>
Reference exact_expectation(const Function& f) {
  return exact(Quadrature::gradient(
      [&](const Vector& lambda) {
        return quadrature().integral(lambda, [&](double p, double q) { return std::exp(q) * f(p, q); });
      },
      kLambda));
}

constexpr auto kElboFunction = [](auto p, auto q) { return p - q; };
constexpr auto kTsallis = [](auto p, auto q) {
  using std::exp;
  return -exp(0.5 * (q - p));
};

TEST(Estimators, TheElbosAreUnbiased) {
  const Reference reference = exact_expectation(kElboFunction);
  for (const char* name : {"reparam", "stl", "dreg", "score", "score-loo", "score-cv", "rao-blackwell",
                           "overdispersed", "local-expectation"}) {
    Bench bench(nullptr, find_objective("elbo").make({}), name, 8, 101);
    ASSERT_NE(bench.estimator, nullptr) << name;
    EXPECT_EQ(bench.estimator->bias(),
              name == std::string("local-expectation") ? Bias::quadrature : Bias::unbiased)
        << name;
    expect_unbiased(bench, reference, name);
  }
}

TEST(Estimators, AnyExpectationIsUnbiased) {
  const Reference reference = exact_expectation(kTsallis);
  for (const char* name : {"reparam", "dreg", "score", "score-loo", "score-cv", "overdispersed"}) {
    Bench bench(nullptr, make_expectation_objective(kTsallis), name, 8, 102);
    ASSERT_NE(bench.estimator, nullptr) << name;
    EXPECT_EQ(bench.estimator->bias(), Bias::unbiased) << name;
    expect_unbiased(bench, reference, name);
  }
}

struct Surrogate {
  const char* name;
  Options options;
};

TEST(Estimators, SurrogatesOfSeveralDrawsAreUnbiased) {
  const Surrogate rows[] = {{"iw", {{"importance_draws", 5}}},
                            {"renyi", {{"importance_draws", 5}, {"alpha", 0.5}}},
                            {"renyi", {{"importance_draws", 5}, {"alpha", 1.5}}},
                            {"tvo", {{"importance_draws", 5}, {"partitions", 4}}}};
  for (const Surrogate& row : rows) {
    const ObjectiveRecord& record = find_objective(row.name);
    Bench whole(nullptr, record.make(row.options), "reparam", 10, 103, row.options);
    const Means pilot = run(whole, 4000, 1U << 29U);
    const Means means = run(whole, calls_for(whole, unit(pilot.mean), norm(pilot.mean), 0.0015));
    const Reference reference{means.mean,
                              [means](const Vector& direction) { return means.error(direction); }};
    const bool is_first = row.name == std::string("iw");  // the code of the others is the same
    for (const char* name : {"dreg", "score-loo", "score", "score-cv"}) {
      if (!is_first && name == std::string("score")) break;
      Bench bench(nullptr, record.make(row.options), name, 10, 104, row.options);
      ASSERT_NE(bench.estimator, nullptr) << name;
      EXPECT_EQ(bench.estimator->bias(), Bias::finite_k);
      expect_unbiased(bench, reference, std::string(row.name) + " " + name);
    }
  }
}

// The whole derivative is that of the bound at fixed noise, and so unbiased for it.
TEST(Estimators, TheWholeDerivativeIsThatOfTheBound) {
  const Surrogate rows[] = {{"elbo", {}},
                            {"iw", {{"importance_draws", 5}}},
                            {"renyi", {{"importance_draws", 5}, {"alpha", 0.5}}},
                            {"renyi", {{"importance_draws", 5}, {"alpha", -1}}},
                            {"cubo", {{"grad_draws", 10}}},
                            {"tvo", {{"importance_draws", 5}}}};
  for (const Surrogate& row : rows) {
    Bench bench(nullptr, find_objective(row.name).make(row.options), "reparam", 10, 105, row.options);
    Estimate estimate;
    bench.estimator->estimate(kLambda, 3, estimate);
    const Vector found = estimate.gradient;
    const Vector expected = Quadrature::gradient(
        [&](const Vector& lambda) {
          bench.estimator->estimate(lambda, 3, estimate);
          return estimate.bound;
        },
        kLambda);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(found[i], expected[i], 1e-8 * (1 + norm(expected))) << row.name;
  }
}

TEST(Estimators, SteinsIsTheDerivativeOfTheDiscrepancy) {
  Bench bench(&find_objective("stein"), nullptr, "", 8, 106);
  EXPECT_EQ(bench.estimator->bias(), Bias::unbiased);
  Estimate estimate;
  bench.estimator->estimate(kLambda, 0, estimate);  // fixes the units
  bench.estimator->estimate(kLambda, 3, estimate);
  const Vector found = estimate.gradient;
  const Vector expected = Quadrature::gradient(
      [&](const Vector& lambda) {
        bench.estimator->estimate(lambda, 3, estimate);
        return estimate.bound;
      },
      kLambda);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], expected[i], 1e-6 * (1 + norm(expected)));
}

// The discrepancy of q = p has mean 0, and the gradient too; elsewhere it is positive.
TEST(Estimators, SteinsDiscrepancyVanishesAtTheTarget) {
  TestDensity target(2, testing::normal({0.4, -1}, {0.7, 2}));
  const Options options;
  const auto family = find_family("meanfield").make({2, {}, {}, &options});
  const NoiseSource noise({107, 0, 5}, Sampling::iid, 2);
  const auto estimator =
      find_objective("stein").make_estimator({&target, family.get(), nullptr, &noise, 8, &options});
  const auto mean_of = [&](const Vector& lambda) {
    Means means;
    Estimate estimate;
    Vector bounds;
    for (std::uint32_t i = 0; i < 4000; ++i) {
      estimator->estimate(lambda, i, estimate);
      bounds.push_back(estimate.bound);
    }
    double mean = 0;
    double squares = 0;
    for (const double bound : bounds) mean += bound / 4000;
    for (const double bound : bounds) squares += (bound - mean) * (bound - mean) / 4000;
    return std::pair{mean, std::sqrt(squares / 4000)};
  };
  const auto [at, error] = mean_of({0.4, -1, std::log(0.7), std::log(2.0)});
  EXPECT_LT(std::abs(at), kMostZ * error);
  const auto [away, its_error] = mean_of({0.8, -1, std::log(0.7), std::log(2.0)});
  EXPECT_LT(away, -kMostZ * its_error);
}

// The mean of K draws' gradient less the limit, for `few` and four times as many: about a quarter of it
// remains.
struct BiasTest {
  std::size_t few = 8;
  double relative = 0.006;  // standard error to aim at, of the gradient's norm
};

template <class MakeBench>
void expect_bias_falls(const MakeBench& make_bench, const Vector& limit, const std::string& what,
                       BiasTest test) {
  const auto means_of = [&](std::size_t draws, double share) {
    const auto bench = make_bench(draws);
    return run(*bench, calls_for(*bench, unit(limit), norm(limit), share));
  };
  const Means few = means_of(test.few, test.relative);
  const Means many = means_of(4 * test.few, 0.5 * test.relative);
  Vector gap(4);
  for (std::size_t i = 0; i < 4; ++i) gap[i] = few.mean[i] - limit[i];
  const Vector direction = unit(gap);
  const double of_limit = std::inner_product(limit.begin(), limit.end(), direction.begin(), 0.0);
  const double of_few = few.along(direction) - of_limit;
  const double of_many = many.along(direction) - of_limit;
  EXPECT_GT(of_few, 4 * few.error(direction)) << what << ": no bias to see";
  const double error = many.error(direction) + 0.25 * few.error(direction);
  EXPECT_NEAR(of_many, 0.25 * of_few, 0.13 * of_few + 4.5 * error) << what;
  EXPECT_LT(of_many, 0.6 * of_few) << what;
}

Vector power_limit(double c) {
  return Quadrature::gradient(
      [&](const Vector& lambda) {
        const double mean =
            quadrature().integral(lambda, [&](double p, double q) { return std::exp(c * p + (1 - c) * q); });
        return (c > 1 ? -1 : 1) * std::log(mean) / c;
      },
      kLambda);
}

TEST(Estimators, CubosBiasFallsAsOneOverK) {
  const Vector limit = power_limit(2);
  for (const char* name : {"dreg", "score-loo", "reparam"}) {
    expect_bias_falls(
        [&](std::size_t draws) {
          const Options options{{"grad_draws", draws}};
          auto bench = std::make_unique<Bench>(nullptr, find_objective("cubo").make(options), name, draws,
                                               108, options);
          EXPECT_EQ(bench->estimator->bias(), Bias::consistent);
          return bench;
        },
        limit, std::string("cubo ") + name, {32, 0.006});
  }
}

Vector forward_limit() {
  const double log_z = quadrature().log_evidence();
  return Quadrature::gradient(
      [&](const Vector& lambda) {
        return quadrature().integral(lambda, [&](double p, double q) { return std::exp(p - log_z) * q; });
      },
      kLambda);
}

TEST(Estimators, ForwardKlsBiasFallsAsOneOverK) {
  expect_bias_falls(
      [](std::size_t draws) {
        return std::make_unique<Bench>(&find_objective("forward-kl"), nullptr, "", draws, 109);
      },
      forward_limit(), "forward-kl", {8, 0.006});
}

TEST(Estimators, FDivergencesBiasFallsAsOneOverK) {
  const double log_z = quadrature().log_evidence();
  const Vector limit = Quadrature::gradient(
      [&](const Vector& lambda) {
        return -quadrature().integral(
            lambda, [&](double p, double q) { return std::exp(q) - std::exp(0.5 * (p - log_z + q)); });
      },
      kLambda);
  for (const char* name : {"dreg", "score-cv"}) {
    expect_bias_falls(
        [&](std::size_t draws) {
          const Options options{{"grad_draws", draws}, {"divergence", "hellinger"}};
          return std::make_unique<Bench>(nullptr, find_objective("f").make(options), name, draws, 110,
                                         options);
        },
        limit, std::string("f hellinger ") + name, {8, 0.0015});
  }
}

// At fixed lambda the mean over iterations is exact for K = 3, where self-normalised weights are far off.
TEST(Estimators, MarkovianScoreClimbingHasNoBiasInTheLimit) {
  const Vector limit = forward_limit();
  const Vector direction = unit(limit);
  Bench bench(&find_objective("msc"), nullptr, "", 3, 111);
  run(bench, 100);
  Vector batches;
  for (std::uint32_t b = 0; b < 200; ++b)
    batches.push_back(run(bench, 8000, 1000 + 8000 * b).along(direction));
  double mean = 0;
  double squares = 0;
  for (const double batch : batches) mean += batch / 200;
  for (const double batch : batches) squares += (batch - mean) * (batch - mean);
  const double error = std::sqrt(squares / 199 / 200);
  EXPECT_LT(std::abs(mean - norm(limit)), kMostZ * error);
  EXPECT_GT(kBias * norm(limit), 1.5 * kMostZ * error);  // power
  Bench weighted(&find_objective("forward-kl"), nullptr, "", 3, 111);
  const Means biased = run(weighted, 100000);
  EXPECT_GT(std::abs(biased.along(direction) - norm(limit)), 20 * biased.error(direction));
}

TEST(Estimators, MarkovianScoreClimbingGoesOnFromItsArchive) {
  Bench whole(&find_objective("msc"), nullptr, "", 4, 112);
  run(whole, 10);
  Archive written;
  whole.estimator->archive(written);
  Bench resumed(&find_objective("msc"), nullptr, "", 4, 112);
  Archive read(written.numbers());
  resumed.estimator->archive(read);
  EXPECT_TRUE(read.is_complete());
  EXPECT_EQ(run(whole, 5, 10).mean, run(resumed, 5, 10).mean);
}

TEST(Estimators, FixedDrawsAreTheSameAtEveryCall) {
  Bench fixed(nullptr, find_objective("elbo").make({}), "fixed", 8, 113);
  Bench whole(nullptr, find_objective("elbo").make({}), "reparam", 8, 113);
  EXPECT_EQ(fixed.estimator->bias(), Bias::consistent);
  EXPECT_EQ(run(fixed, 1, 0).mean, run(fixed, 1, 9).mean);
  EXPECT_EQ(run(fixed, 1, 9).mean, run(whole, 1, 0).mean);
  EXPECT_NE(run(whole, 1, 9).mean, run(whole, 1, 0).mean);
}

TEST(Estimators, StickingTheLandingHasNoNoiseWhereQIsP) {
  TestDensity target(2, testing::normal({0.4, -1}, {0.7, 2}));
  const Options options;
  const auto family = find_family("meanfield").make({2, {}, {}, &options});
  const NoiseSource noise({114, 0, 5}, Sampling::iid, 2);
  const auto elbo = find_objective("elbo").make({});
  const EstimatorSetting setting{&target, family.get(), elbo.get(), &noise, 4, &options};
  Estimate estimate;
  find_estimator("stl").make(setting)->estimate(Vector{0.4, -1, std::log(0.7), std::log(2.0)}, 0, estimate);
  for (const double value : estimate.gradient) EXPECT_NEAR(value, 0, 1e-14);
  find_estimator("reparam").make(setting)->estimate(Vector{0.4, -1, std::log(0.7), std::log(2.0)}, 0,
                                                    estimate);
  EXPECT_GT(std::abs(estimate.gradient[0]), 1e-3);
}

// m ~ normal(0, 1), x_i ~ normal(m, 1), y_i ~ poisson(exp(x_i)): each latent has two terms.
class ManyLatents final : public density::LogDensity, public density::Terms {
 public:
  explicit ManyLatents(std::size_t latents) : latents_(latents) {
    for (std::uint32_t i = 0; i < latents; ++i) pairs_.insert(pairs_.end(), {0, i + 1});
  }
  std::size_t dim() const override { return latents_ + 1; }
  density::Terms* terms() override { return this; }
  std::size_t count() const override { return latents_ + 1; }
  std::span<const std::uint32_t> coordinates(std::size_t term) const override {
    return term == 0 ? std::span(pairs_).first(1) : std::span(pairs_).subspan(2 * (term - 1), 2);
  }
  void evaluate(std::size_t lanes, const double* theta, double* result) override {
    for (std::size_t k = 0; k < lanes; ++k) {
      result[k] = -0.5 * theta[k] * theta[k];
      for (std::size_t i = 1; i <= latents_; ++i) {
        const double x = theta[i * lanes + k];
        result[i * lanes + k] =
            -0.5 * (x - theta[k]) * (x - theta[k]) + static_cast<double>(i % 4) * x - std::exp(x);
      }
    }
  }
  void evaluate(const density::Batch& batch) override {
    std::vector<double> each(count() * batch.lanes);
    evaluate(batch.lanes, batch.theta, each.data());
    for (std::size_t k = 0; k < batch.lanes; ++k) {
      batch.log_density[k] = 0;
      batch.status[k] = density::Status::ok;
      for (std::size_t t = 0; t < count(); ++t) batch.log_density[k] += each[t * batch.lanes + k];
    }
  }

 private:
  std::size_t latents_;
  std::vector<std::uint32_t> pairs_;
};

double total_variance(density::LogDensity& density, const char* name) {
  const Options options;
  const std::size_t dim = density.dim();
  const auto family = find_family("meanfield").make({dim, {}, {}, &options});
  const NoiseSource noise({115, 0, 5}, Sampling::iid, dim);
  const auto elbo = find_objective("elbo").make({});
  const auto estimator =
      find_estimator(name).make({&density, family.get(), elbo.get(), &noise, 16, &options});
  Vector lambda(2 * dim, 0.2);
  std::fill(lambda.begin() + static_cast<std::ptrdiff_t>(dim), lambda.end(), std::log(0.6));
  Estimate estimate;
  Vector mean(lambda.size(), 0.0);
  Vector squares(lambda.size(), 0.0);
  constexpr std::uint32_t kCalls = 400;
  for (std::uint32_t c = 0; c < kCalls; ++c) {
    estimator->estimate(lambda, c, estimate);
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      mean[i] += estimate.gradient[i] / kCalls;
      squares[i] += estimate.gradient[i] * estimate.gradient[i] / kCalls;
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < lambda.size(); ++i) sum += squares[i] - mean[i] * mean[i];
  return sum;
}

TEST(Estimators, RaoBlackwellAndControlsAreTenfoldBetterOnManyLatents) {
  ManyLatents model(24);
  const double plain = total_variance(model, "score");
  EXPECT_LT(10 * total_variance(model, "rao-blackwell"), plain);
  EXPECT_LT(total_variance(model, "score-loo"), plain);
  EXPECT_LT(total_variance(model, "score-cv"), plain);
  EXPECT_LT(total_variance(model, "local-expectation"), total_variance(model, "rao-blackwell"));
}

std::string refusal(const char* estimator, const char* objective, const char* family_name, Options options,
                    density::LogDensity& density) {
  const auto of = find_objective(objective).make(options);
  const auto family = find_family(family_name).make({density.dim(), {}, {}, &options});
  const NoiseSource noise({1, 0, 5}, sampling_of(options[option::kSampling]), family->noise());
  const std::size_t draws = std::max(options[option::kGradDraws], of->draws());
  return find_estimator(estimator)
      .refuse({&density, family.get(), of.get(), &noise, draws, &options})
      .value_or("");
}

TEST(Estimators, CombinationsWithoutSenseAreRefusedWithWhatWouldWork) {
  CoupledTarget coupled;
  TestDensity no_terms(3, testing::normal({0, 0, 0}, {1, 1, 1}));
  const Options eight{{"grad_draws", 8}};
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(refusal("stl", "iw", "meanfield", eight, coupled), "dreg"));
  EXPECT_TRUE(has(refusal("stl", "cubo", "meanfield", eight, coupled), "dreg"));
  EXPECT_EQ(refusal("dreg", "iw", "meanfield", eight, coupled), "");
  EXPECT_TRUE(has(refusal("rao-blackwell", "iw", "meanfield", eight, coupled), "score-cv"));
  EXPECT_TRUE(has(refusal("rao-blackwell", "elbo", "fullrank", eight, coupled), "meanfield"));
  EXPECT_TRUE(has(refusal("rao-blackwell", "elbo", "meanfield", eight, no_terms), "terms"));
  EXPECT_TRUE(has(refusal("local-expectation", "elbo", "fullrank", eight, coupled), "meanfield"));
  EXPECT_TRUE(has(refusal("local-expectation", "renyi", "meanfield", eight, coupled), "score-cv"));
  EXPECT_TRUE(has(refusal("overdispersed", "iw", "meanfield", eight, coupled), "score-loo"));
  EXPECT_TRUE(has(refusal("score-cv", "iw", "meanfield", {{"grad_draws", 10}}, coupled), "--grad-draws 20"));
  EXPECT_TRUE(
      has(refusal("score-loo", "elbo", "meanfield", {{"sampling", "antithetic"}, {"grad_draws", 8}}, coupled),
          "--sampling iid"));
  const Options sobol{{"sampling", "sobol"}, {"grad_draws", 20}};
  for (const char* objective : {"iw", "renyi", "tvo"}) {
    EXPECT_TRUE(has(refusal("dreg", objective, "meanfield", sobol, coupled), "--estimator reparam"));
    EXPECT_TRUE(has(refusal("score", objective, "meanfield", sobol, coupled), "--sampling iid"));
    EXPECT_EQ(refusal("reparam", objective, "meanfield", sobol, coupled), "");
  }
  EXPECT_EQ(refusal("dreg", "cubo", "meanfield", sobol, coupled), "");
  EXPECT_EQ(refusal("stl", "elbo", "meanfield", sobol, coupled), "");
  EXPECT_EQ(refusal("score", "elbo", "meanfield", sobol, coupled), "");
  EXPECT_TRUE(has(refusal("fixed", "elbo", "fullrank", {{"grad_draws", 3}}, no_terms), "--grad-draws 6"));
  EXPECT_TRUE(has(refusal("fixed", "elbo", "student", {{"grad_draws", 3}}, no_terms), "--grad-draws 6"));
  EXPECT_EQ(refusal("fixed", "elbo", "fullrank", eight, no_terms), "");
  EXPECT_EQ(refusal("fixed", "elbo", "meanfield", {{"grad_draws", 3}}, no_terms), "");
}

}  // namespace
}  // namespace kullback::infer
