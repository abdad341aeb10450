#include "deep/part.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/json.hpp"

namespace kullback::deep {

std::string owner_text(const OptionRecord& option, std::string_view name) {
  return fmt::format("{} {}", flag_of(option.name), name);
}

std::string underscored(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string json_options(OptionTable table, const OptionValues& values) {
  return json_words(run::texts_of(table, values));
}

OptionValues read_options(const JsonFields& json, const std::string& member, OptionTable table) {
  GivenTexts given;
  for (const auto& [name, text] : json.words(member)) {
    if (!text.empty())
      given.emplace(underscored(name), text);  // older versions: empty where it was not given
  }
  try {
    return read_options(table, given, "this part");
  } catch (const Error& error) {
    std::string what = error.message();
    if (what.ends_with('.')) what.pop_back();
    json.refuse(member, fmt::format("options that this version knows ({})", what));
  }
}

std::string json_part(const Part& part, OptionTable table) {
  return fmt::format("{{\"name\": {}, \"options\": {}}}", json_string(part.name),
                     json_options(table, part.options));
}

std::size_t read_choice_position(const JsonFields& json, const OptionRecord& option) {
  const std::string name(option.name);
  try {
    return std::get<std::size_t>(read_option(option, json.text(name)));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    json.refuse(name, fmt::format("one of {}", option.choices));
  }
}

}  // namespace kullback::deep
