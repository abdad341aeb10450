// Normalising flows: inverses, determinants and normalisation against numerical ones, parameters at their
// extremes, and fits of targets that no Gaussian fits. tests/infer/family_test.cpp has the derivatives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/vi/family.hpp"
#include "infer/vi/flows/autoregressive.hpp"
#include "infer/vi/flows/coupling.hpp"
#include "infer/vi/flows/kernels.hpp"
#include "infer/vi/objective.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

using Vector = std::vector<double>;

constexpr const char* kFlows[] = {"planar", "radial", "sylvester", "realnvp", "iaf", "spline"};
constexpr std::size_t kDims[] = {1, 2, 5};

struct Made {
  Options options;
  std::unique_ptr<Family> family;
  Vector lambda;
};

// With parameters `spread` away from the start.
Made make(const std::string& name, std::size_t dim, double spread) {
  Made made;
  made.family = find_family(name).make({dim, {}, {}, &made.options});
  made.lambda.resize(made.family->parameters());
  made.family->begin({Vector(dim, 0.2), Vector(dim, 0.9), {}}, 5, made.lambda);
  Random random(8, static_cast<std::uint32_t>(dim));
  for (double& value : made.lambda) value += spread * random.normal();
  return made;
}

Vector normals(std::size_t count, std::uint32_t index) {
  Random random(31, index);
  Vector result(count);
  for (double& value : result) value = random.normal();
  return result;
}

// log|det| by elimination with pivots; a is row after row.
double log_determinant(Vector a, std::size_t size) {
  double sum = 0;
  for (std::size_t c = 0; c < size; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < size; ++r) {
      if (std::abs(a[r * size + c]) > std::abs(a[pivot * size + c])) pivot = r;
    }
    for (std::size_t j = 0; j < size; ++j) std::swap(a[c * size + j], a[pivot * size + j]);
    sum += std::log(std::abs(a[c * size + c]));
    for (std::size_t r = c + 1; r < size; ++r) {
      const double factor = a[r * size + c] / a[c * size + c];
      for (std::size_t j = c; j < size; ++j) a[r * size + j] -= factor * a[c * size + j];
    }
  }
  return sum;
}

Vector draw_one(Made& made, const Vector& noise, double* log_q = nullptr) {
  Vector theta(made.family->dim());
  made.family->draw(made.lambda, {1, noise.data(), theta.data(), log_q});
  return theta;
}

TEST(Flows, LogDeterminantIsThatOfTheNumericalJacobian) {
  for (const char* name : kFlows) {
    for (const std::size_t dim : kDims) {
      Made made = make(name, dim, 0.2);
      for (std::uint32_t trial = 0; trial < 3; ++trial) {
        Vector noise = normals(dim, trial);
        double log_q = 0;
        draw_one(made, noise, &log_q);
        Vector jacobian(dim * dim);
        for (std::size_t j = 0; j < dim; ++j) {
          for (const auto& [h, weight] : {std::pair(1e-5, 4.0 / 3), std::pair(2e-5, -1.0 / 3)}) {
            const double middle = noise[j];
            noise[j] = middle + h;
            const Vector above = draw_one(made, noise);
            noise[j] = middle - h;
            const Vector below = draw_one(made, noise);
            noise[j] = middle;
            for (std::size_t i = 0; i < dim; ++i)
              jacobian[i * dim + j] += weight * (above[i] - below[i]) / (2 * h);
          }
        }
        double expected = -log_determinant(jacobian, dim);
        for (const double z : noise) expected -= 0.5 * (z * z + std::log(2 * std::numbers::pi));
        EXPECT_NEAR(log_q, expected, 1e-6) << name << " in " << dim;
      }
    }
  }
}

void expect_inverse(flows::Layer& layer, std::size_t dim, const std::string& name) {
  constexpr std::size_t kLanes = 64;
  Vector params(layer.parameters());
  Random random(3);
  layer.begin(random, params);
  for (double& value : params) value += 0.5 * random.normal();
  Vector x = normals(dim * kLanes, 4);
  for (std::size_t i = 0; i < x.size(); i += 7) x[i] *= 4;  // tails too
  Vector y(x.size());
  Vector log_det(kLanes);
  Vector back(x.size());
  layer.forward(params, {kLanes, x.data(), y.data(), log_det.data()});
  layer.inverse(params, kLanes, y.data(), back.data());
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(back[i], x[i], 1e-9 * (1 + std::abs(x[i]))) << name << " in " << dim;
}

