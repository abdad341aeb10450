// The adjoint method: with lambda' = -(df/dy)^T lambda from the last time back to t0, raised at each output
// time by the adjoint of the state there, the adjoint of y0 is lambda(t0) and that of p the integral of
// (df/dp)^T lambda. Cost does not grow with the number of parameters. The forward solution is interpolated
// between checkpoints by CVODES.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "math/solvers/check.hpp"
#include "math/solvers/cvodes_support.hpp"
#include "math/solvers/ode.hpp"

namespace kullback::math {

namespace {

using sundials::Cvodes;
using sundials::Kept;

void check_choice(std::string_view function, std::string_view name, int value, std::string_view meaning) {
  if (value == 1 || value == 2) return;
  throw std::domain_error(fmt::format("{}: {} is {}, must be {}", function, name, value, meaning));
}

// All that lives as long as CVODES' memory of one forward solution.
class Solution final {
 public:
  Solution(const OdeProblem& problem, const AdjointControl& control, bool goes_back)
      : problem_(problem),
        control_(control),
        goes_back_(goes_back),
        system_(problem),
        n_(problem.states()),
        state_(problem.initial.begin(), problem.initial.end()),
        absolute_forward_(control.absolute_forward.begin(), control.absolute_forward.end()),
        absolute_backward_(control.absolute_backward.begin(), control.absolute_backward.end()),
        lambda_(n_, 0.0),
        quadrature_(problem.parameters.size(), 0.0),
        point_(1 + n_ + problem.parameters.size()),
        gradient_(point_.size()),
        rate_(n_),
        y_(n_, state_.data(), context_),
        tolerance_(n_, absolute_forward_.data(), context_),
        tolerance_back_(n_, absolute_backward_.data(), context_),
        y_back_(n_, lambda_.data(), context_),
        q_back_(quadrature_.size(), quadrature_.data(), context_),
        linear_(n_, context_),
        linear_back_(n_, context_),
        cvodes_(control.solver_forward == 1 ? CV_ADAMS : CV_BDF, context_, problem.function) {
    std::copy(problem.parameters.begin(), problem.parameters.end(),
              point_.begin() + 1 + static_cast<long>(n_));
    require(CVodeInit(cvodes_, rate, problem.initial_time, y_), "CVodeInit");
    cvodes_.set_options(control.max_num_steps, this);
    require(CVodeSVtolerances(cvodes_, control.relative_forward, tolerance_), "CVodeSVtolerances");
    require(CVodeSetLinearSolver(cvodes_, linear_.solver(), linear_.matrix()), "CVodeSetLinearSolver");
    require(CVodeSetJacFn(cvodes_, state_jacobian), "CVodeSetJacFn");
    if (goes_back_) {
      require(CVodeAdjInit(cvodes_, control.steps_between_checkpoints,
                           control.interpolation == 1 ? CV_HERMITE : CV_POLYNOMIAL),
              "CVodeAdjInit");
    }
  }

  void forward(double* states) {
    double reached = problem_.initial_time;
    for (std::size_t i = 0; i < problem_.times.size(); ++i) {
      const double time = problem_.times[i];
      if (time != reached) {
        int checkpoints = 0;
        const int flag = goes_back_ ? CVodeF(cvodes_, time, y_, &reached, CV_NORMAL, &checkpoints)
                                    : CVode(cvodes_, time, y_, &reached, CV_NORMAL);
        cvodes_.require_step(flag, time, kept_);
      }
      if (states != nullptr) std::copy(state_.begin(), state_.end(), states + i * n_);
      reached = time;
    }
  }

  void backward(const double* adjoints, const AdjointResult& result) {
    double from = problem_.times.back();
    for (std::size_t i = problem_.times.size(); i-- > 0;) {
      for (std::size_t j = 0; j < n_; ++j) lambda_[j] += adjoints[i * n_ + j];
      const double to = i > 0 ? problem_.times[i - 1] : problem_.initial_time;
      if (to == from) continue;
      start_backward(from);
      cvodes_.require_step(CVodeB(cvodes_, to, CV_NORMAL), to, kept_);
      double reached = from;
      require(CVodeGetB(cvodes_, index_, &reached, y_back_), "CVodeGetB");
      if (!quadrature_.empty()) require(CVodeGetQuadB(cvodes_, index_, &reached, q_back_), "CVodeGetQuadB");
      from = to;
    }
    for (std::size_t j = 0; j < n_; ++j) result.initial[j] += lambda_[j];
    for (std::size_t j = 0; j < quadrature_.size(); ++j) result.parameters[j] += quadrature_[j];
  }

 private:
  static Solution& self(void* data) { return *static_cast<Solution*>(data); }

  static int rate(realtype t, N_Vector y, N_Vector dy, void* data) {
    Solution& s = self(data);
    return s.kept_.run([&] { s.system_.plain_rate(t, sundials::data(y), sundials::data(dy)); });
  }

  static int state_jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix j, void* data, N_Vector, N_Vector,
                            N_Vector) {
    Solution& s = self(data);
    return s.kept_.run([&] {
      const double* columns = s.system_.jacobian(t, sundials::data(y), s.rate_.data());
      std::copy_n(columns + s.n_, s.n_ * s.n_, SM_DATA_D(j));
    });
  }

  static int rate_back(realtype t, N_Vector y, N_Vector lambda, N_Vector dlambda, void* data) {
    Solution& s = self(data);
    return s.kept_.run([&] {
      s.pull_back(t, y, lambda);
      for (std::size_t j = 0; j < s.n_; ++j) sundials::data(dlambda)[j] = -s.gradient_[1 + j];
    });
  }

