// Explicit Runge-Kutta pairs of order 5(4): Dormand and Prince (1980) with dense output, Cash and Karp (1990)
// with steps cut at the output times. Steppers, error norm, first step 0.1 and step control are those of
// Boost.odeint with its defaults, which is what Stan runs: answers agree to rounding, not to the tolerance.
#include <fmt/format.h>

#include <algorithm>
#include <boost/numeric/odeint.hpp>
#include <stdexcept>

#include "math/solvers/check.hpp"
#include "math/solvers/ode.hpp"

namespace kullback::math {

namespace {

namespace odeint = boost::numeric::odeint;
using State = std::vector<double>;

constexpr double kFirstStep = 0.1;

template <class Stepper>
void integrate(const OdeProblem& problem, Stepper stepper, double* coupled) {
  CoupledOde system(problem);
  const auto rate = [&](const State& z, State& dz, double t) { system.rate(t, z.data(), dz.data()); };
  State times(problem.times.size() + 1);
  times[0] = problem.initial_time;
  std::copy(problem.times.begin(), problem.times.end(), times.begin() + 1);
  std::size_t seen = 0;  // the first observation is the initial state
  const auto observe = [&](const State& z, double) {
    if (seen > 0) std::copy(z.begin(), z.end(), coupled + (seen - 1) * system.size());
    ++seen;
  };
  State z = system.initial_state();
  try {
    odeint::integrate_times(stepper, rate, z, times.begin(), times.end(), kFirstStep, observe,
                            odeint::max_step_checker(static_cast<int>(problem.control.max_num_steps)));
  } catch (const odeint::no_progress_error&) {
    throw std::domain_error(
        fmt::format("{}: Failed to integrate to next output time ({}) in less than max_num_steps steps",
                    problem.function, times[std::min(seen, problem.times.size())]));
  } catch (const odeint::odeint_error& e) {
    throw std::domain_error(fmt::format("{}: {}", problem.function, e.what()));
  }
}

void check_all(const OdeProblem& problem) {
  check_problem(problem);
  check::positive_finite(problem.function, "relative_tolerance", problem.control.relative_tolerance);
  check::positive_finite(problem.function, "absolute_tolerance", problem.control.absolute_tolerance);
  check::positive(problem.function, "max_num_steps", problem.control.max_num_steps);
}

}  // namespace

void solve_ode_rk45(const OdeProblem& problem, double* coupled) {
  check_all(problem);
  integrate(problem,
            odeint::make_dense_output(problem.control.absolute_tolerance, problem.control.relative_tolerance,
                                      odeint::runge_kutta_dopri5<State, double, State, double>()),
            coupled);
}

void solve_ode_ckrk(const OdeProblem& problem, double* coupled) {
  check_all(problem);
  integrate(problem,
            odeint::make_controlled(problem.control.absolute_tolerance, problem.control.relative_tolerance,
                                    odeint::runge_kutta_cash_karp54<State, double, State, double>()),
            coupled);
}

}  // namespace kullback::math
