// Names of a program's unconstrained coordinates. Where a constraint leaves fewer numbers than the value has
// they count from 1: two for a simplex[3].
#pragma once

#include <string>
#include <vector>

#include "model/prepared.hpp"

namespace kullback::model {

// For people: "theta[3]", "p[1]", a slot of a tuple "t[2].1".
std::vector<std::string> coordinate_names(const Prepared& prepared);

// As in the head of CmdStan's files: "theta.3", "p.1", "z.real", "t.2:1".
std::vector<std::string> coordinate_columns(const Prepared& prepared);

}  // namespace kullback::model
