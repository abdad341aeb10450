#include "math/solvers/algebraic.hpp"

#include <fmt/format.h>
#include <kinsol/kinsol.h>

#include <Eigen/Core>
#include <algorithm>
#include <new>
#include <stdexcept>
#include <unsupported/Eigen/NonLinearOptimization>
#include <vector>

#include "math/linear_algebra.hpp"
#include "math/solvers/check.hpp"
#include "math/solvers/sundials_support.hpp"

namespace kullback::math {

namespace {

void check_problem(const AlgebraicProblem& problem, std::string_view step_name) {
  check::nonzero_size(problem.function, "initial guess", problem.guess.size());
  check::finite(problem.function, "initial guess", problem.guess);
  check::nonnegative(problem.function, step_name, problem.step_tolerance);
  check::nonnegative(problem.function, "function_tolerance", problem.function_tolerance);
  check::positive(problem.function, "max_num_steps", problem.max_num_steps);
  check::same_size(problem.function, "the algebraic system's output", problem.system->output_count(),
                   "the vector of unknowns, x,", problem.guess.size());
}

[[noreturn]] void refuse_steps(const AlgebraicProblem& problem) {
  throw std::domain_error(fmt::format("{}: maximum number of iterations ({}) was exceeded in the solve.",
                                      problem.function, problem.max_num_steps));
}

// f and df/dx with the parameters in place.
class System final {
 public:
  explicit System(const AlgebraicProblem& problem)
      : system_(*problem.system), n_(problem.guess.size()), point_(problem.system->input_count()) {
    std::copy(problem.parameters.begin(), problem.parameters.end(), point_.begin() + static_cast<long>(n_));
    jacobian_.resize(point_.size() * n_);
    value_.resize(n_);
  }

  std::size_t size() const { return n_; }
  void value(const double* x, double* f) {
    std::copy_n(x, n_, point_.begin());
    system_.value(point_.data(), f);
  }
  const double* jacobian(const double* x) {
    std::copy_n(x, n_, point_.begin());
    system_.jacobian(point_.data(), value_.data(), jacobian_.data());
    return jacobian_.data();
  }

 private:
  VectorFunction& system_;
  std::size_t n_;
  std::vector<double> point_;
  std::vector<double> value_;
  std::vector<double> jacobian_;
};

// What Eigen's HybridNonLinearSolver calls.
struct PowellFunctor {
  System& system;

  int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& f) const {
    f.resize(x.size());
    system.value(x.data(), f.data());
    return 0;
  }
  int df(const Eigen::VectorXd& x, Eigen::MatrixXd& jacobian) const {
    jacobian = Eigen::Map<const Eigen::MatrixXd>(system.jacobian(x.data()), x.size(), x.size());
    return 0;
  }
};

struct KinsolData {
  System system;
  sundials::Kept kept;
};

int kinsol_value(N_Vector x, N_Vector f, void* data) {
  auto& own = *static_cast<KinsolData*>(data);
  return own.kept.run([&] { own.system.value(sundials::data(x), sundials::data(f)); });
}

int kinsol_jacobian(N_Vector x, N_Vector, SUNMatrix j, void* data, N_Vector, N_Vector) {
  auto& own = *static_cast<KinsolData*>(data);
  return own.kept.run([&] {
    std::copy_n(own.system.jacobian(sundials::data(x)), own.system.size() * own.system.size(), SM_DATA_D(j));
  });
}

struct Kinsol {
  void* memory;
  explicit Kinsol(SUNContext context) : memory(KINCreate(context)) {
    if (memory == nullptr) throw std::bad_alloc();
  }
  ~Kinsol() { KINFree(&memory); }
  Kinsol(const Kinsol&) = delete;
  Kinsol& operator=(const Kinsol&) = delete;
};

}  // namespace

