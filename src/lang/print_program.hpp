// The typed program as text, with every type, promotion and resolved name in the open (--dump program).
#pragma once

#include <string>

#include "lang/program.hpp"

namespace kullback::lang {

std::string dump(const Program& program);

// A few lines for people: what is data, what is estimated, what is computed (check --summary).
std::string summary(const Program& program);

}  // namespace kullback::lang
