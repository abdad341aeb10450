// Variable-order Adams-Moulton and BDF methods by CVODES, with Newton's method and the exact Jacobian df/dy.
// Sensitivities are CVODES' own (staggered) and count in the error control, as in Stan.
//
// CVODES is told of one sensitivity vector, which holds all columns of S = dy/d(y0, p). Its work per step is
// then that of two vectors, however many columns there are, and its steps are the same: it measures
// sensitivities by the largest norm of a column, and that is the norm of a vector of blocks
// (block_vector.hpp). It also puts sensitivities into work vectors made for states. So all vectors have 1 +
// columns blocks: states use the first, sensitivities the others. What is unused is zero: operations keep it
// so, and the functions below write zeros there, because a work vector may come with the numbers of its last
// use.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

#include "math/solvers/check.hpp"
#include "math/solvers/cvodes_support.hpp"
#include "math/solvers/ode.hpp"

namespace kullback::math {

namespace sundials {

Cvodes::Cvodes(int multistep, SUNContext context, std::string_view function)
    : memory_(CVodeCreate(multistep, context)), function_(function) {
  if (memory_ == nullptr) throw std::bad_alloc();
}

Cvodes::~Cvodes() { CVodeFree(&memory_); }

void Cvodes::set_options(long max_num_steps, void* user_data) {
  constexpr int kMaxErrorTestFailures = 20;
  constexpr int kMaxConvergenceFailures = 50;
  const Kept none;
  require(CVodeSetErrHandlerFn(memory_, silent_error_handler, nullptr), "CVodeSetErrHandlerFn", none);
  require(CVodeSetUserData(memory_, user_data), "CVodeSetUserData", none);
  require(CVodeSetMaxNumSteps(memory_, max_num_steps), "CVodeSetMaxNumSteps", none);
  require(CVodeSetMaxErrTestFails(memory_, kMaxErrorTestFailures), "CVodeSetMaxErrTestFails", none);
  require(CVodeSetMaxConvFails(memory_, kMaxConvergenceFailures), "CVodeSetMaxConvFails", none);
}

void Cvodes::require(int flag, std::string_view call, const Kept& kept) const {
  if (flag >= 0) return;
  kept.rethrow();
  char* name = CVodeGetReturnFlagName(flag);
  std::string text = name != nullptr ? name : "";
  free(name);
  throw std::domain_error(fmt::format("{}: {} failed with error flag {} ({}).", function_, call, flag, text));
}

void Cvodes::require_step(int flag, double time, const Kept& kept) const {
  if (flag == CV_TOO_MUCH_WORK) {
    throw std::domain_error(
        fmt::format("{}: Failed to integrate to next output time ({}) in less than max_num_steps steps",
                    function_, time));
  }
  require(flag, "CVode", kept);
}

}  // namespace sundials

namespace {

using sundials::Cvodes;
using sundials::Kept;

struct System {
  const OdeProblem& problem;
  CoupledOde coupled;
  std::vector<double> rate;  // y' where only the Jacobian is wanted
  Kept kept;

