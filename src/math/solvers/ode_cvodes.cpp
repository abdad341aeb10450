// Variable-order Adams-Moulton and BDF methods by CVODES, with Newton's method and the exact Jacobian df/dy.
// Sensitivities are CVODES' own (staggered) and count in the error control, as in Stan.
#include <fmt/format.h>

#include <algorithm>
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
  return system.kept.run([&] { system.coupled.plain_rate(t, NV_DATA_S(y), NV_DATA_S(dy)); });
}

int state_jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix j, void* data, N_Vector, N_Vector, N_Vector) {
  auto& system = *static_cast<System*>(data);
  return system.kept.run([&] {
    const std::size_t n = system.problem.states();
    const double* columns = system.coupled.jacobian(t, NV_DATA_S(y), system.rate.data());
    std::copy_n(columns + n, n * n, SM_DATA_D(j));  // after d/dt
  });
}

int sensitivity_rates(int count, realtype t, N_Vector y, N_Vector, N_Vector* s, N_Vector* ds, void* data,
                      N_Vector, N_Vector) {
  auto& system = *static_cast<System*>(data);
  return system.kept.run([&] {
    const double* columns = system.coupled.jacobian(t, NV_DATA_S(y), system.rate.data());
    for (int k = 0; k < count; ++k)
      system.coupled.sensitivity_rate(columns, NV_DATA_S(s[k]), NV_DATA_S(ds[k]),
                                      static_cast<std::size_t>(k));
  });
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
  const std::size_t count = problem.sensitivities();
  std::vector<double> z = system.coupled.initial_state();
  const sundials::Vector y(n, z.data(), context);
  const sundials::Vectors s(count, n, z.data() + n, context);
  const sundials::DenseSolver linear(n, y, context);
  Cvodes cvodes(multistep, context, problem.function);
  const auto require = [&](int flag, std::string_view call) { cvodes.require(flag, call, system.kept); };
  require(CVodeInit(cvodes, rate, problem.initial_time, y), "CVodeInit");
  cvodes.set_options(control.max_num_steps, &system);
  require(CVodeSStolerances(cvodes, control.relative_tolerance, control.absolute_tolerance),
          "CVodeSStolerances");
  require(CVodeSetLinearSolver(cvodes, linear.solver(), linear.matrix()), "CVodeSetLinearSolver");
  require(CVodeSetJacFn(cvodes, state_jacobian), "CVodeSetJacFn");
  if (count > 0) {
    require(CVodeSensInit(cvodes, static_cast<int>(count), CV_STAGGERED, sensitivity_rates, s),
            "CVodeSensInit");
    require(CVodeSetSensErrCon(cvodes, SUNTRUE), "CVodeSetSensErrCon");
    require(CVodeSensEEtolerances(cvodes), "CVodeSensEEtolerances");
  }
  double reached = problem.initial_time;
  for (std::size_t i = 0; i < problem.times.size(); ++i) {
    const double time = problem.times[i];
    if (time != reached) {
      cvodes.require_step(CVode(cvodes, time, y, &reached, CV_NORMAL), time, system.kept);
      if (count > 0) require(CVodeGetSens(cvodes, &reached, s), "CVodeGetSens");
    }
    std::copy(z.begin(), z.end(), result + i * z.size());
    reached = time;
  }
}

}  // namespace

void solve_ode_adams(const OdeProblem& problem, double* coupled) { solve(problem, CV_ADAMS, coupled); }
void solve_ode_bdf(const OdeProblem& problem, double* coupled) { solve(problem, CV_BDF, coupled); }

}  // namespace kullback::math
