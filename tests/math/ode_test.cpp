// ODE solvers against closed forms: states, sensitivities, convergence with the tolerance, the adjoint
// method, and what they refuse.
#include "math/solvers/ode.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

namespace kullback::math {
namespace {

// f and its Jacobian by columns (t, y..., p...), written by hand.
class Written final : public VectorFunction {
 public:
  using Value = std::function<void(const double* x, double* f)>;
  using Jacobian = std::function<void(const double* x, double* j)>;
  Written(std::size_t inputs, std::size_t outputs, Value value, Jacobian jacobian)
      : inputs_(inputs), outputs_(outputs), value_(std::move(value)), jacobian_(std::move(jacobian)) {}

  std::size_t input_count() const override { return inputs_; }
  std::size_t output_count() const override { return outputs_; }
  void value(const double* x, double* f) override { value_(x, f); }
  void jacobian(const double* x, double* f, double* j) override {
    value_(x, f);
    std::fill_n(j, inputs_ * outputs_, 0.0);
    jacobian_(x, j);
  }
  void pull_back(const double* x, const double* adjoint, double* gradient) override {
    std::vector<double> j(inputs_ * outputs_);
    jacobian_(x, j.data());
    for (std::size_t c = 0; c < inputs_; ++c) {
      gradient[c] = 0;
      for (std::size_t r = 0; r < outputs_; ++r) gradient[c] += j[c * outputs_ + r] * adjoint[r];
    }
  }

 private:
  std::size_t inputs_;
  std::size_t outputs_;
  Value value_;
  Jacobian jacobian_;
};

// y1' = -a y1 - b y2, y2' = b y1 - a y2: y(t) = exp(-a t) R(b t) y0, the exponential of a matrix.
Written spiral() {
  return {5, 2,
          [](const double* x, double* f) {
            f[0] = -x[3] * x[1] - x[4] * x[2];
            f[1] = x[4] * x[1] - x[3] * x[2];
          },
          [](const double* x, double* j) {
            const double columns[] = {0, 0, -x[3], x[4], -x[4], -x[3], -x[1], -x[2], -x[2], x[1]};
            std::copy(std::begin(columns), std::end(columns), j);
          }};
}

constexpr double kInitial[] = {1.2, -0.4};
constexpr double kParameters[] = {0.3, 1.7};
constexpr double kTimes[] = {0.5, 1.25, 1.25, 4.0};

// y, dy/dy0 and dy/dp of the spiral at t.
std::vector<double> spiral_solution(double t) {
  const double decay = std::exp(-kParameters[0] * t);
  const double c = decay * std::cos(kParameters[1] * t);
  const double s = decay * std::sin(kParameters[1] * t);
  const double y1 = c * kInitial[0] - s * kInitial[1];
  const double y2 = s * kInitial[0] + c * kInitial[1];
  return {y1, y2, c, s, -s, c, -t * y1, -t * y2, -t * y2, t * y1};
}

struct Method {
  const char* name;
  void (*solve)(const OdeProblem&, double*);
};
constexpr Method kMethods[] = {{"ode_rk45", solve_ode_rk45},
                               {"ode_ckrk", solve_ode_ckrk},
                               {"ode_adams", solve_ode_adams},
                               {"ode_bdf", solve_ode_bdf}};

OdeProblem spiral_problem(VectorFunction& f, const char* name, double tolerance) {
  OdeProblem problem;
  problem.function = name;
  problem.rhs = &f;
  problem.initial = kInitial;
  problem.times = kTimes;
  problem.parameters = kParameters;
  problem.initial_varies = true;
  problem.control = {tolerance, tolerance, 1'000'000};
  return problem;
}

double spiral_error(const Method& method, double tolerance) {
  Written f = spiral();
  const OdeProblem problem = spiral_problem(f, method.name, tolerance);
  std::vector<double> coupled(problem.times.size() * problem.coupled_size());
  method.solve(problem, coupled.data());
  double worst = 0;
  for (std::size_t i = 0; i < problem.times.size(); ++i) {
    const std::vector<double> truth = spiral_solution(kTimes[i]);
    for (std::size_t k = 0; k < truth.size(); ++k)
      worst = std::max(worst, std::abs(coupled[i * truth.size() + k] - truth[k]));
  }
  return worst;
}

TEST(Ode, StatesAndSensitivitiesConvergeToTheMatrixExponential) {
  for (const Method& method : kMethods) {
    double before = std::numeric_limits<double>::infinity();
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      const double error = spiral_error(method, tolerance);
      EXPECT_LT(error, 1000 * tolerance) << method.name << " at " << tolerance;
      EXPECT_LT(error, 0.5 * before) << method.name << " at " << tolerance;
      before = error;
    }
  }
}

TEST(Ode, OnlyWhatVariesIsInTheCoupledSystem) {
  Written f = spiral();
  OdeProblem problem = spiral_problem(f, "ode_bdf", 1e-10);
  EXPECT_EQ(problem.coupled_size(), 10U);
  problem.initial_varies = false;
  EXPECT_EQ(problem.coupled_size(), 6U);
  std::vector<double> coupled(problem.times.size() * 6);
  solve_ode_bdf(problem, coupled.data());
  const std::vector<double> truth = spiral_solution(4.0);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(coupled[18 + k], truth[k], 1e-8);
    EXPECT_NEAR(coupled[20 + k], truth[6 + k], 1e-8);
    EXPECT_NEAR(coupled[22 + k], truth[8 + k], 1e-8);
  }
}

