// The ladder of methods: cheapest first, each certified, until one meets the tolerance.
#pragma once

#include "fit/fit.hpp"

namespace kullback::fit {

// The method `auto`: no algorithm of its own.
const infer::Method& auto_method();

// As run(). Which rungs are climbed depends on counted evaluations and on verdicts, never on the clock,
// unless the request has a budget.
Outcome run_ladder(Request request, const LoadedModel& model, const Ranks& ranks, const Watch& watch);

}  // namespace kullback::fit
