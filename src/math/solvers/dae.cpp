// Variable-order BDF by IDAS with the exact Jacobian dF/dy + c dF/dy'. Sensitivities S of y and S' of y'
// solve (dF/dy) S + (dF/dy') S' + dF/dp = 0 (staggered); as in Stan they do not count in the error control.
#include "math/solvers/dae.hpp"

#include <fmt/format.h>
#include <idas/idas.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <vector>

#include "math/solvers/check.hpp"
#include "math/solvers/sundials_support.hpp"

namespace kullback::math {

namespace {

class System final {
 public:
  explicit System(const DaeProblem& problem)
      : problem_(problem),
        n_(problem.states()),
        point_(1 + 2 * n_ + problem.parameters.size()),
        jacobian_(point_.size() * n_),
        value_(n_) {
    std::copy(problem.parameters.begin(), problem.parameters.end(),
              point_.begin() + 1 + 2 * static_cast<long>(n_));
  }

  static int residual(realtype t, N_Vector y, N_Vector rate, N_Vector result, void* data) {
    System& s = *static_cast<System*>(data);
    return s.kept.run([&] {
      s.move_to(t, y, rate);
      s.problem_.residual->value(s.point_.data(), sundials::data(result));
    });
  }

  static int jacobian(realtype t, realtype c, N_Vector y, N_Vector rate, N_Vector, SUNMatrix j, void* data,
                      N_Vector, N_Vector, N_Vector) {
    System& s = *static_cast<System*>(data);
    return s.kept.run([&] {
      s.differentiate(t, y, rate);
      const double* by_state = s.jacobian_.data() + s.n_;
      const double* by_rate = by_state + s.n_ * s.n_;
      for (std::size_t i = 0; i < s.n_ * s.n_; ++i) SM_DATA_D(j)[i] = by_state[i] + c * by_rate[i];
    });
  }

  static int sensitivities(int count, realtype t, N_Vector y, N_Vector rate, N_Vector, N_Vector* states,
                           N_Vector* rates, N_Vector* results, void* data, N_Vector, N_Vector, N_Vector) {
    System& s = *static_cast<System*>(data);
    return s.kept.run([&] {
      s.differentiate(t, y, rate);
      const std::size_t first = static_cast<std::size_t>(count) - s.problem_.parameters.size();
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        const double* forcing = k < first ? nullptr : s.jacobian_.data() + s.n_ * (1 + 2 * s.n_ + k - first);
        s.sensitivity(sundials::data(states[k]), sundials::data(rates[k]), forcing,
                      sundials::data(results[k]));
      }
    });
  }

  sundials::Kept kept;

 private:
  void move_to(double t, N_Vector y, N_Vector rate) {
    point_[0] = t;
    std::copy_n(sundials::data(y), n_, point_.begin() + 1);
    std::copy_n(sundials::data(rate), n_, point_.begin() + 1 + static_cast<long>(n_));
  }

  void differentiate(double t, N_Vector y, N_Vector rate) {
    move_to(t, y, rate);
    problem_.residual->jacobian(point_.data(), value_.data(), jacobian_.data());
  }

  void sensitivity(const double* state, const double* rate, const double* forcing, double* result) const {
    for (std::size_t i = 0; i < n_; ++i) result[i] = forcing == nullptr ? 0.0 : forcing[i];
    const double* by_state = jacobian_.data() + n_;
    const double* by_rate = by_state + n_ * n_;
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t i = 0; i < n_; ++i)
        result[i] += by_state[j * n_ + i] * state[j] + by_rate[j * n_ + i] * rate[j];
    }
  }

  const DaeProblem& problem_;
  std::size_t n_;
  std::vector<double> point_;  // t, y, y', p
  std::vector<double> jacobian_;
  std::vector<double> value_;
};

