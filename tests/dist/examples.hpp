// One example of every family, from tensors that a test may change, widen or differentiate by.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dist/dist.hpp"

namespace kullback::dist {

struct Example {
  std::string name;
  std::vector<Tensor> parameters;  // double; batch shape [2] or []
  std::function<Any(const std::vector<Tensor>&)> make;
};

inline Tensor numbers(std::vector<double> values, IntArrayRef shape) {
  return at::tensor(values, at::kDouble).view(shape);
}

inline Tensor pair(double a, double b) { return numbers({a, b}, {2}); }

inline std::vector<Example> examples() {
  using Ts = const std::vector<Tensor>&;
  const auto lower3 = numbers({1.5, 0, 0, -0.4, 0.8, 0, 0.3, 0.5, 0.6}, {3, 3});
  const auto lower2 = numbers({1.2, 0, 0.5, 0.7}, {2, 2});
  return {
      {"Normal", {pair(0.5, -1), pair(2, 0.3)}, [](Ts p) { return Normal(p[0], p[1]); }},
      {"LogNormal", {pair(0.5, -1), pair(0.6, 0.3)}, [](Ts p) { return LogNormal(p[0], p[1]); }},
      {"HalfNormal", {pair(2, 0.3)}, [](Ts p) { return HalfNormal(p[0]); }},
      {"Laplace", {pair(0.5, -1), pair(2, 0.3)}, [](Ts p) { return Laplace(p[0], p[1]); }},
      {"Cauchy", {pair(0.5, -1), pair(2, 0.3)}, [](Ts p) { return Cauchy(p[0], p[1]); }},
      {"HalfCauchy", {pair(2, 0.3)}, [](Ts p) { return HalfCauchy(p[0]); }},
      {"Gumbel", {pair(0.5, -1), pair(2, 0.3)}, [](Ts p) { return Gumbel(p[0], p[1]); }},
      {"Uniform", {pair(0.5, -1), pair(2, 0.3)}, [](Ts p) { return Uniform(p[0], p[1]); }},
      {"Exponential", {pair(2, 0.3)}, [](Ts p) { return Exponential(p[0]); }},
      {"StudentT",
       {pair(9, 30), pair(0.5, -1), pair(2, 0.3)},
       [](Ts p) { return StudentT(p[0], p[1], p[2]); }},
      {"Gamma", {pair(0.7, 12), pair(2, 0.3)}, [](Ts p) { return Gamma(p[0], p[1]); }},
      {"Beta", {pair(0.7, 3), pair(1.4, 2)}, [](Ts p) { return Beta(p[0], p[1]); }},
      {"Dirichlet", {numbers({0.7, 2, 5, 1, 1.5, 3}, {2, 3})}, [](Ts p) { return Dirichlet(p[0]); }},
      {"VonMises", {pair(0.5, -3), pair(0.7, 20)}, [](Ts p) { return VonMises(p[0], p[1]); }},
      {"MultivariateNormal",
       {numbers({0.5, -1, 2}, {3}), lower3},
       [](Ts p) { return MultivariateNormal(p[0], ScaleTril{p[1]}); }},
      {"LowRankMultivariateNormal",
       {numbers({0.5, -1, 2}, {3}), numbers({1, 0, 0.5, -0.5, 0.3, 1}, {3, 2}), numbers({0.5, 0.1, 2}, {3})},
       [](Ts p) { return LowRankMultivariateNormal(p[0], p[1], p[2]); }},
      {"MatrixNormal",
       {numbers({0, 1, -1, 2, 0.5, 0}, {2, 3}), lower2, lower3},
       [](Ts p) { return MatrixNormal(p[0], ScaleTril{p[1]}, ScaleTril{p[2]}); }},
      {"Bernoulli by probs", {pair(0.2, 0.7)}, [](Ts p) { return Bernoulli(Probs{p[0]}); }},
      {"Bernoulli by logits", {pair(-1.5, 0.4)}, [](Ts p) { return Bernoulli(Logits{p[0]}); }},
      {"Categorical by probs",
       {numbers({0.7, 2, 5, 1, 1.5, 3}, {2, 3})},
       [](Ts p) { return Categorical(Probs{p[0]}); }},
      {"Categorical by logits",
       {numbers({0.7, 2, -1, 1, 1.5, 3}, {2, 3})},
       [](Ts p) { return Categorical(Logits{p[0]}); }},
      {"OneHotCategorical",
       {numbers({0.7, 2, -1, 1, 1.5, 3}, {2, 3})},
       [](Ts p) { return OneHotCategorical(Logits{p[0]}); }},
      {"Poisson", {pair(0.8, 25)}, [](Ts p) { return Poisson(p[0]); }},
      {"NegativeBinomial by probs",
       {pair(3, 0.8), pair(0.4, 0.7)},
       [](Ts p) { return NegativeBinomial(p[0], Probs{p[1]}); }},
      {"NegativeBinomial by logits",
       {pair(3, 0.8), pair(-0.4, 0.7)},
       [](Ts p) { return NegativeBinomial(p[0], Logits{p[1]}); }},
      {"LogitRelaxedBernoulli",
       {pair(0.5, 1.3), pair(-0.4, 0.7)},
       [](Ts p) { return LogitRelaxedBernoulli(p[0], Logits{p[1]}); }},
      {"RelaxedBernoulli",
       {pair(0.5, 1.3), pair(0.4, 0.7)},
       [](Ts p) { return RelaxedBernoulli(p[0], Probs{p[1]}); }},
      {"ExpRelaxedCategorical",
       {pair(0.5, 1.3), numbers({0.7, 2, -1, 1, 1.5, 3}, {2, 3})},
       [](Ts p) { return ExpRelaxedCategorical(p[0], Logits{p[1]}); }},
      {"RelaxedOneHotCategorical",
       {pair(0.9, 1.3), numbers({0.7, 2, 5, 1, 1.5, 3}, {2, 3})},
       [](Ts p) { return RelaxedOneHotCategorical(p[0], Probs{p[1]}); }},
      {"Independent",
       {numbers({0.5, -1, 2, 0, 1, 3}, {2, 3}), numbers({2, 0.3, 1, 1, 0.5, 0.2}, {2, 3})},
       [](Ts p) { return Independent(Normal(p[0], p[1]), 1); }},
      {"MixtureSameFamily",
       {numbers({0.7, -1, 1, 1.5}, {2, 2}), numbers({0.5, -1, 2, 0}, {2, 2}),
        numbers({2, 0.3, 1, 1}, {2, 2})},
       [](Ts p) { return MixtureSameFamily(Categorical(Logits{p[0]}), Normal(p[1], p[2])); }},
      {"TransformedDistribution",
       {numbers({0.5, -1, 0.2, 0}, {2, 2}), numbers({0.7, 0.3, 1, 1}, {2, 2}), numbers({0.3, 1.7}, {1, 2})},
       [](Ts p) {
         return TransformedDistribution(
             Normal(p[0], p[1]),
             transforms::compose({transforms::affine(0.0, p[2]), transforms::stick_breaking()}));
       }},
  };
}

// Draws take a random number of random numbers, or are not differentiated through the noise: no common random
// numbers.
inline bool has_implicit_gradient(const Example& example) {
  for (const char* name : {"StudentT", "Gamma", "Beta", "Dirichlet", "VonMises"}) {
    if (example.name == name) return true;
  }
  return false;
}

}  // namespace kullback::dist
