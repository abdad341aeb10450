// The tape's log density against an independent evaluation: the program is run directly, statement by
// statement, with numbers for parameters. Nothing is recorded, so that no pass and no fused kernel has a part
// in it. What a density keeps and drops is compared too, as the values are, constants included.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/stan_model.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::model {

struct InterpreterCheck {
  std::size_t points = 0;         // compared: the point given, others near it,
  std::size_t beyond_guards = 0;  // and points where a comparison comes out differently
  double worst_error = 0;  // |tape - interpreter| / (1 + |interpreter|); infinite where one of them fails
  double tape = 0;         // there
  double interpreter = 0;
  // The statement whose own contributions differ most there, "model.stan:9:3"; empty where none do.
  std::string statement;
  double statement_tape = 0;
  double statement_interpreter = 0;
  // Slopes along a random direction, at the points that are no guard's: the tape's gradient against
  // differences of the interpreter's values.
  double worst_slope_error = 0;  // |slope - difference| / (1 + |slope|)
  double slope = 0;
  double slope_difference = 0;
};

// The log density at theta; -infinity where the program rejects it.
double interpret(const Prepared& prepared, const std::vector<double>& theta, tape::TraceOptions options);

// `options` are those of the model. A statement is looked for where the error is above `tolerance`.
InterpreterCheck check_against_interpreter(StanModel& model, const std::vector<double>& theta,
                                           tape::TraceOptions options, double tolerance = 1e-8);

}  // namespace kullback::model
