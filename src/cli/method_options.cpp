#include "cli/method_options.hpp"

#include <string>
#include <vector>

#include "shell/options.hpp"

namespace kullback::cli {

void add_method_options(const Command& verb, GivenTexts& given, std::string_view only) {
  std::vector<shell::OwnedTable> parts;
  for (const infer::Method* method : infer::methods()) {
    if (only.empty() || method->name == only) parts.push_back({method->name, method->options});
  }
  shell::add_options(verb, shell::united(parts), "Options of methods", given);
}

}  // namespace kullback::cli
