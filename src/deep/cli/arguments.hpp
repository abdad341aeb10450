// What a verb may be given, as records, and what it was given.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "shell/command.hpp"

namespace kullback::deep::cli {

struct OptionGroup {
  std::string title = {};  // "Training"
  // One whose default is "false" or "true" is a flag: --name alone is true.
  std::vector<Option> options = {};
};

struct Positional {
  std::string name = {};  // "DIR"
  std::string help = {};
  bool takes_many = false;  // only the last one
};

struct Usage {
  std::vector<Positional> positionals = {};  // all of them are needed
  std::vector<OptionGroup> groups = {};
  std::vector<std::string> lists = {};  // options that may be given several times
};

struct Arguments {
  std::vector<std::string> positionals = {};
  std::map<std::string, std::string> values = {};              // those that were given
  std::map<std::string, std::vector<std::string>> lists = {};  // of options that may be given several times
};

// Adds all of it to the verb; parsing fills what is returned.
std::shared_ptr<const Arguments> add_usage(const shell::Command& verb, const Usage& usage);

std::vector<Option> all_options(const Usage& usage);

}  // namespace kullback::deep::cli
