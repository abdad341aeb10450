#include "cli/method_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "fit/ladder.hpp"
#include "infer/option_text.hpp"
#include "lang/check/suggest.hpp"

namespace kullback::cli {

namespace {

bool reads(const infer::Method& method, std::string_view option) {
  return std::find(method.options.begin(), method.options.end(), option) != method.options.end();
}

std::string methods_reading(std::string_view option) {
  std::string names;
  for (const infer::Method* method : infer::methods()) {
    if (reads(*method, option)) names += (names.empty() ? "" : ", ") + std::string(method->name);
  }
  return names;
}

std::string why_not(const infer::Method& method, const std::string& option) {
  for (const infer::Refusal& refusal : method.refusals) {
    if (refusal.option == option) return std::string(refusal.why);
  }
  return fmt::format("It is an option of {}{}", methods_reading(option),
                     &method == &fit::auto_method() ? "; name one with --method." : ".");
}

}  // namespace

void add_method_options(CLI::App& verb, GivenOptions& given, std::string_view only) {
  const infer::Options defaults;
  for (const infer::OptionInfo& info : infer::option_infos()) {
    const std::string name(info.name);
    if (!only.empty() && !reads(method_named(std::string(only)), name)) continue;
    verb.add_option_function<std::string>(
            infer::flag_of(name), [&given, name](const std::string& text) { given[name] = text; },
            only.empty() ? fmt::format("{} ({})", info.help, methods_reading(name)) : std::string(info.help))
        ->type_name(std::string(info.type))
        ->default_str(infer::option_text(defaults, name))
        ->group("Options of methods");
  }
}

const infer::Method& method_named(const std::string& name) {
  if (const infer::Method* method = infer::find_method(name)) return *method;
  if (name == fit::auto_method().name) return fit::auto_method();
  std::vector<std::string_view> names;
  names.push_back(fit::auto_method().name);
  for (const infer::Method* method : infer::methods()) names.push_back(method->name);
  const std::string_view near = lang::nearest_name(name, names);
  throw Error(ErrorKind::usage, fmt::format("there is no method '{}'.", name),
              near.empty() ? "kullback methods lists them." : fmt::format("Did you mean '{}'?", near));
}

infer::Options options_of(const infer::Method& method, const GivenOptions& given) {
  infer::Options options;
  for (const auto& [name, text] : given) {
    if (!reads(method, name)) {
      throw Error(ErrorKind::usage, fmt::format("{} means nothing to {}.", infer::flag_of(name), method.name),
                  why_not(method, name));
    }
    infer::set_option(options, name, text);
  }
  return options;
}

}  // namespace kullback::cli
