// One linear layer with known noise and a normal prior, whose posterior is known.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "deep/bnn/bayes_net.hpp"

namespace kullback::deep {

inline std::unique_ptr<Likelihood> gaussian_likelihood(double noise) {
  for (const LikelihoodRecord* record : likelihoods())
    if (record->name == "gaussian") return record->make({.noise = noise});
  return nullptr;
}

inline std::unique_ptr<Prior> gaussian_prior(std::map<std::string, std::string> options = {}) {
  for (const PriorRecord* record : priors())
    if (record->name == "gaussian")
      return record->make(read_options(record->options, std::move(options), "a part"));
  return nullptr;
}

// noise 0: learned.
inline BayesNet toy_net(const MlpSpec& spec, double noise) {
  return BayesNet(
      [&](Layout& layout, std::int64_t outputs) {
        MlpSpec whole = spec;
        whole.outputs = outputs;
        return mlp(layout, "net", whole);
      },
      gaussian_likelihood(noise), gaussian_prior());
}

struct LinearModel {
  static constexpr double kNoise = 0.5;

  explicit LinearModel(std::int64_t rows, std::int64_t inputs = 2)
      : net(toy_net({.inputs = inputs}, kNoise)) {
    torch::manual_seed(5);
    x = torch::randn({rows, inputs}, torch::kFloat64);
    x.select(1, 0).add_(0.4 * x.select(1, 1) + 0.3);  // correlated, not centred
    y = x.sum(1) * 0.4 + 0.7 + kNoise * torch::randn({rows}, torch::kFloat64);
    const torch::Tensor with_one = with_ones(x);
    precision =
        with_one.t().matmul(with_one) / (kNoise * kNoise) + net.prior().precisions(net.layout()).diag();
    covariance = at::linalg_inv(precision);
    mean = covariance.matmul(with_one.t().matmul(y)) / (kNoise * kNoise);
  }

  static torch::Tensor with_ones(const torch::Tensor& x) {
    return at::cat({x, torch::ones({x.size(0), 1}, x.options())}, 1);
  }

  BayesNet net;
  torch::Tensor x, y;
  torch::Tensor precision, covariance, mean;  // of weights, then the bias
};

}  // namespace kullback::deep
