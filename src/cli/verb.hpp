// A verb of the program: adds its options to the command line and returns what to run after parsing.
#pragma once

#include "shell/command.hpp"
#include "shell/program.hpp"

namespace kullback::cli {

using shell::AddedOption;
using shell::Command;
using shell::print_error;
using shell::Run;

#define KULLBACK_VERB(name, summary) Run add_##name(const Command& verb);
#define KULLBACK_COMMON_VERB(name, summary) Run add_##name(const Command& verb);
#include "shell/verbs.def"

// The program with all its verbs.
shell::Program program();

// Parses the command line and runs one verb. Never throws.
int main(int argc, char** argv);

}  // namespace kullback::cli
