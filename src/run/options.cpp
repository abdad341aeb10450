#include "run/options.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"

namespace kullback::run {

namespace {

// With a point where there is neither point nor exponent: a number that is read back is a number again, not a
// count.
std::string number_text(double number) {
  const std::string text = fmt::format("{}", number);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

bool is_automatic(const OptionRecord& option, const OptionValue& value) {
  return option.is_automatic && value_text(option, value) == "auto";
}

}  // namespace

RunOptions::RunOptions(const std::map<std::string, std::string>& texts) {
  for (const auto& [name, text] : texts) values_.emplace(name, text);
}

void RunOptions::set(std::string_view name, OptionValue value) {
  values_.insert_or_assign(std::string(name), std::move(value));
}

void RunOptions::set(const OptionRecord& option, const OptionValue& value) {
  const bool is_word = option.type == OptionType::choice || is_automatic(option, value);
  set(option.name, is_word ? OptionValue(value_text(option, value)) : value);
}

void RunOptions::set(OptionTable table, const OptionValues& values) {
  for (const OptionRecord* option : table) {
    if (!option->is_optional || values.is_given(*option)) set(*option, values.value_of(*option));
  }
}

void RunOptions::set_given(OptionTable table, const OptionValues& values) {
  for (const OptionRecord* option : table) {
    if (values.is_given(*option)) set(*option, values.value_of(*option));
  }
}

GivenTexts texts_of(OptionTable table, const OptionValues& values) {
  GivenTexts texts;
  for (const OptionRecord* option : table) {
    if (!option->is_optional || values.is_given(*option))
      texts.emplace(option->name, values.text_of(*option));
  }
  return texts;
}

const OptionValue* RunOptions::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

std::string RunOptions::text(std::string_view name) const {
  const OptionValue* value = find(name);
  return value == nullptr ? std::string() : text_of(*value);
}

bool RunOptions::flag(std::string_view name, bool fallback) const {
  const OptionValue* value = find(name);
  if (value == nullptr) return fallback;
  return *value == OptionValue(true) || *value == OptionValue("true") || *value == OptionValue("1");
}

std::string text_of(const OptionValue& recorded) {
  if (const auto* text = std::get_if<std::string>(&recorded)) return *text;
  if (const auto* flag = std::get_if<bool>(&recorded)) return *flag ? "true" : "false";
  if (const auto* count = std::get_if<std::size_t>(&recorded)) return fmt::format("{}", *count);
  if (const auto* number = std::get_if<double>(&recorded)) return fmt::format("{}", *number);
  return fmt::format("{}", fmt::join(std::get<std::vector<std::string>>(recorded), "\n"));
}

OptionValue read_recorded(const OptionRecord& option, const OptionValue& recorded) {
  const auto* text = std::get_if<std::string>(&recorded);
  const auto* count = std::get_if<std::size_t>(&recorded);
  if (text != nullptr) return read_option(option, *text);
  OptionValue value = recorded;
  if (option.type == OptionType::number && count != nullptr) value = static_cast<double>(*count);
  if (option.type == OptionType::choice || value.index() != default_value(option).index())
    return read_option(option, text_of(recorded));  // which says what is needed
  check_option(option, value);
  return value;
}

void read_recorded(OptionTable table, const RunOptions& recorded, OptionValues& values) {
  for (const auto& [name, value] : recorded) {
    const OptionRecord* option = find_option(table, name);
    if (option == nullptr) continue;
    try {
      values.put(*option, read_recorded(*option, value));
    } catch (const Error& error) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("run.json: its option '{}' is '{}': {}", name, text_of(value), error.message()),
                  "The file is damaged; fit again.");
    }
  }
}

std::string to_json(const OptionValue& recorded) {
  if (const auto* text = std::get_if<std::string>(&recorded)) return json_string(*text);
  if (const auto* number = std::get_if<double>(&recorded)) return number_text(*number);
  const auto* list = std::get_if<std::vector<std::string>>(&recorded);
  if (list == nullptr) return text_of(recorded);
  std::string text;
  for (const std::string& item : *list) text += (text.empty() ? "" : ", ") + json_string(item);
  return "[" + text + "]";
}

std::string to_json(const RunOptions& options) {
  std::string text;
  for (const auto& [name, value] : options)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", json_string(name), to_json(value));
  return "{" + text + "}";
}

}  // namespace kullback::run