TEST(Flows, InverseUndoesForward) {
  for (const std::size_t dim : {1, 2, 3, 8, 17}) {
    for (auto& moves : flows::moves_of_layers(dim, 4)) {
      flows::Coupling scale(moves, 8, flows::make_scale_shift());
      expect_inverse(scale, dim, "scale and shift");
      flows::Coupling spline(moves, 8, flows::make_spline(6));
      expect_inverse(spline, dim, "spline");
    }
    for (const bool is_reversed : {false, true}) {
      flows::Autoregressive layer(dim, 8, is_reversed);
      expect_inverse(layer, dim, "autoregressive");
    }
  }
}

TEST(Flows, EveryCoordinateMovesInTwoLayers) {
  for (const std::size_t dim : {1, 2, 3, 8}) {
    const auto moves = flows::moves_of_layers(dim, 4);
    for (std::size_t l = 0; l < 4; l += 2) {
      for (std::size_t i = 0; i < dim; ++i) EXPECT_TRUE(moves[l][i] || moves[l + 1][i]);
    }
  }
}

TEST(Flows, DensitiesOnTheLineIntegrateToOne) {
  for (const char* name : {"realnvp", "iaf", "spline"}) {
    Made made = make(name, 1, 0.2);
    constexpr std::size_t kPoints = 80001;
    Vector theta(kPoints);
    for (std::size_t k = 0; k < kPoints; ++k) theta[k] = -100 + 2.5e-3 * static_cast<double>(k);
    Vector log_q(kPoints);
    made.family->evaluate(made.lambda, {kPoints, theta.data(), log_q.data()});
    double sum = 0;
    for (const double value : log_q) sum += 2.5e-3 * std::exp(value);
    EXPECT_NEAR(sum, 1, 1e-4) << name;
  }
}

TEST(Flows, ExtremeParametersStayFinite) {
  for (const char* name : {"planar", "radial", "sylvester", "realnvp", "iaf", "spline", "semi-implicit"}) {
    for (const std::size_t dim : kDims) {
      for (const double spread : {5.0, 30.0}) {
        Made made = make(name, dim, spread);
        constexpr std::size_t kLanes = 16;
        const Vector noise = normals(made.family->noise() * kLanes, 6);
        Vector theta(dim * kLanes);
        Vector log_q(kLanes);
        made.family->draw(made.lambda, {kLanes, noise.data(), theta.data(), log_q.data()});
        for (const double value : theta) EXPECT_TRUE(std::isfinite(value)) << name << " in " << dim;
        for (const double value : log_q) EXPECT_TRUE(std::isfinite(value)) << name << " in " << dim;
        Vector gradient(made.lambda.size());
        made.family->pull_back(made.lambda, {kLanes, theta.data(), log_q.data()}, gradient);
      }
    }
  }
  for (const char* name : kFlows) {  // beyond what numbers can hold: no crash, whatever comes out
    Made made = make(name, 3, 1e200);
    draw_one(made, normals(3, 1));
  }
}

TEST(Flows, BeginAtTheGuess) {
  for (const char* name : {"realnvp", "iaf", "spline", "planar", "radial", "sylvester"}) {
    Made made = make(name, 4, 0);
    const Vector noise = normals(4, 9);
    const Vector theta = draw_one(made, noise);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(theta[i], 0.2 + 0.9 * noise[i], 0.3) << name;
  }
}

struct Bound {
  double elbo = 0;
  double error = 0;
};

Bound fit(Target target, const std::string& family, std::size_t steps) {
  Options options;
  options.set("draws", 8000);
  options.set("max_steps", steps);
  options.set("family", family);
  const auto run = testing::run("vi", target, options, {Vector(target.dim(), 0.5), 20261115, 0});
  Bound bound;
  const auto count = static_cast<double>(run.draws.count());
  for (std::size_t d = 0; d < run.draws.count(); ++d)
    bound.elbo += (run.draws.log_density[d] - run.draws.log_q[d]) / count;
  for (std::size_t d = 0; d < run.draws.count(); ++d)
    bound.error += std::pow(run.draws.log_density[d] - run.draws.log_q[d] - bound.elbo, 2) / count / count;
  bound.error = std::sqrt(bound.error);
  return bound;
}

struct Goal {
  const char* family;
  double gap;  // to the log evidence, at most
};