// y' = r y (1 - y / K): y = K / (1 + (K / y0 - 1) exp(-r t)).
TEST(Ode, LogisticGrowthHasItsClosedForm) {
  Written f(
      4, 1, [](const double* x, double* out) { out[0] = x[2] * x[1] * (1 - x[1] / x[3]); },
      [](const double* x, double* j) {
        j[1] = x[2] * (1 - 2 * x[1] / x[3]);
        j[2] = x[1] * (1 - x[1] / x[3]);
        j[3] = x[2] * x[1] * x[1] / (x[3] * x[3]);
      });
  const double y0 = 0.5;
  const double r = 0.8;
  const double capacity = 10;
  const double parameters[] = {r, capacity};
  const double times[] = {1, 3, 10};
  for (const Method& method : kMethods) {
    OdeProblem problem;
    problem.function = method.name;
    problem.rhs = &f;
    problem.initial = {&y0, 1};
    problem.initial_time = -1;
    problem.times = times;
    problem.parameters = parameters;
    problem.initial_varies = true;
    problem.control = {1e-11, 1e-11, 1'000'000};
    std::vector<double> coupled(12);
    method.solve(problem, coupled.data());
    for (std::size_t i = 0; i < 3; ++i) {
      const double t = times[i] + 1;
      const double e = std::exp(-r * t);
      const double below = 1 + (capacity / y0 - 1) * e;
      const double y = capacity / below;
      EXPECT_NEAR(coupled[4 * i], y, 1e-8) << method.name;
      EXPECT_NEAR(coupled[4 * i + 1], y * y * e / (y0 * y0), 1e-8) << method.name;
      EXPECT_NEAR(coupled[4 * i + 2], y * y / capacity * (capacity / y0 - 1) * t * e, 1e-8) << method.name;
      EXPECT_NEAR(coupled[4 * i + 3], y / capacity - y * y / capacity * e / y0, 1e-8) << method.name;
    }
  }
}

