// The command line of kullback-deep: options as records, --name value or --name=value, flags, positional
// arguments; help from the same records.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.hpp"

namespace kullback::deep::cli {

struct OptionGroup {
  std::string title = {};  // "Training"
  // One whose default is "false" or "true" is a flag: --name alone is true.
  std::vector<Option> options = {};
};

struct Positional {
  std::string name = {};  // "DIR"
  std::string help = {};
  bool is_required = true;
  bool takes_many = false;  // only the last one
};

struct Grammar {
  std::string verb = {};
  std::string summary = {};
  std::vector<Positional> positionals = {};
  std::vector<OptionGroup> groups = {};
  std::vector<std::string> lists = {};  // options that may be given several times
};

struct Arguments {
  bool wants_help = false;
  std::vector<std::string> positionals = {};
  std::map<std::string, std::string> values = {};              // those that were given
  std::map<std::string, std::vector<std::string>> lists = {};  // of options that may be given several times
};

// Throws Error usage: an unknown option (with the nearest known), a missing value, one given twice, too many
// or too few positional arguments.
Arguments parse(const Grammar& grammar, const std::vector<std::string>& words);

// Usage, positional arguments and options by group, at most 100 characters a line.
std::string help_text(const Grammar& grammar);

std::vector<Option> all_options(const Grammar& grammar);

}  // namespace kullback::deep::cli