void solve_powell(const AlgebraicProblem& problem, double* root) {
  check_problem(problem, "relative_tolerance");
  System system(problem);
  PowellFunctor functor{system};
  Eigen::HybridNonLinearSolver<PowellFunctor> solver(functor);
  Eigen::VectorXd x =
      Eigen::Map<const Eigen::VectorXd>(problem.guess.data(), static_cast<long>(problem.guess.size()));
  solver.parameters.xtol = problem.step_tolerance;
  solver.parameters.maxfev = problem.max_num_steps;
  solver.solve(x);
  if (solver.nfev >= problem.max_num_steps) refuse_steps(problem);
  Eigen::VectorXd f(x.size());
  system.value(x.data(), f.data());
  if (!(f.stableNorm() <= problem.function_tolerance)) {
    throw std::domain_error(
        fmt::format("{}: the norm of the algebraic function is {} but should be lower than the function "
                    "tolerance: {}. Consider decreasing the relative tolerance and increasing max_num_steps.",
                    problem.function, f.stableNorm(), problem.function_tolerance));
  }
  std::copy_n(x.data(), x.size(), root);
}

void solve_newton(const AlgebraicProblem& problem, double* root) {
  constexpr long kStepsBetweenJacobians = 10;  // Stan's
  check_problem(problem, "scaling_step_size");
  const std::size_t n = problem.guess.size();
  const sundials::Context context;
  KinsolData data{System(problem), {}};
  std::vector<double> x(problem.guess.begin(), problem.guess.end());
  std::vector<double> ones(n, 1.0);
  const sundials::Vector unknowns(n, x.data(), context);
  const sundials::Vector scaling(n, ones.data(), context);
  sundials::DenseSolver linear(n, context);
  const Kinsol kinsol(context);
  const auto require = [&](int flag, std::string_view call) {
    if (flag >= 0) return;
    data.kept.rethrow();
    throw std::domain_error(fmt::format("{}: {} failed with error flag {}.", problem.function, call, flag));
  };
  // KINSOL's default of the longest step is 1000 times the norm of the guess, useless at the origin.
  const bool at_origin = std::all_of(x.begin(), x.end(), [](double v) { return v == 0; });
  require(KINInit(kinsol.memory, kinsol_value, unknowns), "KINInit");
  require(KINSetErrHandlerFn(kinsol.memory, sundials::silent_error_handler, nullptr), "KINSetErrHandlerFn");
  require(KINSetNumMaxIters(kinsol.memory, problem.max_num_steps), "KINSetNumMaxIters");
  require(KINSetFuncNormTol(kinsol.memory, problem.function_tolerance), "KINSetFuncNormTol");
  require(KINSetScaledStepTol(kinsol.memory, problem.step_tolerance), "KINSetScaledStepTol");
  require(KINSetMaxSetupCalls(kinsol.memory, kStepsBetweenJacobians), "KINSetMaxSetupCalls");
  require(KINSetMaxNewtonStep(kinsol.memory, at_origin ? static_cast<double>(n) : 0.0),
          "KINSetMaxNewtonStep");
  require(KINSetUserData(kinsol.memory, &data), "KINSetUserData");
  require(KINSetLinearSolver(kinsol.memory, linear.solver(), linear.matrix()), "KINSetLinearSolver");
  require(KINSetJacFn(kinsol.memory, kinsol_jacobian), "KINSetJacFn");
  const int flag = KINSol(kinsol.memory, unknowns, KIN_LINESEARCH, scaling, scaling);
  if (flag == KIN_MAXITER_REACHED) refuse_steps(problem);
  require(flag, "KINSol");
  std::copy(x.begin(), x.end(), root);
}

void root_jacobian(const AlgebraicProblem& problem, const double* root, double* jacobian) {
  System system(problem);
  const double* columns = system.jacobian(root);
  std::copy_n(columns, problem.system->input_count() * system.size(), jacobian);
}

void pull_back_root(std::size_t unknowns, std::span<const double> jacobian, const double* adjoint,
                    double* gradient) {
  const auto n = static_cast<long>(unknowns);
  const auto parameters = static_cast<long>(jacobian.size() / unknowns) - n;
  const Eigen::Map<const Eigen::MatrixXd> all(jacobian.data(), n, n + parameters);
  const Eigen::Map<const Eigen::VectorXd> up(adjoint, n);
  Eigen::VectorXd eta = up;
  linear::solve_lu(linear::lu(Eigen::MatrixXd(all.leftCols(n).transpose())), eta);
  Eigen::Map<Eigen::VectorXd>(gradient, parameters) -= all.rightCols(parameters).transpose() * eta;
}

}  // namespace kullback::math
