// Differential-algebraic equations F(t, y, y', p) = 0 with y(t0) and y'(t0) given, and the derivatives of
// their solutions.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "math/solvers/vector_function.hpp"

namespace kullback::math {

struct DaeProblem {
  std::string_view function;           // what the user called, for messages
  VectorFunction* residual = nullptr;  // of (t, y, y', p)
  std::span<const double> initial;
  std::span<const double> initial_rate;
  double initial_time = 0;
  std::span<const double> times;
  std::span<const double> parameters;
  bool initial_varies = false;  // wants the derivatives with respect to y(t0)
  bool rate_varies = false;     // and y'(t0)
  double relative_tolerance = 1e-10;
  double absolute_tolerance = 1e-10;
  long max_num_steps = 100'000'000;

  std::size_t states() const { return initial.size(); }
  std::size_t sensitivities() const {
    return (initial_varies ? states() : 0) + (rate_varies ? states() : 0) + parameters.size();
  }
  // y, then by columns dy/dy0, dy/dy0' (each where it varies) and dy/dp.
  std::size_t coupled_size() const { return states() * (1 + sensitivities()); }
};

// Coupled states at the times, one after another. Throws std::domain_error where the solution fails.
void solve_dae(const DaeProblem& problem, double* coupled);

}  // namespace kullback::math
