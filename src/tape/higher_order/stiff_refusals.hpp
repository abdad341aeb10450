// Draws that the explicit ODE solvers of a tape have refused, since the system was stiff there.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tape/tape.hpp"

namespace kullback::tape {

// By the solver's name, as the program calls it ("ode_rk45"): how often it gave up in evaluations of this
// tape so far, by all threads. Solvers that never did are not there.
std::map<std::string, std::uint64_t> stiff_refusals(const Tape& tape);

}  // namespace kullback::tape