// y' = -k (y - cos t) - sin t: y = cos t + (y0 - 1) exp(-k t), stiff for large k.
TEST(Ode, BdfTakesFewStepsOnAStiffProblem) {
  int calls = 0;
  Written f(
      3, 1,
      [&](const double* x, double* out) {
        ++calls;
        out[0] = -x[2] * (x[1] - std::cos(x[0])) - std::sin(x[0]);
      },
      [](const double* x, double* j) {
        j[1] = -x[2];
        j[2] = -(x[1] - std::cos(x[0]));
      });
  const double y0 = 2;
  const double k = 1e5;
  const double times[] = {1e-5, 1, 10};
  OdeProblem problem;
  problem.function = "ode_bdf";
  problem.rhs = &f;
  problem.initial = {&y0, 1};
  problem.times = times;
  problem.parameters = {&k, 1};
  problem.control = {1e-8, 1e-8, 100'000};
  double coupled[6];
  solve_ode_bdf(problem, coupled);
  const double fast = std::exp(-k * 1e-5);
  EXPECT_NEAR(coupled[0], std::cos(1e-5) + fast, 1e-6);
  EXPECT_NEAR(coupled[1], -1e-5 * fast, 1e-10);
  EXPECT_NEAR(coupled[2], std::cos(1.0), 1e-7);
  EXPECT_NEAR(coupled[4], std::cos(10.0), 1e-7);
  EXPECT_LT(calls, 5000);
}

AdjointControl adjoint_control(const std::vector<double>& absolute, int interpolation, int solver) {
  AdjointControl control;
  control.relative_forward = control.relative_backward = control.relative_quadrature = 1e-11;
  control.absolute_forward = control.absolute_backward = absolute;
  control.absolute_quadrature = 1e-11;
  control.max_num_steps = 100'000;
  control.steps_between_checkpoints = 50;
  control.interpolation = interpolation;
  control.solver_forward = control.solver_backward = solver;
  return control;
}

TEST(Ode, TheAdjointMethodGivesTheGradientOfAWeightedSum) {
  const std::vector<double> absolute(2, 1e-11);
  const double weights[] = {1, -2, 0.5, 0.25, 3, 1, -1, 2};
  for (const int interpolation : {1, 2}) {
    for (const int solver : {1, 2}) {
      // Hermite interpolation between the long steps of Adams is of order 3 only.
      const double tolerance = interpolation == 1 ? 1e-6 : 1e-8;
      Written f = spiral();
      const OdeProblem problem = spiral_problem(f, "ode_adjoint_tol_ctl", 1e-6);
      const AdjointControl control = adjoint_control(absolute, interpolation, solver);
      std::vector<double> states(8);
      solve_ode_adjoint(problem, control, states.data());
      std::vector<double> initial(2, 100.0);  // added to
      std::vector<double> parameters(2, 0.0);
      pull_back_ode_adjoint(problem, control, weights, {initial.data(), parameters.data()});
      double expected[4] = {};
      for (std::size_t i = 0; i < 4; ++i) {
        const std::vector<double> truth = spiral_solution(kTimes[i]);
        for (std::size_t j = 0; j < 2; ++j) {
          EXPECT_NEAR(states[2 * i + j], truth[j], 1e-8);
          for (std::size_t k = 0; k < 4; ++k) expected[k] += weights[2 * i + j] * truth[2 + 2 * k + j];
        }
      }
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_NEAR(initial[k], 100 + expected[k], tolerance) << interpolation << solver;
        EXPECT_NEAR(parameters[k], expected[2 + k], tolerance) << interpolation << solver;
      }
    }
  }
}

std::string refusal(const OdeProblem& problem, const Method& method) {
  std::vector<double> coupled(problem.times.size() * problem.coupled_size());
  try {
    method.solve(problem, coupled.data());
  } catch (const std::domain_error& e) {
    return e.what();
  }
  return "";
}

TEST(Ode, RefusesWhatMakesNoSense) {
  Written f = spiral();
  for (const Method& method : kMethods) {
    const std::string name = method.name;
    const OdeProblem good = spiral_problem(f, method.name, 1e-6);
    OdeProblem bad = good;
    const double infinite[] = {1, INFINITY};
    bad.initial = infinite;
    EXPECT_EQ(refusal(bad, method), name + ": initial state[2] is inf, but must be finite!");
    bad = good;
    const double falling[] = {1, 0.5};
    bad.times = falling;
    EXPECT_NE(refusal(bad, method).find("times is not a valid sorted vector. The element at 2 is 0.5"),
              std::string::npos);
    bad = good;
    bad.initial_time = 0.5;
    EXPECT_EQ(refusal(bad, method), name + ": initial time is 0.5, but must be less than 0.5!");
    bad = good;
    bad.times = {};
    EXPECT_NE(refusal(bad, method).find("times has size 0"), std::string::npos);
    bad = good;
    bad.control.relative_tolerance = -1;
    EXPECT_EQ(refusal(bad, method), name + ": relative_tolerance is -1, but must be positive finite!");
    bad = good;
    bad.control = {1e-12, 1e-12, 3};
    EXPECT_EQ(refusal(bad, method),
              name + ": Failed to integrate to next output time (0.5) in less than max_num_steps steps");
  }
}

