// The embedded Laplace approximation of a latent Gaussian model: theta ~ normal(0, K), log likelihood
// L(theta, eta).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "math/solvers/vector_function.hpp"

namespace kullback::math {

struct LaplaceControl {
  std::size_t block_size = 1;  // of the block-diagonal Hessian of L with respect to theta
  double tolerance = 1.4901161193847656e-08;
  long max_num_steps = 500;
  int solver = 1;  // roots of 1: the negative Hessian, 2: the covariance, 3: none (LU)
  int max_steps_line_search = 1000;
  bool allow_fallback = true;  // to the next solver where one fails
};

struct LaplaceProblem {
  std::string_view function;             // what the user called, for messages
  VectorFunction* likelihood = nullptr;  // of (theta, eta)
  std::span<const double> eta;
  std::span<const double> covariance;  // K
  std::span<const double> initial;     // first guess of the mode
  LaplaceControl control;

  std::size_t size() const { return initial.size(); }
};

struct LaplaceMode {
  double log_marginal = 0;
  std::vector<double> mode;
  std::vector<double> covariance;  // of the normal approximation at the mode
  // Where wanted: derivatives of log_marginal.
  std::vector<double> eta_gradient;
  std::vector<double> covariance_gradient;
};

// Throws std::domain_error where no mode is found.
LaplaceMode find_laplace_mode(const LaplaceProblem& problem, bool wants_gradient);

}  // namespace kullback::math
