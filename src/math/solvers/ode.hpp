// Initial value problems y' = f(t, y, p), y(t0) = y0, with the derivatives of their solutions.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "math/solvers/vector_function.hpp"

namespace kullback::math {

struct OdeControl {
  double relative_tolerance = 1e-6;
  double absolute_tolerance = 1e-6;
  long max_num_steps = 1'000'000;  // between two times
  // An explicit method gives up where the system is stiff: where the user named no number of steps.
  bool stops_where_stiff = false;
};

struct OdeProblem {
  std::string_view function;      // what the user called, for messages
  VectorFunction* rhs = nullptr;  // of (t, y, p)
  std::span<const double> initial;
  double initial_time = 0;
  std::span<const double> times;
  std::span<const double> parameters;
  bool initial_varies = false;  // wants the derivatives with respect to y0
  OdeControl control;

  std::size_t states() const { return initial.size(); }
  std::size_t sensitivities() const { return (initial_varies ? states() : 0) + parameters.size(); }
  // Of the coupled system: y, then dy/dy0 by columns where y0 varies, then dy/dp by columns.
  std::size_t coupled_size() const { return states() * (1 + sensitivities()); }
};

// What an explicit method throws where it gives up (OdeControl::stops_where_stiff).
struct StiffSystem : std::domain_error {
  using std::domain_error::domain_error;
};

// Throws std::domain_error with a message like Stan's where the problem makes no sense.
void check_problem(const OdeProblem& problem);

// Coupled states at the times, one after another. Throw std::domain_error where the solution fails.
// Errors of the sensitivities count in the error control, as in Stan.
void solve_ode_rk45(const OdeProblem& problem, double* coupled);  // Dormand-Prince, dense output
void solve_ode_ckrk(const OdeProblem& problem, double* coupled);  // Cash-Karp
void solve_ode_adams(const OdeProblem& problem, double* coupled);
void solve_ode_bdf(const OdeProblem& problem, double* coupled);

// ---- pieces ----

// z -> dz/dt of the coupled system: y' = f, S' = (df/dy) S + (df/dp where S is dy/dp).
class CoupledOde final {
 public:
  explicit CoupledOde(const OdeProblem& problem);

  std::size_t size() const { return size_; }
  std::vector<double> initial_state() const;
  void rate(double t, const double* z, double* dz);
  void plain_rate(double t, const double* y, double* dy);         // y only
  const double* jacobian(double t, const double* y, double* dy);  // of f, by columns: d/dt, d/dy, d/dp
  void sensitivity_rates(const double* jacobian, const double* s, double* ds) const;  // of all columns

 private:
  const OdeProblem& problem_;
  std::size_t states_;
  std::size_t size_;
  std::vector<double> point_;  // t, y, p
  std::vector<double> jacobian_;
};

// ---- the adjoint method (CVODES) ----

struct AdjointControl {
  double relative_forward = 0;
  std::span<const double> absolute_forward;
  double relative_backward = 0;
  std::span<const double> absolute_backward;
  double relative_quadrature = 0;
  double absolute_quadrature = 0;
  long max_num_steps = 0;
  long steps_between_checkpoints = 0;
  int interpolation = 0;    // 1: Hermite, 2: polynomial
  int solver_forward = 0;   // 1: Adams, 2: BDF
  int solver_backward = 0;  // 1: Adams, 2: BDF
};

void check_control(const OdeProblem& problem, const AdjointControl& control);

// states: y at the times, one after another. `problem.control` is not read.
void solve_ode_adjoint(const OdeProblem& problem, const AdjointControl& control, double* states);

// Given the adjoints of those states, ADDS the adjoints of y0 and p; solves forward again, then backward.
struct AdjointResult {
  double* initial = nullptr;     // states() numbers
  double* parameters = nullptr;  // parameters.size() numbers
};
void pull_back_ode_adjoint(const OdeProblem& problem, const AdjointControl& control,
                           const double* state_adjoints, const AdjointResult& result);

}  // namespace kullback::math