// y' = -r (y - cos t): a step of an explicit method is at most about 3.3 / r, and few would do for accuracy.
struct Relaxation {
  explicit Relaxation(double rate)
      : f(
            3, 1, [](const double* x, double* to) { to[0] = -x[2] * (x[1] - std::cos(x[0])); },
            [](const double* x, double* j) {
              j[0] = -x[2] * std::sin(x[0]);
              j[1] = -x[2];
              j[2] = -(x[1] - std::cos(x[0]));
            }),
        parameters{rate} {
    problem.rhs = &f;
    problem.initial = initial;
    problem.times = times;
    problem.parameters = parameters;
  }
  Written f;
  double initial[1] = {0};
  double times[1] = {10};
  double parameters[1];
  OdeProblem problem;
};

TEST(Ode, ExplicitMethodsGiveUpWhereTheSystemIsStiff) {
  Relaxation stiff(1e5), very_stiff(1e6);
  for (const Method& method : kMethods) {
    const std::string name = method.name;
    if (name != "ode_rk45" && name != "ode_ckrk") continue;
    stiff.problem.function = very_stiff.problem.function = name;
    very_stiff.problem.control = {1e-6, 1e-6, 1'000'000, true};
    const std::string text = refusal(very_stiff.problem, method);
    EXPECT_EQ(text.substr(0, name.size() + 26), name + ": 500000 steps led from ti") << text;
    EXPECT_NE(text.find("the system is stiff: stability, not accuracy, limits the steps; ode_bdf takes far"),
              std::string::npos)
        << text;
    // Who names a number of steps gets them, and is told why they did not do.
    stiff.problem.control = {1e-6, 1e-6, 30'000};
    EXPECT_EQ(refusal(stiff.problem, method),
              name +
                  ": Failed to integrate to next output time (10) in less than max_num_steps steps: the "
                  "system is stiff: stability, not accuracy, limits the steps; ode_bdf takes far fewer");
    stiff.problem.control = {1e-6, 1e-6, 1'000'000};
    EXPECT_EQ(refusal(stiff.problem, method), "");
  }
  for (const Method& method : kMethods) {
    if (std::string(method.name) != "ode_bdf") continue;
    stiff.problem.control = {1e-10, 1e-10, 100'000'000};
    EXPECT_EQ(refusal(stiff.problem, method), "");
  }
}

// Many steps that accuracy asks for.
TEST(Ode, LongSolutionsAreNotStiff) {
  Written wave(
      3, 2,
      [](const double* x, double* f) {
        f[0] = x[2];
        f[1] = -x[1];
      },
      [](const double*, double* j) {
        const double columns[] = {0, 0, 0, -1, 1, 0};
        std::copy(std::begin(columns), std::end(columns), j);
      });
  const double initial[] = {1, 0};
  const double times[] = {20000};
  OdeProblem problem;
  problem.rhs = &wave;
  problem.initial = initial;
  problem.times = times;
  problem.control = {1e-8, 1e-8, 1'000'000, true};
  for (const Method& method : kMethods) {
    if (std::string(method.name) != "ode_rk45" && std::string(method.name) != "ode_ckrk") continue;
    problem.function = method.name;
    EXPECT_EQ(refusal(problem, method), "");
  }
}

TEST(Ode, AnExceptionOfTheRightHandSideComesThroughCvodes) {
  Written f(
      2, 1,
      [](const double* x, double* out) {
        if (x[0] > 0.5) throw std::domain_error("too late");
        out[0] = 1;
      },
      [](const double*, double*) {});
  const double y0 = 0;
  const double time = 1;
  OdeProblem problem;
  problem.rhs = &f;
  problem.initial = {&y0, 1};
  problem.times = {&time, 1};
  for (const Method& method : kMethods) EXPECT_EQ(refusal(problem, method), "too late") << method.name;
}

}  // namespace
}  // namespace kullback::math