  explicit System(const OdeProblem& p) : problem(p), coupled(p), rate(p.states()) {}
};

int rate(realtype t, N_Vector y, N_Vector dy, void* data) {
  auto& system = *static_cast<System*>(data);
  return system.kept.run([&] {
    const std::size_t n = system.problem.states();
    system.coupled.plain_rate(t, sundials::data(y), sundials::data(dy));
    std::fill_n(sundials::data(dy) + n, system.problem.coupled_size() - n, 0.0);
  });
}

int state_jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix j, void* data, N_Vector, N_Vector, N_Vector) {
  auto& system = *static_cast<System*>(data);
  return system.kept.run([&] {
    const std::size_t n = system.problem.states();
    const double* columns = system.coupled.jacobian(t, sundials::data(y), system.rate.data());
    std::copy_n(columns + n, n * n, SM_DATA_D(j));  // after d/dt
  });
}

int sensitivity_rates(int, realtype t, N_Vector y, N_Vector, N_Vector* s, N_Vector* ds, void* data, N_Vector,
                      N_Vector) {
  auto& system = *static_cast<System*>(data);
  return system.kept.run([&] {
    const double* columns = system.coupled.jacobian(t, sundials::data(y), system.rate.data());
    const std::size_t n = system.problem.states();
    std::fill_n(sundials::data(ds[0]), n, 0.0);
    system.coupled.sensitivity_rates(columns, sundials::data(s[0]) + n, sundials::data(ds[0]) + n);
  });
}

// Weights of errors, of states and sensitivities alike: CVODES' own rule in one call instead of four.
int error_weights(N_Vector v, N_Vector weights, void* data) {
  const OdeControl& control = static_cast<System*>(data)->problem.control;
  const sundials::BlockVector& from = sundials::block_vector(v);
  double* to = sundials::data(weights);
  for (std::size_t i = 0; i < from.length; ++i)
    to[i] = 1 / (control.relative_tolerance * std::abs(from.data[i]) + control.absolute_tolerance);
  return 0;
}

void solve(const OdeProblem& problem, int multistep, double* result) {
  check_problem(problem);
  const OdeControl& control = problem.control;
  check::positive_finite(problem.function, "relative_tolerance", control.relative_tolerance);
  check::positive_finite(problem.function, "absolute_tolerance", control.absolute_tolerance);
  check::positive(problem.function, "max_num_steps", control.max_num_steps);
  const sundials::Context context;
  System system(problem);
  const std::size_t n = problem.states();
  const std::size_t size = problem.coupled_size();
  const bool sensitive = size > n;
  std::vector<double> sensitivities = system.coupled.initial_state();
  std::vector<double> states(size, 0.0);
  std::swap_ranges(states.begin(), states.begin() + static_cast<long>(n), sensitivities.begin());
  const sundials::Vector y({states.data(), size, n}, context);
  const sundials::Vector s({sensitivities.data(), size, n}, context);
  N_Vector all_s = s;
  sundials::DenseSolver linear(n, context);
  Cvodes cvodes(multistep, context, problem.function);
  const auto require = [&](int flag, std::string_view call) { cvodes.require(flag, call, system.kept); };
  require(CVodeInit(cvodes, rate, problem.initial_time, y), "CVodeInit");
  cvodes.set_options(control.max_num_steps, &system);
  require(CVodeWFtolerances(cvodes, error_weights), "CVodeWFtolerances");
  require(CVodeSetLinearSolver(cvodes, linear.solver(), linear.matrix()), "CVodeSetLinearSolver");
  require(CVodeSetJacFn(cvodes, state_jacobian), "CVodeSetJacFn");
  if (sensitive) {
    require(CVodeSensInit(cvodes, 1, CV_STAGGERED, sensitivity_rates, &all_s), "CVodeSensInit");
    require(CVodeSetSensErrCon(cvodes, SUNTRUE), "CVodeSetSensErrCon");
    require(CVodeSensEEtolerances(cvodes), "CVodeSensEEtolerances");
  }
  double reached = problem.initial_time;
  for (std::size_t i = 0; i < problem.times.size(); ++i, result += size) {
    const double time = problem.times[i];
    if (time != reached) {
      cvodes.require_step(CVode(cvodes, time, y, &reached, CV_NORMAL), time, system.kept);
      if (sensitive) require(CVodeGetSens(cvodes, &reached, &all_s), "CVodeGetSens");
    }
    std::copy_n(states.begin(), n, result);
    std::copy(sensitivities.begin() + static_cast<long>(n), sensitivities.end(), result + n);
    reached = time;
  }
}

}  // namespace

void solve_ode_adams(const OdeProblem& problem, double* coupled) { solve(problem, CV_ADAMS, coupled); }
void solve_ode_bdf(const OdeProblem& problem, double* coupled) { solve(problem, CV_BDF, coupled); }

}  // namespace kullback::math
