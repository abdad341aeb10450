#include "tape/higher_order/ode_setup.hpp"

#include "math/solvers/check.hpp"

namespace kullback::tape {

OdeSetup make_ode_setup(const HigherOrderCall& call, const OdeArguments& arguments) {
  OdeSetup setup;
  setup.function = call.name;
  const bool time_varies = !is_constant(call.tracer.reals(arguments.initial_time).front());
  // dy/dt0 = -(dy/dy0) f(t0, y0): where t0 varies, y0 does.
  setup.initial = add_piece(call, arguments.initial, setup.argument, time_varies);
  setup.initial_time = add_piece(call, arguments.initial_time, setup.argument);
  setup.times = add_piece(call, arguments.times, setup.argument);
  auto callback = std::make_shared<Callback>(call.tracer, arguments.function);
  callback->add_input(math::Type{math::Kind::real}, {});
  callback->add_input(arguments.initial.type, arguments.initial.dims);
  for (const Value& other : arguments.others) callback->add(call.builder(), other, true);
  math::check::finite(setup.function, "ode parameters and data", callback->constants());
  setup.first_parameter = setup.argument.size();
  setup.parameter_count = callback->captured().size();
  setup.argument.insert(setup.argument.end(), callback->captured().begin(), callback->captured().end());
  std::vector<double> point{call.number(arguments.initial_time)};
  const std::vector<double> initial = call.numbers(arguments.initial);
  point.insert(point.end(), initial.begin(), initial.end());
  for (const Id id : callback->captured()) point.push_back(call.builder().value(id));
  setup.rhs = callback->trace(point.data());
  setup.callback = std::move(callback);
  return setup;
}

math::OdeProblem OdeSetup::problem(const double* numbers, math::VectorFunction& f) const {
  math::OdeProblem problem;
  problem.function = function;
  problem.rhs = &f;
  problem.initial = initial.in(numbers);
  problem.initial_time = initial_time.in(numbers).front();
  problem.times = times.in(numbers);
  problem.parameters = {numbers + first_parameter, parameter_count};
  problem.initial_varies = initial.varies;
  return problem;
}

}  // namespace kullback::tape
