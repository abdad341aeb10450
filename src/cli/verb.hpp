// A verb of the program: adds its options to the command line and returns what to run after parsing.
#pragma once

#include <functional>
#include <string>

#include "cli/command.hpp"

namespace kullback::cli {

// Returns the exit code; throws Error.
using Run = std::function<int()>;

#define KULLBACK_VERB(name, summary) Run add_##name(const Command& verb);
#include "cli/verbs.def"
#undef KULLBACK_VERB

// "kullback: MESSAGE" and a hint, on standard error.
void print_error(const std::string& message, const std::string& hint);

// Parses the command line and runs one verb. Never throws.
int main(int argc, char** argv);

}  // namespace kullback::cli
