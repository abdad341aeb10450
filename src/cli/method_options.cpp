#include "cli/method_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "infer/option_text.hpp"

namespace kullback::cli {

namespace {

void add_value(CLI::App& verb, const fit::FitOption& option, GivenOptions& given) {
  const std::string name(option.name);
  CLI::Option* added = verb.add_option_function<std::string>(
      infer::flag_of(name), [&given, name](const std::string& text) { given[name] = text; },
      std::string(option.help));
  added->take_last();  // advice is pasted after the command that was run
  added->type_name(std::string(option.type));
  if (!option.fallback.empty()) added->default_str(std::string(option.fallback));
}

void add_list(CLI::App& verb, const fit::FitOption& option, GivenOptions& given) {
  const std::string name(option.name);
  verb.add_option_function<std::vector<std::string>>(
          infer::flag_of(name),
          [&given, name](const std::vector<std::string>& items) {
            given[name] = fmt::format("{}\n", fmt::join(items, "\n"));
          },
          std::string(option.help))
      ->type_name(std::string(option.type))
      ->allow_extra_args(false);
}

void add_flag(CLI::App& verb, const fit::FitOption& option, GivenOptions& given) {
  const std::string name(option.name);
  verb.add_flag_callback(
      infer::flag_of(name), [&given, name] { given[name] = "1"; }, std::string(option.help));
}

}  // namespace

void add_method_options(CLI::App& verb, GivenOptions& given, std::string_view only) {
  const infer::Options defaults;
  for (const infer::OptionInfo& info : infer::option_infos()) {
    const std::string name(info.name);
    if (!only.empty() && !fit::reads(method_named(std::string(only)), name)) continue;
    verb.add_option_function<std::string>(
            infer::flag_of(name), [&given, name](const std::string& text) { given[name] = text; },
            only.empty() ? fmt::format("{} ({})", info.help, fit::methods_reading(name))
                         : std::string(info.help))
        ->take_last()
        ->type_name(std::string(info.type))
        ->default_str(infer::option_text(defaults, name))
        ->group("Options of methods");
  }
}

void add_fit_options(CLI::App& verb, GivenOptions& given) {
  for (const fit::FitOption& option : fit::fit_options()) {
    switch (option.kind) {
      case fit::OptionKind::value: add_value(verb, option, given); break;
      case fit::OptionKind::flag: add_flag(verb, option, given); break;
      case fit::OptionKind::list: add_list(verb, option, given); break;
    }
  }
}

}  // namespace kullback::cli
