// The command that gives the same results once more.
#pragma once

#include <string>

#include "run/record.hpp"

namespace kullback::report {

// For a shell, in lines that words allow to be short. Empty for kinds that do not record all of their options
// yet. Options that decide the results are all there, defaults too: another version may have others.
std::string repeat_command(const run::RunRecord& record);

}  // namespace kullback::report
