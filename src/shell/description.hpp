// What the verbs of a program may be given, as plain records. Completion scripts and the signatures of other
// languages are printed from them, and so is the help of a verb whose options depend on the words after it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/program.hpp"

namespace kullback::shell {

// An option or an argument.
struct DescribedOption {
  std::string name;      // "--draws", "data"
  std::string group;     // "Training"
  std::string type;      // "COUNT", "unit|dense"; of a flag empty
  std::string fallback;  // as text; empty: none
  std::string help;
  bool is_flag = false;
  bool takes_many = false;
  bool is_required = false;
};

struct DescribedVerb {
  std::string name;
  std::string summary;
  bool is_own = false;  // else another program has it, and of its options --help alone is known
  std::vector<DescribedOption> arguments = {};
  std::vector<DescribedOption> options = {};
};

std::vector<DescribedVerb> describe(const Program& program);

// The program's own verbs as JSON: what `kullback --signatures` prints, and tools/print_python.py reads.
std::string signatures(const Program& program);

bool asks_for_help(const Words& words);

// What a verb does where the words after it say so: for folders of one kind, with one value of an option.
struct Part {
  std::string_view owner;  // "vae"
  std::function<void(const Command& verb)> add;
};

// Adds the arguments and options of all parts that the verb has not yet, each once, to be shown: nothing
// happens when they are parsed.
// Help names the parts that have an option where not all do, and the defaults where they differ.
void add_help_of_parts(const Command& verb, std::span<const Part> parts);

}  // namespace kullback::shell
