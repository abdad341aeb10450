// Explicit Runge-Kutta pairs of order 5(4): Dormand and Prince (1980) with dense output, Cash and Karp (1990)
// with steps cut at the output times. Steppers, error norm, first step 0.1 and step control are those of
// Boost.odeint with its defaults, which is what Stan runs: answers agree to rounding, not to the tolerance.
//
// Where a system is stiff, stability limits the step h, not accuracy: h rho, with rho the spectral radius of
// df/dy, stays near the end of the region of stability (3.3 on the negative real axis for Dormand and Prince,
// 3.7 for Cash and Karp), while steps that accuracy limits have h rho well below 1.
#include <fmt/format.h>

#include <algorithm>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

#include "math/solvers/check.hpp"
#include "math/solvers/ode.hpp"

namespace kullback::math {

namespace {

namespace odeint = boost::numeric::odeint;
using State = std::vector<double>;

constexpr double kFirstStep = 0.1;

// Counts the steps of one solution, and looks now and then whether the system is stiff.
class StepWatch final {
 public:
  StepWatch(const OdeProblem& problem, CoupledOde& system)
      : problem_(problem), system_(system), time_(problem.initial_time), before_(problem.initial_time) {}

  void rate(double t, const double* z, double* dz) {
    system_.rate(t, z, dz);
    time_ = t;
    if ((steps_ + 1) % kLookEvery == 0) state_.assign(z, z + problem_.states());
  }

  // After each step; the last rate was that at its end, or near it.
  void count_step() {
    if (steps_between_times_++ >= problem_.control.max_num_steps) throw odeint::no_progress_error("");
    if (++steps_ % kLookEvery == 0 && !state_.empty()) look();
    before_ = time_;
  }
  void begin_interval() { steps_between_times_ = 0; }

  // A sentence where most steps were limited by stability, else nothing.
  std::string stiffness_text() const {
    if (steps_ == 0 || 2 * stiff_steps_ < steps_) return {};
    std::string other(problem_.function);
    for (const std::string_view own : {"rk45", "ckrk"}) {
      if (const auto at = other.find(own); at != std::string::npos) other.replace(at, own.size(), "bdf");
    }
    return fmt::format("the system is stiff: stability, not accuracy, limits the steps; {} takes far fewer",
                       other);
  }

 private:
  static constexpr long kLookEvery = 1000;
  static constexpr long kMostStiffSteps = 500'000;
  static constexpr double kStiff = 2;

  void look() {
    if (std::abs(time_ - before_) * spectral_radius() < kStiff) return;
    stiff_steps_ += kLookEvery;
    if (!problem_.control.stops_where_stiff || stiff_steps_ < kMostStiffSteps) return;
    const std::string why = stiffness_text();
    if (why.empty()) return;
    throw StiffSystem(fmt::format("{}: {} steps led from time {:.4g} to {:.4g} only: {}.", problem_.function,
                                  steps_, problem_.initial_time, time_, why));
  }

  // Of df/dy, roughly, by the power method: the mean growth over the later half of its steps.
  double spectral_radius() {
    constexpr int kSteps = 30;
    const std::size_t n = problem_.states();
    std::vector<double> rate(n);
    const double* by_states = system_.jacobian(time_, state_.data(), rate.data()) + n;
    std::vector<double> v(n, 1.0);
    std::vector<double> next(n);
    double log_growth = 0;
    for (int i = 0; i < kSteps; ++i) {
      std::fill(next.begin(), next.end(), 0.0);
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k) next[k] += by_states[j * n + k] * v[j];
      }
      double squares = 0;
      for (const double x : next) squares += x * x;
      const double norm = std::sqrt(squares);
      if (!(norm > 0) || !std::isfinite(norm)) return 0;
      if (2 * i >= kSteps) log_growth += std::log(norm);
      for (std::size_t k = 0; k < n; ++k) v[k] = next[k] / norm;
    }
    return std::exp(log_growth / (kSteps - kSteps / 2));
  }

  const OdeProblem& problem_;
  CoupledOde& system_;
  double time_;
  double before_;
  State state_;  // at time_, where a look is due
  long steps_ = 0;
  long steps_between_times_ = 0;
  long stiff_steps_ = 0;
};

// What odeint calls after each step, and at each of the times.
struct StepChecker {
  StepWatch* watch;
  void operator()() const { watch->count_step(); }
  void reset() const { watch->begin_interval(); }
};

template <class Stepper>
void integrate(const OdeProblem& problem, Stepper stepper, double* coupled) {
  CoupledOde system(problem);
  StepWatch watch(problem, system);
  const auto rate = [&](const State& z, State& dz, double t) { watch.rate(t, z.data(), dz.data()); };
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
                            StepChecker{&watch});
  } catch (const odeint::no_progress_error&) {
    const std::string why = watch.stiffness_text();
    throw std::domain_error(fmt::format(
        "{}: Failed to integrate to next output time ({}) in less than max_num_steps steps{}",
        problem.function, times[std::min(seen, problem.times.size())], why.empty() ? "" : ": " + why));
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