class Idas final {
 public:
  Idas(SUNContext context, const DaeProblem& problem, const System& system)
      : memory_(IDACreate(context)), problem_(problem), system_(system) {
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  ~Idas() { IDAFree(&memory_); }
  Idas(const Idas&) = delete;
  Idas& operator=(const Idas&) = delete;
  operator void*() const { return memory_; }

  void require(int flag, std::string_view call) const {
    if (flag >= 0) return;
    system_.kept.rethrow();
    char* name = IDAGetReturnFlagName(flag);
    const std::string text = name != nullptr ? name : "";
    free(name);
    throw std::domain_error(
        fmt::format("{}: {} failed with error flag {} ({}).{}", problem_.function, call, flag, text,
                    flag == IDA_CONV_FAIL || flag == IDA_ERR_FAIL
                        ? " Check that the initial state and its derivative satisfy the equations."
                        : ""));
  }
  void require_step(int flag, double time) const {
    if (flag == IDA_TOO_MUCH_WORK) {
      throw std::domain_error(
          fmt::format("{}: Failed to integrate to next output time ({}) in less than max_num_steps steps",
                      problem_.function, time));
    }
    require(flag, "IDASolve");
  }

 private:
  void* memory_;
  const DaeProblem& problem_;
  const System& system_;
};

void check_problem(const DaeProblem& problem) {
  const std::string_view f = problem.function;
  check::finite(f, "initial state", problem.initial);
  check::finite(f, "initial state derivative", problem.initial_rate);
  check::nonzero_size(f, "initial state", problem.initial.size());
  check::same_size(f, "initial state derivative", problem.initial_rate.size(), "initial state",
                   problem.states());
  check::finite(f, "initial time", problem.initial_time);
  check::finite(f, "times", problem.times);
  check::nonzero_size(f, "times", problem.times.size());
  check::sorted(f, "times", problem.times);
  check::less(f, "initial time", problem.initial_time, problem.times.front());
  check::positive_finite(f, "relative_tolerance", problem.relative_tolerance);
  check::positive_finite(f, "absolute_tolerance", problem.absolute_tolerance);
  check::positive(f, "max_num_steps", problem.max_num_steps);
  check::finite(f, "DAE parameters and data", problem.parameters);
  check::same_size(f, "residual", problem.residual->output_count(), "states", problem.states());
}

// dy/dy0 = I and dy'/dy0' = I at t0; all else is zero.
void start_sensitivities(const DaeProblem& problem, double* states, double* rates) {
  const std::size_t n = problem.states();
  const std::size_t first_rate = problem.initial_varies ? n : 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (problem.initial_varies) states[i * n + i] = 1.0;
    if (problem.rate_varies) rates[(first_rate + i) * n + i] = 1.0;
  }
}

}  // namespace

void solve_dae(const DaeProblem& problem, double* coupled) {
  check_problem(problem);
  const std::size_t n = problem.states();
  const std::size_t count = problem.sensitivities();
  const sundials::Context context;
  System system(problem);
  std::vector<double> z(problem.coupled_size(), 0.0);
  std::vector<double> rates(z.size(), 0.0);
  std::copy(problem.initial.begin(), problem.initial.end(), z.begin());
  std::copy(problem.initial_rate.begin(), problem.initial_rate.end(), rates.begin());
  start_sensitivities(problem, z.data() + n, rates.data() + n);
  const sundials::Vector y(n, z.data(), context);
  const sundials::Vector rate(n, rates.data(), context);
  sundials::Vectors states(count, n, z.data() + n, context);
  sundials::Vectors state_rates(count, n, rates.data() + n, context);
  sundials::DenseSolver linear(n, context);
  const Idas idas(context, problem, system);
  idas.require(IDAInit(idas, System::residual, problem.initial_time, y, rate), "IDAInit");
  idas.require(IDASetErrHandlerFn(idas, sundials::silent_error_handler, nullptr), "IDASetErrHandlerFn");
  idas.require(IDASetUserData(idas, &system), "IDASetUserData");
  idas.require(IDASetLinearSolver(idas, linear.solver(), linear.matrix()), "IDASetLinearSolver");
  idas.require(IDASetJacFn(idas, System::jacobian), "IDASetJacFn");
  idas.require(IDASStolerances(idas, problem.relative_tolerance, problem.absolute_tolerance),
               "IDASStolerances");
  idas.require(IDASetMaxNumSteps(idas, problem.max_num_steps), "IDASetMaxNumSteps");
  if (count > 0) {
    idas.require(IDASensInit(idas, static_cast<int>(count), IDA_STAGGERED, System::sensitivities,
                             states.array(), state_rates.array()),
                 "IDASensInit");
    idas.require(IDASensEEtolerances(idas), "IDASensEEtolerances");
  }
  double reached = problem.initial_time;
  for (std::size_t i = 0; i < problem.times.size(); ++i) {
    idas.require_step(IDASolve(idas, problem.times[i], &reached, y, rate, IDA_NORMAL), problem.times[i]);
    if (count > 0) idas.require(IDAGetSens(idas, &reached, states.array()), "IDAGetSens");
    std::copy(z.begin(), z.end(), coupled + i * z.size());
  }
}

}  // namespace kullback::math
