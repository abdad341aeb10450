// Values against 40 digits of mpmath (make_references.py), in double; in single precision against double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "tests/dist/examples.hpp"

namespace kullback::dist {
namespace {

struct Reference {
  const char* family;
  std::vector<double> parameters;
  const char* function;
  std::vector<double> argument;
  double expected;
  double tolerance;
};

const std::vector<Reference> kReferences = {
#define KULLBACK_REFERENCES
#include "tests/dist/references.inc"
#undef KULLBACK_REFERENCES
};

struct KlReference {
  const char* p;
  std::vector<double> p_parameters;
  const char* q;
  std::vector<double> q_parameters;
  double expected;
  double tolerance;
};

const std::vector<KlReference> kKlReferences = {
#define KULLBACK_KL_REFERENCES
#include "tests/dist/references.inc"
#undef KULLBACK_KL_REFERENCES
};

// A distribution of one batch entry from the numbers of a row.
Any build(const std::string& family, const std::vector<double>& values, at::ScalarType type) {
  const auto all = at::tensor(values, at::kDouble).to(type);
  const auto part = [&](int64_t from, IntArrayRef shape) {
    return all.narrow(0, from, c10::multiply_integers(shape)).view(shape);
  };
  using Maker = std::function<Any()>;
  const std::map<std::string, Maker> makers = {
      {"Normal", [&] { return Normal(all[0], all[1]); }},
      {"LogNormal", [&] { return LogNormal(all[0], all[1]); }},
      {"HalfNormal", [&] { return HalfNormal(all[0]); }},
      {"Laplace", [&] { return Laplace(all[0], all[1]); }},
      {"Cauchy", [&] { return Cauchy(all[0], all[1]); }},
      {"HalfCauchy", [&] { return HalfCauchy(all[0]); }},
      {"Gumbel", [&] { return Gumbel(all[0], all[1]); }},
      {"Uniform", [&] { return Uniform(all[0], all[1]); }},
      {"Exponential", [&] { return Exponential(all[0]); }},
      {"StudentT", [&] { return StudentT(all[0], all[1], all[2]); }},
      {"Gamma", [&] { return Gamma(all[0], all[1]); }},
      {"Beta", [&] { return Beta(all[0], all[1]); }},
      {"VonMises", [&] { return VonMises(all[0], all[1]); }},
      {"Bernoulli", [&] { return Bernoulli(Probs{all[0]}); }},
      {"BernoulliLogits", [&] { return Bernoulli(Logits{all[0]}); }},
      {"Poisson", [&] { return Poisson(all[0]); }},
      {"NegativeBinomial", [&] { return NegativeBinomial(all[0], Probs{all[1]}); }},
      {"NegativeBinomialLogits", [&] { return NegativeBinomial(all[0], Logits{all[1]}); }},
      {"Dirichlet", [&] { return Dirichlet(all); }},
      {"Categorical", [&] { return Categorical(Logits{all}); }},
      {"LogitRelaxedBernoulli", [&] { return LogitRelaxedBernoulli(all[0], Logits{all[1]}); }},
      {"RelaxedOneHotCategorical", [&] { return RelaxedOneHotCategorical(all[0], Logits{part(1, {3})}); }},
      {"MultivariateNormal",
       [&] {
         return MultivariateNormal(part(0, {3}), ScaleTril{part(3, {3, 3})});
       }},
      {"LowRankMultivariateNormal",
       [&] {
         return LowRankMultivariateNormal(part(0, {3}), part(3, {3, 1}), part(6, {3}));
       }},
      {"MatrixNormal",
       [&] {
         return MatrixNormal(part(0, {2, 3}), ScaleTril{part(6, {2, 2})}, ScaleTril{part(10, {3, 3})});
       }},
  };
  return makers.at(family)();
}

Tensor evaluate(const Any& d, const std::string& function, const std::vector<double>& argument,
                at::ScalarType type) {
  if (function == "entropy") return d->entropy();
  if (function == "mean") return d->mean();
  if (function == "variance") return d->variance();
  const auto value = at::tensor(argument, at::kDouble).to(type);
  const auto x = d->event_shape().empty() ? value[0] : value.view(d->event_shape());
  return function == "cdf" ? d->cdf(x) : d->log_prob(x);
}

std::string described(const Reference& row) {
  std::string text = std::string(row.family) + "(";
  for (double p : row.parameters) text += std::to_string(p) + " ";
  text += std::string(") ") + row.function;
  for (double x : row.argument) text += " " + std::to_string(x);
  return text;
}

TEST(References, ThereAreMany) {
  EXPECT_GT(kReferences.size(), 250u);
  EXPECT_GT(kKlReferences.size(), 35u);
}

// Relative to the value, whatever its size: log probabilities near 0 keep their digits.
TEST(References, Double) {
  for (const auto& row : kReferences) {
    const auto d = build(row.family, row.parameters, at::kDouble);
    const double got = evaluate(d, row.function, row.argument, at::kDouble).item<double>();
    EXPECT_NEAR(got, row.expected,
                row.tolerance * std::abs(row.expected) + 1e-15 * (std::abs(row.expected) > 1e-6))
        << described(row);
  }
}

// At the parameters that single precision rounds to, the double value is the reference.
TEST(References, SinglePrecisionLosesOnlyItsOwnDigits) {
  for (const auto& row : kReferences) {
    if (std::string(row.function) != "log_prob" || row.tolerance > 1e-10) continue;
    const auto rounded = [](const std::vector<double>& values) {
      std::vector<double> result;
      for (double v : values) result.push_back(static_cast<double>(static_cast<float>(v)));
      return result;
    };
    const auto argument = rounded(row.argument);
    if (!std::isfinite(argument[0]) || std::abs(argument[0]) > 1e15) continue;
    const std::string family = row.family;
    if ((family == "Beta" || family == "Dirichlet") && argument[0] > 0.99)
      continue;  // 1 - x is rounding there
    const auto parameters = rounded(row.parameters);
    if (family.find("Dirichlet") == 0 || family.find("RelaxedOneHot") == 0)
      continue;  // the sum is no longer 1
    const double exact =
        evaluate(build(family, parameters, at::kDouble), "log_prob", argument, at::kDouble).item<double>();
    const double got =
        evaluate(build(family, parameters, at::kFloat), "log_prob", argument, at::kFloat).item<double>();
    EXPECT_NEAR(got, exact, 3e-6 * std::abs(exact) + 2e-5) << described(row);
  }
}

TEST(References, Divergences) {
  for (const auto& row : kKlReferences) {
    const auto p = build(row.p, row.p_parameters, at::kDouble);
    const auto q = build(row.q, row.q_parameters, at::kDouble);
    EXPECT_NEAR(kl_divergence(p, q).item<double>(), row.expected,
                row.tolerance * std::max(1.0, std::abs(row.expected)))
        << row.p << " " << row.q;
  }
}

// icdf(cdf(x)) = x, in both tails.
TEST(References, QuantilesInvertTheCdf) {
  for (const auto& row : kReferences) {
    if (std::string(row.function) != "cdf" || std::string(row.family) == "Gamma") continue;
    const auto d = build(row.family, row.parameters, at::kDouble);
    const auto p = at::scalar_tensor(row.expected, at::kDouble);
    if (row.expected > 1 - 1e-9) continue;
    EXPECT_NEAR(d->icdf(p).item<double>(), row.argument[0], 1e-7 * std::max(1.0, std::abs(row.argument[0])))
        << described(row);
  }
}

TEST(References, MomentsThatDoNotExist) {
  EXPECT_TRUE(std::isnan(Cauchy(0.0, 1.0).mean().item<double>()));
  EXPECT_TRUE(std::isinf(HalfCauchy(1.0).mean().item<double>()));
  EXPECT_TRUE(std::isnan(StudentT(0.5).mean().item<double>()));
  EXPECT_TRUE(std::isinf(StudentT(1.5).variance().item<double>()));
  EXPECT_TRUE(std::isnan(StudentT(0.5).variance().item<double>()));
}

// Zero probabilities are exact, not clamped.
TEST(References, CertainEvents) {
  const auto one = at::ones({}, at::kDouble);
  const Bernoulli never(Probs{at::zeros({}, at::kDouble)});
  EXPECT_EQ(never.log_prob(one).item<double>(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(never.log_prob(0 * one).item<double>(), 0);
  EXPECT_EQ(never.entropy().item<double>(), 0);
  EXPECT_EQ(Poisson(0 * one).log_prob(0 * one).item<double>(), 0);
  const Categorical first(Probs{numbers({1, 0, 0}, {3})});
  EXPECT_EQ(first.entropy().item<double>(), 0);
  EXPECT_TRUE(first.sample({1000}).eq(0).all().item<bool>());
}

}  // namespace
}  // namespace kullback::dist