void expect_gaps(const Target& target, double evidence, double gaussian_gap, const std::vector<Goal>& goals) {
  const Bound gaussian = fit(target, "fullrank", 4000);
  EXPECT_GT(evidence - gaussian.elbo, gaussian_gap) << "no hard target";
  for (const Goal& goal : goals) {
    const Bound bound = fit(target, goal.family, 4000);
    ::testing::Test::RecordProperty(goal.family, std::to_string(evidence - bound.elbo));
    EXPECT_LT(bound.elbo, evidence + 4.5 * bound.error) << goal.family;
    EXPECT_LT(evidence - bound.elbo, goal.gap + 4.5 * bound.error) << goal.family;
    EXPECT_GT(bound.elbo, gaussian.elbo + 4.5 * (bound.error + gaussian.error)) << goal.family;
  }
}

// log Z = log(2 pi).
TEST(Flows, FitTheBanana) {
  expect_gaps(banana(1.5), std::log(2 * std::numbers::pi), 0.35,
              {{"spline", 0.05},
               {"realnvp", 0.05},
               {"iaf", 0.05},
               {"sylvester", 0.15},
               {"planar", 0.15},
               {"radial", 0.15},
               {"semi-implicit", 0.35}});
}

// v ~ normal(0, 3), two x ~ normal(0, exp(v / 2)): log Z = 1.5 log(2 pi) + log 3.
TEST(Flows, FitTheFunnel) {
  expect_gaps(funnel(3), 1.5 * std::log(2 * std::numbers::pi) + std::log(3.0), 0.8,
              {{"spline", 0.25}, {"realnvp", 0.1}, {"iaf", 0.1}});
}

TEST(SemiImplicit, SurrogateRisesToTheElboWithItsAuxiliaryDraws) {
  const auto bound = [](std::size_t aux_draws) {
    Options options;
    options.set("aux_draws", aux_draws);
    const auto family = find_family("semi-implicit").make({2, {}, {}, &options});
    Vector lambda(family->parameters());
    family->begin({{0, 0}, {1, 1}, {}}, 2, lambda);
    constexpr std::size_t kLanes = 4000;
    const Vector noise = normals(family->noise() * kLanes, 3);
    Vector theta(2 * kLanes);
    Vector log_q(kLanes);
    family->draw(lambda, {kLanes, noise.data(), theta.data(), log_q.data()});
    double sum = 0;
    for (const double value : log_q) sum -= value / kLanes;
    return sum;
  };
  const double few = bound(1);
  const double some = bound(8);
  const double many = bound(64);
  EXPECT_LT(few + 0.05, some);
  EXPECT_LT(some, many + 0.03);  // error of a mean of 4000 log q: below 0.02
}

TEST(SemiImplicit, SaysThatItsGradientIsOfTheSurrogate) {
  Target target = banana(1);
  Options options;
  options.set("family", "semi-implicit");
  options.set("max_steps", 20);
  options.set("draws", 10);
  const auto algorithm = find_method("vi")->make(target, options, {{0.1, 0.1}, 1, 0});
  testing::finish(*algorithm);
  for (const auto& [name, value] : algorithm->facts()) {
    if (name == "gradient") {
      EXPECT_EQ(value, bias_name(Bias::finite_k));
    }
    if (name == "estimator") {
      EXPECT_EQ(value, "reparam");
    }
  }
}

TEST(FlowMethod, TakesSplinesOrRealNvpByDimensionAndResumes) {
  Options options;
  options.set("max_steps", 60);
  options.set("draws", 70);
  const auto family_in = [&](std::size_t dim) {
    Target target = gaussian(Vector(dim, 0.0), Vector(dim, 1.0));
    const auto algorithm = find_method("flow")->make(target, options, {Vector(dim, 0.5), 1, 0});
    testing::finish(*algorithm);
    return algorithm->facts().front().second;
  };
  EXPECT_EQ(family_in(1), "spline");
  EXPECT_EQ(family_in(40), "realnvp");
  Target target = banana(1);
  testing::expect_resumes("flow", target, options, {{0.3, 0.2}, 4, 0}, 23);
}

TEST(Flows, RefuseTooManyBins) {
  try {
    Options({{"bins", 1000}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "--bins is 1000; it must be auto or from 1 to 500.");
  }
}

}  // namespace
}  // namespace kullback::infer
