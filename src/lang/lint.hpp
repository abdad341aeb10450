// What a statistician wants to be told about a program that is valid: unused variables, parameters
// without a prior, hard bounds, arguments that can leave a distribution's support, loops that could be
// vectorised. Warnings and hints only.
#pragma once

#include "base/error.hpp"
#include "base/source.hpp"
#include "lang/program.hpp"

namespace kullback::lang {

Diagnostics lint(const Program& program, const SourceMap& sources);

}  // namespace kullback::lang
