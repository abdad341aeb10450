// ode_rk45, ode_ckrk, ode_adams, ode_bdf, their _tol forms, and the older integrate_ode_*. Forward solves the
// coupled system of states and sensitivities; backward is a product with the sensitivities:
//   dy(t)/dt = f(t, y),  dy(t)/dt0 = -(dy/dy0) f(t0, y0).
#include <algorithm>
#include <atomic>

#include "tape/higher_order/functions.hpp"
#include "tape/higher_order/ode_setup.hpp"
#include "tape/higher_order/stiff_refusals.hpp"

namespace kullback::tape {

namespace {

using Solve = void (*)(const math::OdeProblem& problem, double* coupled);

constexpr math::OdeControl kExplicit{1e-6, 1e-6, 1'000'000, true};
constexpr math::OdeControl kMultistep{1e-10, 1e-10, 100'000'000};

struct OdeMethod {
  std::string_view method;
  Solve solve;
  math::OdeControl defaults;
};

constexpr OdeMethod kMethods[] = {
    {"rk45", math::solve_ode_rk45, kExplicit},
    {"ckrk", math::solve_ode_ckrk, kExplicit},
    {"adams", math::solve_ode_adams, kMultistep},
    {"bdf", math::solve_ode_bdf, kMultistep},
};

const OdeMethod& method_of(std::string_view name) {
  const auto* found = std::find_if(std::begin(kMethods), std::end(kMethods), [&](const OdeMethod& m) {
    return name.find(m.method) != std::string_view::npos;
  });
  return found == std::end(kMethods) ? kMethods[0] : *found;  // integrate_ode is the oldest name of rk45
}

class OdeFunction final : public DenseFunction {
 public:
  OdeFunction(OdeSetup setup, Solve solve, math::OdeControl control)
      : setup_(std::move(setup)), solve_(solve), control_(control) {
    const std::size_t n = setup_.states();
    coupled_size_ = n * (1 + (setup_.initial.varies ? n : 0) + setup_.parameter_count);
  }

  std::size_t result_size() const override { return setup_.times.size * setup_.states(); }

  // Coupled states, rates at the times, rate at t0.
  std::size_t scratch_size() const override {
    return setup_.times.size * (coupled_size_ + setup_.states()) + setup_.states();
  }

  std::unique_ptr<State> make_state() const override {
    return std::make_unique<CallbackState>(setup_.callback, setup_.rhs);
  }

  void forward(const Call& call, State& state) const override {
    math::VectorFunction& rhs = static_cast<CallbackState&>(state).f;
    math::OdeProblem problem = setup_.problem(call.argument, rhs);
    problem.control = control_;
    try {
      solve_(problem, call.scratch);
    } catch (const math::StiffSystem&) {
      ++stiff_refusals_;
      throw;
    }
    const std::size_t n = setup_.states();
    for (std::size_t i = 0; i < problem.times.size(); ++i)
      std::copy_n(call.scratch + i * coupled_size_, n, call.result + i * n);
    double* rates = call.scratch + problem.times.size() * coupled_size_;
    math::CoupledOde system(problem);
    if (setup_.times.varies) {
      for (std::size_t i = 0; i < problem.times.size(); ++i)
        system.plain_rate(problem.times[i], call.result + i * n, rates + i * n);
    }
    if (setup_.initial_time.varies)
      system.plain_rate(problem.initial_time, problem.initial.data(), rates + problem.times.size() * n);
  }

  void backward(const Call& call, State&) const override {
    const std::size_t n = setup_.states();
    const std::size_t count = setup_.times.size;
    const double* rates = call.scratch + count * coupled_size_;
    for (std::size_t i = 0; i < count; ++i) {
      const double* up = call.result_adjoint + i * n;
      const double* sensitivity = call.scratch + i * coupled_size_ + n;
      const auto along = [&](const double* column) {
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += up[j] * column[j];
        return sum;
      };
      if (setup_.initial.varies) {
        for (std::size_t k = 0; k < n; ++k, sensitivity += n) {
          const double slope = along(sensitivity);
          call.adjoint[setup_.initial.first + k] += slope;
          if (setup_.initial_time.varies)
            call.adjoint[setup_.initial_time.first] -= slope * rates[count * n + k];
        }
      }
      for (std::size_t k = 0; k < setup_.parameter_count; ++k, sensitivity += n)
        call.adjoint[setup_.first_parameter + k] += along(sensitivity);
      if (setup_.times.varies) call.adjoint[setup_.times.first + i] += along(rates + i * n);
    }
  }

  const std::string& name() const { return setup_.function; }
  std::uint64_t stiff_refusals() const { return stiff_refusals_; }

 private:
  OdeSetup setup_;
  Solve solve_;
  math::OdeControl control_;
  std::size_t coupled_size_;
  mutable std::atomic<std::uint64_t> stiff_refusals_{0};
};

// From three arguments: relative and absolute tolerance, most steps.
math::OdeControl control_of(const HigherOrderCall& call, std::size_t first) {
  return {call.number(call.values[first]), call.number(call.values[first + 1]),
          static_cast<long>(call.number(call.values[first + 2]))};
}

Value solve(const HigherOrderCall& call, const OdeArguments& arguments, math::OdeControl control) {
  OdeSetup setup = make_ode_setup(call, arguments);
  const Dims dims{setup.times.size, setup.states()};
  const Ids argument = setup.argument;
  auto f = std::make_shared<OdeFunction>(std::move(setup), method_of(call.name).solve, control);
  return real_container(*call.expr.type, dims, call.builder().solve(std::move(f), argument));
}

}  // namespace

std::map<std::string, std::uint64_t> stiff_refusals(const Tape& tape) {
  std::map<std::string, std::uint64_t> by_name;
  for (const Instruction& instruction : tape.instructions) {
    if (instruction.kind != OpKind::solver) continue;
    const auto* ode =
        dynamic_cast<const OdeFunction*>(static_cast<const DenseFunction*>(instruction.definition));
    if (ode != nullptr && ode->stiff_refusals() > 0) by_name[ode->name()] += ode->stiff_refusals();
  }
  return by_name;
}

// f(rhs, y0, t0, ts[, relative, absolute, most steps], others...)
Value call_ode(const HigherOrderCall& call) {
  const std::span<const Value> values = call.values;
  const bool tolerances = call.name.ends_with("_tol");
  return solve(call,
               {*call.functions[0], values[0], values[1], values[2], values.subspan(tolerances ? 6 : 3)},
               tolerances ? control_of(call, 3) : method_of(call.name).defaults);
}

// f(rhs, y0, t0, ts, theta, x_r, x_i[, relative, absolute, most steps])
Value call_integrate_ode(const HigherOrderCall& call) {
  const std::span<const Value> values = call.values;
  return solve(call, {*call.functions[0], values[0], values[1], values[2], values.subspan(3, 3)},
               values.size() > 6 ? control_of(call, 6) : method_of(call.name).defaults);
}

}  // namespace kullback::tape
