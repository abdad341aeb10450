// A program of verbs: `kullback fit ...`. Parses the command line, prints help and version, runs one verb,
// and says what is wrong with what was typed.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/command.hpp"

namespace kullback::shell {

using Words = std::vector<std::string>;

// Returns the exit code; throws Error.
using Run = std::function<int()>;

struct Verb {
  std::string_view name;
  std::string_view summary;
  // Adds the verb's options, some of which may depend on the words after its name, and returns what to run
  // after parsing.
  std::function<Run(const Command& verb, const Words& words)> add;
};

// An option by a name that it had, or has in another program.
struct ForeignOption {
  std::string_view name;
  std::string_view ours;  // the hint is for verbs that have this option; empty: for all
  std::string_view hint;
};

struct Program {
  std::string_view name;
  std::string_view starter;  // what verbs are started by: "kullback", of kullback-deep, too
  std::string_view summary;
  std::string version;
  std::vector<Verb> verbs;
  std::span<const ForeignOption> foreign_options = {};
};

// Runs the verb that the words begin with; the exit code. Throws Error usage: no such verb, an unknown option
// (with the nearest known), one without its value, given twice or with a wrong one, too many or too few
// arguments.
int run_program(const Program& program, const Words& words);

// "kullback: MESSAGE" and a hint, on standard error.
void print_error(const std::string& message, const std::string& hint);

}  // namespace kullback::shell
