// Implicit gradients of draws against -(dF/dtheta)/p with F integrated here, and gradients of log_prob
// against differences.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/dist/examples.hpp"

namespace kullback::dist {
namespace {

// The integral of exp(log_density) from `low` to `high` by Simpson's rule after x = low + (high - low) t^12,
// which tames poles of densities at `low`.
double integral(const std::function<Tensor(const Tensor&)>& log_density, double low, double high) {
  constexpr int64_t kSteps = 4000;
  constexpr double kPower = 12;
  const auto t = at::linspace(0, 1, kSteps + 1, at::kDouble);
  const auto x = low + (high - low) * t.pow(kPower);
  auto f = log_density(x.clamp_min(low + 1e-300)).exp() * kPower * (high - low) * t.pow(kPower - 1);
  f = at::where(t.gt(0), f, at::zeros_like(f));
  auto weights = at::full({kSteps + 1}, 2.0, at::kDouble);
  weights.slice(0, 1, kSteps, 2).fill_(4);
  weights[0] = 1;
  weights[kSteps] = 1;
  return (f * weights).sum().item<double>() / (3 * kSteps);
}

using Maker = std::function<Any(const std::vector<double>&)>;

// -(dF/dtheta_i)/p at x by central differences of the integral.
double implicit_slope(const Maker& make, std::vector<double> theta, size_t i, double low, double x) {
  const double step = 1e-4 * theta[i];
  const auto cdf = [&](double by) {
    auto moved = theta;
    moved[i] += by;
    const Validation off(false);
    const auto d = make(moved);
    return integral([&](const Tensor& t) { return d->log_prob(t); }, low, x);
  };
  const double density = make(theta)->log_prob(at::scalar_tensor(x, at::kDouble)).exp().item<double>();
  return -(cdf(step) - cdf(-step)) / (2 * step) / density;
}

Tensor leaf(double value) { return at::full({}, value, at::kDouble).requires_grad_(); }

// ATen's gradients of gamma and Dirichlet draws are approximations good to about 1e-3.
TEST(ImplicitGradients, Gamma) {
  at::manual_seed(1);
  const Maker make = [](const std::vector<double>& p) {
    return Gamma(at::full({}, p[0], at::kDouble), p[1]);
  };
  for (double a : {0.3, 0.9, 1.5, 4.0, 20.0}) {
    for (int i = 0; i < 4; ++i) {
      const auto shape = leaf(a), rate = leaf(2);
      const auto x = Gamma(shape, rate).rsample();
      x.backward();
      const double expected = implicit_slope(make, {a, 2}, 0, 0, x.item<double>());
      EXPECT_NEAR(shape.grad().item<double>(), expected, 2e-3 * std::abs(expected))
          << a << " " << x.item<double>();
      EXPECT_NEAR(rate.grad().item<double>(), -x.item<double>() / 2, 1e-12);
    }
  }
}

// Shapes so small that draws are far below 1: finite logarithms and gradients, in single precision too.
TEST(ImplicitGradients, GammaOfSmallShape) {
  at::manual_seed(2);
  for (const auto type : {at::kFloat, at::kDouble}) {
    const auto shape = at::full({2000}, 0.01, type).requires_grad_();
    const auto x = Gamma(shape, 1.0).rsample();
    EXPECT_TRUE(x.gt(0).all().item<bool>());
    x.sum().backward();
    EXPECT_TRUE(at::isfinite(shape.grad()).all().item<bool>());
    const auto z = (shape.grad().mean() - 1) / (shape.grad().std() / std::sqrt(2000.0));  // d/da E x = 1
    EXPECT_LT(std::abs(z.item<double>()), 4.5);
  }
}

TEST(ImplicitGradients, Beta) {
  at::manual_seed(3);
  const Maker make = [](const std::vector<double>& p) { return Beta(at::full({}, p[0], at::kDouble), p[1]); };
  for (const auto& [a0, b0] : {std::pair{0.7, 1.4}, {2.0, 5.0}, {12.0, 3.0}}) {
    for (int i = 0; i < 4; ++i) {
      const auto a = leaf(a0), b = leaf(b0);
      const auto x = Beta(a, b).rsample();
      x.backward();
      for (size_t k : {0u, 1u}) {
        const double expected = implicit_slope(make, {a0, b0}, k, 0, x.item<double>());
        const double got = (k == 0 ? a : b).grad().item<double>();
        EXPECT_NEAR(got, expected, 3e-3 * std::abs(expected)) << a0 << " " << b0 << " " << x.item<double>();
      }
    }
  }
}

TEST(ImplicitGradients, VonMises) {
  at::manual_seed(4);
  const Maker make = [](const std::vector<double>& p) {
    return VonMises(0.0, at::full({}, p[0], at::kDouble));
  };
  for (double k : {1e-3, 0.5, 3.0, 40.0, 60.0, 500.0}) {
    for (int i = 0; i < 4; ++i) {
      const auto loc = leaf(0), concentration = leaf(k);
      const auto x = VonMises(loc, concentration).rsample();
      x.backward();
      const double at_x = x.item<double>();
      // F(x) - 1/2 and the slope are odd: integrated from the mean on, where the density is large.
      const double expected = std::copysign(1.0, at_x) * implicit_slope(make, {k}, 0, 0, std::abs(at_x));
      EXPECT_NEAR(concentration.grad().item<double>(), expected, 1e-5 * std::abs(expected) + 1e-9)
          << k << " " << at_x;
      EXPECT_NEAR(loc.grad().item<double>(), 1, 1e-12);
    }
  }
}

// E cos x = I1/I0, at concentrations where draws are nearly uniform and nearly certain; d/dk by draws.
TEST(ImplicitGradients, VonMisesMoments) {
  at::manual_seed(5);
  constexpr int64_t kDraws = 20000;
  for (double k : {1e-3, 2.0, 1e4}) {
    const auto concentration = at::full({kDraws}, k, at::kDouble).requires_grad_();
    const VonMises d(0.0, concentration);
    const auto x = d.rsample();
    const auto f = 2 * at::sin(0.5 * x).square();  // 1 - cos x
    f.sum().backward();
    const auto check = [&](const Tensor& draws, double expected) {
      const double z = ((draws.mean() - expected) / (draws.std() / std::sqrt(double{kDraws}))).item<double>();
      EXPECT_LT(std::abs(z), 4.5) << k;
    };
    const auto k0 = leaf(k);
    const auto variance = VonMises(0.0, k0).variance();
    variance.backward();
    check(f.detach(), variance.item<double>());
    check(concentration.grad(), k0.grad().item<double>());
  }
}

// d/dv E f for Student's t goes through a gamma draw: E x^2 = v/(v - 2).
TEST(ImplicitGradients, StudentT) {
  at::manual_seed(6);
  constexpr int64_t kDraws = 40000;
  const auto df = at::full({kDraws}, 12.0, at::kDouble).requires_grad_();
  StudentT(df).rsample().square().sum().backward();
  const double z =
      ((df.grad().mean() + 2.0 / 100) / (df.grad().std() / std::sqrt(double{kDraws}))).item<double>();
  EXPECT_LT(std::abs(z), 4.5);
}

// log_prob by value and by every parameter.
TEST(LogProb, GradientsAgainstDifferences) {
  at::manual_seed(7);
  for (const auto& example : examples()) {
    const auto d = example.make(example.parameters);
    const auto discrete = d->support().is_discrete() || example.name.find("Categorical by") == 0;
    auto x = d->sample({3});
    std::vector<Tensor> leaves;
    for (const auto& p : example.parameters) leaves.push_back(p.clone().requires_grad_());
    const bool on_simplex = d->support().kind() == Constraint::Kind::simplex;
    const bool by_value = !discrete && !on_simplex && example.name != "TransformedDistribution";
    if (by_value) x = x.clone().requires_grad_();
    const Validation off(false);
    const auto weighted = [](const Tensor& t) {
      return (t * at::arange(1, t.numel() + 1, at::kDouble).cos().view_as(t)).sum();
    };
    weighted(example.make(leaves)->log_prob(x)).backward();
    const auto compare = [&](const Tensor& gradient, const Tensor& at_point, auto value,
                             const std::string& what) {
      const auto direction = at::randn_like(at_point) * at_point.ne(0) * at_point.abs().clamp_max(1);
      constexpr double kStep = 1e-6;
      const double slope =
          ((value(at_point + kStep * direction) - value(at_point - kStep * direction)) / (2 * kStep))
              .template item<double>();
      EXPECT_NEAR((gradient * direction).sum().item<double>(), slope, 2e-6 * (1 + std::abs(slope)))
          << example.name << what;
    };
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (example.name == "Uniform" && i > 1) continue;
      compare(
          leaves[i].grad(), example.parameters[i],
          [&](const Tensor& p) {
            auto parameters = example.parameters;
            parameters[i] = p;
            return weighted(example.make(parameters)->log_prob(x.detach()));
          },
          " parameter " + std::to_string(i));
    }
    if (by_value && x.grad().defined()) {
      compare(
          x.grad(), x.detach(), [&](const Tensor& v) { return weighted(d->log_prob(v)); }, " value");
    }
  }
}

// Both sides of every change of formula meet, with their slopes.
TEST(LogProb, FormulasMeet) {
  for (const double at_value : {10.0, 50.0}) {
    const auto evaluate = [](double v) {
      const auto x = leaf(v);
      const auto y = Gamma(x, 2.0).log_prob(at::full({}, 4.0, at::kDouble)) + Gamma(x, 2.0).entropy() +
                     VonMises(0.0, x).log_prob(at::full({}, 0.1, at::kDouble)) + VonMises(0.0, x).entropy() +
                     StudentT(2 * x).entropy() + Beta(x, 3.0).log_prob(at::full({}, 0.4, at::kDouble));
      y.backward();
      return std::pair{y.item<double>(), x.grad().item<double>()};
    };
    const auto below = evaluate(at_value - 1e-9), above = evaluate(at_value + 1e-9);
    EXPECT_NEAR(below.first, above.first, 1e-7);
    EXPECT_NEAR(below.second, above.second, 1e-8);
  }
}

}  // namespace
}  // namespace kullback::dist
