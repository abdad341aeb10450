// A verb of kullback-deep: gets the words after it, on which its options may depend, adds these to the
// command line and returns what to run after parsing.
#pragma once

#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "deep/cli/arguments.hpp"
#include "shell/program.hpp"

namespace kullback::deep::cli {

using shell::Command;
using shell::print_error;
using shell::Run;

#define KULLBACK_DEEP_VERB(name, summary) \
  Run add_##name(const Command& verb, const std::vector<std::string>& words);
#define KULLBACK_COMMON_VERB(name, summary) KULLBACK_DEEP_VERB(name, summary)
#include "shell/verbs.def"

// Sets LibTorch's threads: --threads, or the cores of the machine shared by the processes on it.
void use_threads(const OptionValues& values, const Ranks& ranks);

// Runs `work` as one of the processes of mpirun: one that fails ends all.
int run_on_ranks(int (*work)(const Ranks& ranks, const Arguments& arguments), const Arguments& arguments);

// Runs one verb. Never throws.
int main(int argc, char** argv);

}  // namespace kullback::deep::cli
