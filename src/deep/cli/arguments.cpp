#include "deep/cli/arguments.hpp"

#include <algorithm>

namespace kullback::deep::cli {

namespace {

using shell::Command;

bool is_flag(const Option& option) { return option.fallback == "false" || option.fallback == "true"; }

std::string upper_first(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

void add_positional(const Command& verb, const Positional& positional, Arguments& given) {
  const std::string help = upper_first(positional.help);
  if (!positional.takes_many) {
    verb.add_text(
            positional.name, [&given](const std::string& word) { given.positionals.push_back(word); }, help)
        .required();
    return;
  }
  verb.add_list(
          positional.name,
          [&given](const std::vector<std::string>& words) {
            given.positionals.insert(given.positionals.end(), words.begin(), words.end());
          },
          help)
      .required();
}

void add_option(const Command& verb, const std::string& group, const Option& option, bool is_list,
                Arguments& given) {
  const std::string name = "--" + option.name, help = upper_first(option.help);
  const auto take = [&given, key = option.name](const std::string& word) { given.values[key] = word; };
  if (is_flag(option)) {
    verb.add_truth(name, take, help + (option.fallback == "true" ? " [true]" : "")).group(group);
  } else if (is_list) {
    verb.add_list(
            name,
            [&given, key = option.name](const std::vector<std::string>& words) { given.lists[key] = words; },
            help)
        .one_value_each()
        .group(group);
  } else {
    verb.add_text(name, take, help).default_text(option.fallback).group(group);
  }
}

}  // namespace

std::shared_ptr<const Arguments> add_usage(const Command& verb, const Usage& usage) {
  const auto given = std::make_shared<Arguments>();
  for (const Positional& positional : usage.positionals) add_positional(verb, positional, *given);
  for (const OptionGroup& group : usage.groups) {
    for (const Option& option : group.options) {
      const bool is_list =
          std::find(usage.lists.begin(), usage.lists.end(), option.name) != usage.lists.end();
      add_option(verb, group.title, option, is_list, *given);
    }
  }
  return given;
}

std::vector<Option> all_options(const Usage& usage) {
  std::vector<Option> all;
  for (const OptionGroup& group : usage.groups)
    all.insert(all.end(), group.options.begin(), group.options.end());
  return all;
}

}  // namespace kullback::deep::cli
