#include "cli/method_options.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace kullback::cli {

namespace {

void add_value(const Command& verb, const fit::FitOption& option, GivenOptions& given) {
  const std::string name(option.name);
  const AddedOption added = verb.add_text(
      flag_of(name), [&given, name](const std::string& text) { given[name] = text; },
      std::string(option.help));
  added.last_one_counts();  // advice is pasted after the command that was run
  added.type_name(std::string(option.type));
  if (!option.fallback.empty()) added.default_text(std::string(option.fallback));
}

void add_list(const Command& verb, const fit::FitOption& option, GivenOptions& given) {
  const std::string name(option.name);
  verb.add_list(
          flag_of(name),
          [&given, name](const std::vector<std::string>& items) {
            given[name] = fmt::format("{}\n", fmt::join(items, "\n"));
          },
          std::string(option.help))
      .type_name(std::string(option.type))
      .one_value_each();
}

void add_flag(const Command& verb, const fit::FitOption& option, GivenOptions& given) {
  const std::string name(option.name);
  verb.add_switch(
      flag_of(name), [&given, name] { given[name] = "1"; }, std::string(option.help));
}

}  // namespace

void add_method_options(const Command& verb, GivenOptions& given, std::string_view only) {
  const OptionTable options = only.empty() ? infer::all_options() : method_named(std::string(only)).options;
  for (const OptionRecord* option : options) {
    const std::string name(option->name);
    verb.add_text(
            flag_of(name), [&given, name](const std::string& text) { given[name] = text; },
            only.empty() ? fmt::format("{} ({})", option->help, fit::methods_reading(name))
                         : std::string(option->help))
        .last_one_counts()
        .type_name(std::string(type_text(*option)))
        .default_text(default_text(*option))
        .group("Options of methods");
  }
}

void add_fit_options(const Command& verb, GivenOptions& given) {
  for (const fit::FitOption& option : fit::fit_options()) {
    switch (option.kind) {
      case fit::OptionKind::value: add_value(verb, option, given); break;
      case fit::OptionKind::flag: add_flag(verb, option, given); break;
      case fit::OptionKind::list: add_list(verb, option, given); break;
    }
  }
}

}  // namespace kullback::cli
