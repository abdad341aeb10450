// ode_adjoint_tol_ctl: states by one plain solution, adjoints by CVODES' adjoint method.
#include <algorithm>

#include "tape/higher_order/functions.hpp"
#include "tape/higher_order/ode_setup.hpp"

namespace kullback::tape {

namespace {

constexpr std::size_t kFirstControl = 3;
constexpr std::size_t kFirstOther = 14;

struct AdjointState final : DenseFunction::State {
  AdjointState(const OdeSetup& setup)
      : f(setup.callback, setup.rhs),
        rate(setup.states()),
        initial_adjoint(setup.states()),
        parameter_adjoint(setup.parameter_count) {}
  CallbackFunction f;
  std::vector<double> rate;
  std::vector<double> initial_adjoint;
  std::vector<double> parameter_adjoint;
};

class AdjointFunction final : public DenseFunction {
 public:
  AdjointFunction(OdeSetup setup, const HigherOrderCall& call)
      : setup_(std::move(setup)),
        absolute_forward_(call.numbers(call.values[kFirstControl + 1])),
        absolute_backward_(call.numbers(call.values[kFirstControl + 3])) {
    const auto number = [&](std::size_t i) { return call.number(call.values[kFirstControl + i]); };
    control_.relative_forward = number(0);
    control_.absolute_forward = absolute_forward_;
    control_.relative_backward = number(2);
    control_.absolute_backward = absolute_backward_;
    control_.relative_quadrature = number(4);
    control_.absolute_quadrature = number(5);
    control_.max_num_steps = static_cast<long>(number(6));
    control_.steps_between_checkpoints = static_cast<long>(number(7));
    control_.interpolation = static_cast<int>(number(8));
    control_.solver_forward = static_cast<int>(number(9));
    control_.solver_backward = static_cast<int>(number(10));
  }
  AdjointFunction(const AdjointFunction&) = delete;
  AdjointFunction& operator=(const AdjointFunction&) = delete;

  std::size_t result_size() const override { return setup_.times.size * setup_.states(); }
  std::size_t scratch_size() const override { return 0; }
  std::unique_ptr<State> make_state() const override { return std::make_unique<AdjointState>(setup_); }

  void forward(const Call& call, State& state) const override {
    math::VectorFunction& rhs = static_cast<AdjointState&>(state).f;
    math::solve_ode_adjoint(setup_.problem(call.argument, rhs), control_, call.result);
  }

  void backward(const Call& call, State& state) const override {
    auto& own = static_cast<AdjointState&>(state);
    const math::OdeProblem problem = setup_.problem(call.argument, own.f);
    const std::size_t n = setup_.states();
    math::CoupledOde system(problem);
    if (setup_.times.varies) {
      for (std::size_t i = 0; i < problem.times.size(); ++i) {
        system.plain_rate(problem.times[i], call.result + i * n, own.rate.data());
        for (std::size_t j = 0; j < n; ++j)
          call.adjoint[setup_.times.first + i] += call.result_adjoint[i * n + j] * own.rate[j];
      }
    }
    if (!setup_.initial.varies && setup_.parameter_count == 0) return;
    std::fill(own.initial_adjoint.begin(), own.initial_adjoint.end(), 0.0);
    std::fill(own.parameter_adjoint.begin(), own.parameter_adjoint.end(), 0.0);
    math::pull_back_ode_adjoint(problem, control_, call.result_adjoint,
                                {own.initial_adjoint.data(), own.parameter_adjoint.data()});
    for (std::size_t k = 0; k < setup_.parameter_count; ++k)
      call.adjoint[setup_.first_parameter + k] += own.parameter_adjoint[k];
    if (!setup_.initial.varies) return;
    for (std::size_t k = 0; k < n; ++k) call.adjoint[setup_.initial.first + k] += own.initial_adjoint[k];
    if (!setup_.initial_time.varies) return;
    system.plain_rate(problem.initial_time, problem.initial.data(), own.rate.data());
    for (std::size_t k = 0; k < n; ++k)
      call.adjoint[setup_.initial_time.first] -= own.initial_adjoint[k] * own.rate[k];
  }

 private:
  OdeSetup setup_;
  std::vector<double> absolute_forward_;
  std::vector<double> absolute_backward_;
  math::AdjointControl control_;
};

}  // namespace

// f(rhs, y0, t0, ts, 6 tolerances, 5 ints, others...)
Value call_ode_adjoint(const HigherOrderCall& call) {
  const std::span<const Value> values = call.values;
  OdeSetup setup = make_ode_setup(
      call, {*call.functions[0], values[0], values[1], values[2], values.subspan(kFirstOther)});
  const Dims dims{setup.times.size, setup.states()};
  const Ids argument = setup.argument;
  auto f = std::make_shared<AdjointFunction>(std::move(setup), call);
  return real_container(*call.expr.type, dims, call.builder().solve(std::move(f), argument));
}

}  // namespace kullback::tape
