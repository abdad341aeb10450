// solve_powell, solve_newton, their _tol forms, and the older algebra_solver*. The gradient is that of the
// implicit function: dx/dp = -(df/dx)^-1 df/dp. The guess has none.
#include "math/solvers/algebraic.hpp"

#include <algorithm>

#include "tape/higher_order/functions.hpp"
#include "tape/higher_order/pieces.hpp"

namespace kullback::tape {

namespace {

struct RootControl {
  double step_tolerance;
  double function_tolerance;
  long max_num_steps;
};

constexpr RootControl kPowell{1e-10, 1e-6, 200};
constexpr RootControl kOldPowell{1e-10, 1e-6, 1000};
constexpr RootControl kNewton{1e-3, 1e-6, 200};

bool is_newton(std::string_view name) { return name.find("newton") != std::string_view::npos; }

class RootFunction final : public DenseFunction {
 public:
  RootFunction(const HigherOrderCall& call, RootControl control, std::span<const Value> others)
      : name_(call.name), control_(control), newton_(is_newton(call.name)) {
    guess_ = add_piece(call, call.values[0], argument_);
    auto callback = std::make_shared<Callback>(call.tracer, *call.functions[0]);
    callback->add_input(call.values[0].type, call.values[0].dims);
    for (const Value& other : others) callback->add(call.builder(), other);
    first_parameter_ = argument_.size();
    argument_.insert(argument_.end(), callback->captured().begin(), callback->captured().end());
    std::vector<double> point = call.numbers(call.values[0]);
    for (const Id id : callback->captured()) point.push_back(call.builder().value(id));
    tape_ = callback->trace(point.data());
    callback_ = std::move(callback);
  }

  const Ids& argument() const { return argument_; }
  std::size_t result_size() const override { return guess_.size; }
  std::size_t scratch_size() const override { return guess_.size * callback_->input_count(); }
  std::unique_ptr<State> make_state() const override {
    return std::make_unique<CallbackState>(callback_, tape_);
  }

  void forward(const Call& call, State& state) const override {
    math::AlgebraicProblem problem;
    problem.function = name_;
    problem.system = &static_cast<CallbackState&>(state).f;
    problem.guess = guess_.in(call.argument);
    problem.parameters = {call.argument + first_parameter_, argument_.size() - first_parameter_};
    problem.step_tolerance = control_.step_tolerance;
    problem.function_tolerance = control_.function_tolerance;
    problem.max_num_steps = control_.max_num_steps;
    (newton_ ? math::solve_newton : math::solve_powell)(problem, call.result);
    math::root_jacobian(problem, call.result, call.scratch);
  }

  void backward(const Call& call, State&) const override {
    math::pull_back_root(guess_.size, {call.scratch, scratch_size()}, call.result_adjoint,
                         call.adjoint + first_parameter_);
  }

 private:
  std::string name_;
  RootControl control_;
  bool newton_;
  Piece guess_;
  std::size_t first_parameter_ = 0;
  Ids argument_;
  std::shared_ptr<const Callback> callback_;
  std::shared_ptr<const Tape> tape_;
};

RootControl control_of(const HigherOrderCall& call, std::size_t first) {
  return {call.number(call.values[first]), call.number(call.values[first + 1]),
          static_cast<long>(call.number(call.values[first + 2]))};
}

Value root(const HigherOrderCall& call, RootControl control, std::span<const Value> others) {
  auto f = std::make_shared<RootFunction>(call, control, others);
  const Ids argument = f->argument();
  return real_container(*call.expr.type, call.values[0].dims, call.builder().solve(std::move(f), argument));
}

}  // namespace

// f(system, guess[, step tolerance, function tolerance, most steps], others...)
Value call_solve(const HigherOrderCall& call) {
  const bool tolerances = call.name.ends_with("_tol");
  const RootControl defaults = is_newton(call.name) ? kNewton : kPowell;
  return root(call, tolerances ? control_of(call, 1) : defaults,
              std::span<const Value>(call.values).subspan(tolerances ? 4 : 1));
}

// f(system, guess, theta, x_r, x_i[, step tolerance, function tolerance, most steps])
Value call_algebra_solver(const HigherOrderCall& call) {
  const RootControl defaults = is_newton(call.name) ? kNewton : kOldPowell;
  return root(call, call.values.size() > 4 ? control_of(call, 4) : defaults,
              std::span<const Value>(call.values).subspan(1, 3));
}

}  // namespace kullback::tape
