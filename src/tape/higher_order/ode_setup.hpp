// What the ODE solvers share: which of y0, t0, the times and the other arguments depend on parameters, and
// where their numbers stand in the one argument of the solver's instruction.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "math/solvers/ode.hpp"
#include "tape/higher_order/pieces.hpp"

namespace kullback::tape {

// The order of the argument: y0, t0, times (each only where it varies), then what the callback captured.
struct OdeSetup {
  std::string function;
  std::shared_ptr<const Callback> callback;
  std::shared_ptr<const Tape> rhs;
  Piece initial;
  Piece initial_time;
  Piece times;
  std::size_t first_parameter = 0;
  std::size_t parameter_count = 0;
  Ids argument;

  std::size_t states() const { return initial.size; }
  math::OdeProblem problem(const double* argument_numbers, math::VectorFunction& f) const;
};

struct OdeArguments {
  const lang::Function& function;
  const Value& initial;  // a vector, or an array of reals
  const Value& initial_time;
  const Value& times;
  std::span<const Value> others;
};

OdeSetup make_ode_setup(const HigherOrderCall& call, const OdeArguments& arguments);

}  // namespace kullback::tape
