#include "deep/cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace kullback::deep::cli {

namespace {

using shell::Command;
using shell::UnitedOption;

void add_positional(const Command& verb, const Positional& positional, Arguments& given) {
  if (!positional.takes_many) {
    verb.add_text(
            positional.name, [&given](const std::string& word) { given.positionals.push_back(word); },
            positional.help)
        .required();
    return;
  }
  verb.add_list(
          positional.name,
          [&given](const std::vector<std::string>& words) {
            given.positionals.insert(given.positionals.end(), words.begin(), words.end());
          },
          positional.help)
      .required();
}

void add_group(const Command& verb, const Usage& usage, const shell::OwnedTable& group, Arguments& given) {
  const std::vector<shell::OwnedTable> alone = {{.owner = {}, .options = group.options}};
  std::vector<UnitedOption> options = shell::united(alone);
  for (UnitedOption& option : options) {
    const auto choices = usage.choices.find(option.record);
    if (choices != usage.choices.end()) option.help += fmt::format(" ({})", choices->second);
  }
  shell::add_options(verb, options, std::string(group.owner), given.given);
  given.own.insert(given.own.end(), group.options.begin(), group.options.end());
}

}  // namespace

std::shared_ptr<const Arguments> add_usage(const Command& verb, const Usage& usage) {
  const auto given = std::make_shared<Arguments>();
  for (const Positional& positional : usage.positionals) add_positional(verb, positional, *given);
  for (const shell::OwnedTable& group : usage.groups) add_group(verb, usage, group, *given);
  given->all = given->own;
  for (const PartOptions& kind : usage.parts) {
    const std::vector<UnitedOption> options = shell::united(kind.parts, given->all);
    shell::add_options(verb, options, kind.title, given->given);
    for (const UnitedOption& option : options) given->all.push_back(option.record);
  }
  return given;
}

Given::Given(const Arguments& arguments) {
  GivenTexts own;
  for (const auto& [name, text] : arguments.given)
    (find_option(arguments.own, name) != nullptr ? own : rest_).emplace(name, text);
  own_ = read_options(arguments.own, own, "this verb");
}

void Given::check() const {
  for (const auto& [name, text] : rest_) {
    if (taken_.count(name) != 0) continue;
    const auto its_kind = std::find_if(kinds_.begin(), kinds_.end(),
                                       [&](const Kind& kind) { return kind.options.count(name) != 0; });
    const std::string owner = its_kind != kinds_.end() ? its_kind->owner
                              : kinds_.empty()         ? "this verb"
                                                       : kinds_.back().owner;
    throw Error(ErrorKind::usage, fmt::format("{} is not an option of {}.", flag_of(name), owner),
                "Leave it out, or choose another.");
  }
}

}  // namespace kullback::deep::cli
