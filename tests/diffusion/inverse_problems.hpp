// Inverse problems whose posteriors are known.
#pragma once

#include <torch/types.h>

#include <cmath>
#include <memory>
#include <string>

#include "deep/diffusion/conditioning/method.hpp"
#include "tests/diffusion/made.hpp"
#include "tests/diffusion/targets.hpp"

namespace kullback::deep::diffusion {

inline Units own_units() { return {torch::zeros({1}, torch::kFloat64), torch::ones({1}, torch::kFloat64)}; }

struct InverseProblem {
  std::string name;
  Mixture prior;
  std::unique_ptr<Operator> operation;
  torch::Tensor observed;  // [outputs], NaN: not seen
  double noise_sd;

  Measurement measurement() const { return {*operation, own_units(), observed, noise_sd}; }
  std::int64_t dims() const { return prior.mean.size(1); }
};

// The matrix of a linear operator, without rows that are not seen.
inline torch::Tensor matrix_of(const InverseProblem& problem) {
  const torch::Tensor all = problem.operation->forward(torch::eye(problem.dims(), torch::kFloat64)).t();
  return all.index_select(0, problem.observed.isfinite().nonzero().flatten());
}

// Mixture prior, linear operator: the posterior is a mixture again. Component k is normal with the covariance
// (C_k^-1 + A^T A / s^2)^-1, and its weight grows by N(y; A m_k, A C_k A^T + s^2).
inline Mixture posterior_of(const InverseProblem& problem) {
  const torch::Tensor a = matrix_of(problem);
  const torch::Tensor y = problem.observed.masked_select(problem.observed.isfinite());
  const double variance = problem.noise_sd * problem.noise_sd;
  std::vector<torch::Tensor> means, covariances, logs;
  for (std::int64_t k = 0; k < problem.prior.weight.size(0); ++k) {
    const torch::Tensor c = problem.prior.covariance[k], m = problem.prior.mean[k];
    const torch::Tensor covariance = at::linalg_inv(at::linalg_inv(c) + a.t().mm(a) / variance);
    covariances.push_back(covariance);
    means.push_back(covariance.mv(at::linalg_inv(c).mv(m) + a.t().mv(y) / variance));
    const torch::Tensor of_y = a.mm(c).mm(a.t()) + variance * torch::eye(a.size(0), torch::kFloat64);
    const torch::Tensor away = y - a.mv(m);
    logs.push_back(at::log(problem.prior.weight[k]) -
                   (at::logdet(2 * M_PI * of_y) + away.dot(at::linalg_inv(of_y).mv(away))) / 2);
  }
  return {.weight = at::softmax(at::stack(logs), 0),
          .mean = at::stack(means),
          .covariance = at::stack(covariances)};
}

inline double log_evidence_of(const InverseProblem& problem) {
  const torch::Tensor a = matrix_of(problem);
  const torch::Tensor y = problem.observed.masked_select(problem.observed.isfinite());
  const double variance = problem.noise_sd * problem.noise_sd;
  std::vector<torch::Tensor> logs;
  for (std::int64_t k = 0; k < problem.prior.weight.size(0); ++k) {
    const torch::Tensor of_y =
        a.mm(problem.prior.covariance[k]).mm(a.t()) + variance * torch::eye(a.size(0), torch::kFloat64);
    const torch::Tensor away = y - a.mv(problem.prior.mean[k]);
    logs.push_back(at::log(problem.prior.weight[k]) -
                   (at::logdet(2 * M_PI * of_y) + away.dot(at::linalg_inv(of_y).mv(away))) / 2);
  }
  return at::logsumexp(at::stack(logs), 0).item<double>();
}

// y from an x of the prior.
inline InverseProblem with_data(std::string name, Mixture prior, std::unique_ptr<Operator> operation,
                                double noise_sd) {
  const auto sde = make_sde("vp");
  const torch::Tensor x = MixtureScore(*sde, prior).draw(1);
  torch::Tensor y = operation->forward(x).flatten();
  y = y + noise_sd * torch::randn_like(y);
  if (operation->seen().defined()) y = at::where(operation->seen(), y, torch::full_like(y, NAN));
  return {std::move(name), std::move(prior), std::move(operation), y, noise_sd};
}

// 0: a plane, one coordinate seen. 1: ten dimensions, four seen through a dense matrix. 2: ten, blurred.
inline InverseProblem normal_problem(int which) {
  const std::int64_t dims = which == 0 ? 2 : 10;
  Mixture prior = random_mixture(1, dims, 31);
  prior.mean = 0.3 * torch::randn({1, dims}, torch::kFloat64);
  if (which == 0) {
    prior.covariance = torch::tensor({1.0, 0.8, 0.8, 1.0}, torch::kFloat64).view({1, 2, 2});
    const torch::Tensor observed = torch::tensor({0.9, static_cast<double>(NAN)}, torch::kFloat64);
    return {"inpaint, 2 dims", prior, make_operator("inpaint", row_of(2)), observed, 0.2};
  }
  if (which == 1) {
    const torch::Tensor matrix = torch::randn({4, dims}, torch::kFloat64) / 2;
    auto dense = operator_of([matrix](const torch::Tensor& x) { return x.mm(matrix.t()); }, row_of(dims),
                             row_of(4), true);
    return with_data("dense 4 x 10", prior, std::move(dense), 0.3);
  }
  return with_data("blur, 10 dims", prior, made_operator("blur", row_of(dims), {{"blur_sd", "1"}}), 0.2);
}

// Two modes of the first coordinate, which is not seen: the second coordinate says which is likelier.
inline InverseProblem two_mode_problem() {
  const auto number = torch::kFloat64;
  Mixture prior{
      .weight = torch::tensor({0.5, 0.5}, number),
      .mean = torch::tensor({-1.0, -0.3, 1.0, 0.3}, number).view({2, 2}),
      .covariance = torch::tensor({0.04, 0.0, 0.0, 0.25, 0.04, 0.0, 0.0, 0.25}, number).view({2, 2, 2})};
  return {"two modes", prior, make_operator("inpaint", row_of(2)),
          torch::tensor({static_cast<double>(NAN), 0.25}, number), 0.2};
}

struct Comparison {
  double mean_z = 0, covariance_z = 0;          // largest over coordinates
  double mean_error = 0, covariance_error = 0;  // largest, in posterior sds and variances
};

// Errors over their standard errors, by the runs' differences.
inline Comparison compare(const Restored& found, const Mixture& truth) {
  const torch::Tensor mean = mean_of(truth), covariance = covariance_of(truth);
  const torch::Tensor sd = covariance.diag().sqrt();
  const Average means = average(found, found.x);
  const torch::Tensor away = found.x - mean;
  const torch::Tensor products = (away.unsqueeze(3) * away.unsqueeze(2)).flatten(2);
  const Average squares = average(found, products);
  const torch::Tensor gap = squares.value - covariance.flatten();
  const auto largest = [](const torch::Tensor& x) { return x.abs().max().item<double>(); };
  return {.mean_z = largest((means.value - mean) / means.error),
          .covariance_z = largest(gap / squares.error),
          .mean_error = largest((means.value - mean) / sd),
          .covariance_error = largest(gap / at::outer(sd, sd).flatten())};
}

}  // namespace kullback::deep::diffusion