  // CVODES integrates from the later to the earlier time: the sign turns.
  static int quadrature_back(realtype t, N_Vector y, N_Vector lambda, N_Vector dq, void* data) {
    Solution& s = self(data);
    return s.kept_.run([&] {
      s.pull_back(t, y, lambda);
      for (std::size_t j = 0; j < s.quadrature_.size(); ++j)
        sundials::data(dq)[j] = -s.gradient_[1 + s.n_ + j];
    });
  }

  static int jacobian_back(realtype t, N_Vector y, N_Vector, N_Vector, SUNMatrix j, void* data, N_Vector,
                           N_Vector, N_Vector) {
    Solution& s = self(data);
    return s.kept_.run([&] {
      const double* columns = s.system_.jacobian(t, sundials::data(y), s.rate_.data()) + s.n_;
      for (std::size_t r = 0; r < s.n_; ++r) {
        for (std::size_t c = 0; c < s.n_; ++c) SM_DATA_D(j)[c * s.n_ + r] = -columns[r * s.n_ + c];
      }
    });
  }

  void pull_back(double t, N_Vector y, N_Vector lambda) {
    point_[0] = t;
    std::copy_n(sundials::data(y), n_, point_.begin() + 1);
    problem_.rhs->pull_back(point_.data(), sundials::data(lambda), gradient_.data());
  }

  void start_backward(double from) {
    if (index_ >= 0) {
      require(CVodeReInitB(cvodes_, index_, from, y_back_), "CVodeReInitB");
      if (!quadrature_.empty()) require(CVodeQuadReInitB(cvodes_, index_, q_back_), "CVodeQuadReInitB");
      return;
    }
    int index = 0;
    require(CVodeCreateB(cvodes_, control_.solver_backward == 1 ? CV_ADAMS : CV_BDF, &index), "CVodeCreateB");
    index_ = index;
    require(CVodeSetUserDataB(cvodes_, index, this), "CVodeSetUserDataB");
    require(CVodeInitB(cvodes_, index, rate_back, from, y_back_), "CVodeInitB");
    require(CVodeSVtolerancesB(cvodes_, index, control_.relative_backward, tolerance_back_),
            "CVodeSVtolerancesB");
    require(CVodeSetMaxNumStepsB(cvodes_, index, control_.max_num_steps), "CVodeSetMaxNumStepsB");
    require(CVodeSetLinearSolverB(cvodes_, index, linear_back_.solver(), linear_back_.matrix()),
            "CVodeSetLinearSolverB");
    require(CVodeSetJacFnB(cvodes_, index, jacobian_back), "CVodeSetJacFnB");
    if (quadrature_.empty()) return;
    require(CVodeQuadInitB(cvodes_, index, quadrature_back, q_back_), "CVodeQuadInitB");
    require(
        CVodeQuadSStolerancesB(cvodes_, index, control_.relative_quadrature, control_.absolute_quadrature),
        "CVodeQuadSStolerancesB");
    require(CVodeSetQuadErrConB(cvodes_, index, SUNTRUE), "CVodeSetQuadErrConB");
  }

  void require(int flag, std::string_view call) const { cvodes_.require(flag, call, kept_); }

  const OdeProblem& problem_;
  const AdjointControl& control_;
  bool goes_back_;
  CoupledOde system_;
  std::size_t n_;
  std::vector<double> state_;
  std::vector<double> absolute_forward_;
  std::vector<double> absolute_backward_;
  std::vector<double> lambda_;
  std::vector<double> quadrature_;
  std::vector<double> point_;  // t, y, p
  std::vector<double> gradient_;
  std::vector<double> rate_;
  Kept kept_;
  sundials::Context context_;
  sundials::Vector y_;
  sundials::Vector tolerance_;
  sundials::Vector tolerance_back_;
  sundials::Vector y_back_;
  sundials::Vector q_back_;
  sundials::DenseSolver linear_;
  sundials::DenseSolver linear_back_;
  Cvodes cvodes_;
  int index_ = -1;
};

}  // namespace

void check_control(const OdeProblem& problem, const AdjointControl& control) {
  const std::string_view f = problem.function;
  check::positive_finite(f, "relative_tolerance_forward", control.relative_forward);
  check::positive_finite(f, "absolute_tolerance_forward", control.absolute_forward);
  check::same_size(f, "absolute_tolerance_forward", control.absolute_forward.size(), "states",
                   problem.states());
  check::positive_finite(f, "relative_tolerance_backward", control.relative_backward);
  check::positive_finite(f, "absolute_tolerance_backward", control.absolute_backward);
  check::same_size(f, "absolute_tolerance_backward", control.absolute_backward.size(), "states",
                   problem.states());
  check::positive_finite(f, "relative_tolerance_quadrature", control.relative_quadrature);
  check::positive_finite(f, "absolute_tolerance_quadrature", control.absolute_quadrature);
  check::positive(f, "max_num_steps", control.max_num_steps);
  check::positive(f, "num_steps_between_checkpoints", control.steps_between_checkpoints);
  check_choice(f, "interpolation_polynomial", control.interpolation,
               "1 for Hermite or 2 for polynomial interpolation of ODE solution");
  check_choice(f, "solver_forward", control.solver_forward, "1 for Adams or 2 for BDF forward solver");
  check_choice(f, "solver_backward", control.solver_backward, "1 for Adams or 2 for BDF backward solver");
}

void solve_ode_adjoint(const OdeProblem& problem, const AdjointControl& control, double* states) {
  check_problem(problem);
  check_control(problem, control);
  Solution(problem, control, false).forward(states);
}

void pull_back_ode_adjoint(const OdeProblem& problem, const AdjointControl& control,
                           const double* state_adjoints, const AdjointResult& result) {
  Solution solution(problem, control, true);
  solution.forward(nullptr);
  solution.backward(state_adjoints, result);
}

}  // namespace kullback::math
