// Roots x of f(x, p) = 0 and their derivatives.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "math/solvers/vector_function.hpp"

namespace kullback::math {

struct AlgebraicProblem {
  std::string_view function;         // what the user called, for messages
  VectorFunction* system = nullptr;  // of (x, p)
  std::span<const double> guess;
  std::span<const double> parameters;
  double step_tolerance = 0;  // Powell: relative tolerance of x; Newton: scaled step
  double function_tolerance = 0;
  long max_num_steps = 0;
};

// Throw std::domain_error where no root is found.
void solve_powell(const AlgebraicProblem& problem, double* root);  // Powell's hybrid method (MINPACK's hybrj)
void solve_newton(const AlgebraicProblem& problem, double* root);  // KINSOL with line search

// The Jacobian of f at the root, by columns: unknowns, then parameters.
void root_jacobian(const AlgebraicProblem& problem, const double* root, double* jacobian);
// dx/dp = -(df/dx)^-1 df/dp: ADDS its transpose times `adjoint` to `gradient`.
void pull_back_root(std::size_t unknowns, std::span<const double> jacobian, const double* adjoint,
                    double* gradient);

}  // namespace kullback::math
