#include "base/option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "base/option_values.hpp"

namespace kullback {

namespace {

constexpr std::string_view kAuto = "auto";

std::vector<std::string_view> choices_of(const OptionRecord& option) {
  std::vector<std::string_view> result;
  std::string_view rest = option.choices;
  while (true) {
    const std::size_t end = rest.find('|');
    result.push_back(rest.substr(0, end));
    if (end == std::string_view::npos) return result;
    rest.remove_prefix(end + 1);
  }
}

// "unit, diagonal or dense"
std::string in_words(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

// What a value must be where it is of the right type: "above 0 and at most 1".
std::string range_text(const OptionRecord& option) {
  const std::string start = option.is_automatic ? "auto or " : "";
  const bool has_low = std::isfinite(option.low), has_high = std::isfinite(option.high);
  if (has_low && has_high && option.is_low_open == option.is_high_open)
    return fmt::format(fmt::runtime(option.is_low_open ? "{}between {} and {}" : "{}from {} to {}"), start,
                       option.low, option.high);
  std::string text;
  if (has_low)
    text = fmt::format(fmt::runtime(option.is_low_open ? "above {}"
                                    : has_high         ? "at least {}"
                                                       : "{} or more"),
                       option.low);
  if (has_high)
    text += fmt::format(fmt::runtime(option.is_high_open ? "{}below {}" : "{}at most {}"),
                        has_low ? " and " : "", option.high);
  return start + text;
}

std::string type_words(const OptionRecord& option) {
  std::string words;
  switch (option.type) {
    case OptionType::count: words = "a whole number from 0"; break;
    case OptionType::size: words = "a size such as 500MB or 4GB"; break;
    case OptionType::number: words = "a finite number"; break;
    case OptionType::flag:
    case OptionType::choice: return in_words(choices_of(option));
    case OptionType::text: return "a text";
    case OptionType::list: return "texts, one a line";
  }
  return option.is_automatic ? "auto or " + words : words;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::optional<OptionValue> parse(const OptionRecord& option, const std::string& text) {
  switch (option.type) {
    case OptionType::count:
      if (option.is_automatic && text == kAuto) return OptionValue(std::size_t{0});
      if (const auto count = read_count(text)) return OptionValue(static_cast<std::size_t>(*count));
      return std::nullopt;
    case OptionType::number:
      if (option.is_automatic && text == kAuto) return OptionValue(0.0);
      if (const auto number = read_number(text); number && std::isfinite(*number))
        return OptionValue(*number);
      return std::nullopt;
    case OptionType::size:
      if (text == "0") return OptionValue(std::size_t{0});
      if (const auto bytes = read_memory_size(text)) return OptionValue(static_cast<std::size_t>(*bytes));
      return std::nullopt;
    case OptionType::flag:
      if (text == "0" || text == "1") return OptionValue(text == "1");
      if (text == "false" || text == "true") return OptionValue(text == "true");
      return std::nullopt;
    case OptionType::choice: {
      const std::vector<std::string_view> choices = choices_of(option);
      const auto at = std::find(choices.begin(), choices.end(), text);
      if (at == choices.end()) return std::nullopt;
      return OptionValue(static_cast<std::size_t>(at - choices.begin()));
    }
    case OptionType::text: return OptionValue(option.is_automatic && text == kAuto ? std::string() : text);
    case OptionType::list: return OptionValue(lines_of(text));
  }
  return std::nullopt;
}

bool is_inside(const OptionRecord& option, double value) {
  if (option.is_automatic && value == 0) return true;
  if (option.is_low_open ? !(value > option.low) : !(value >= option.low)) return false;
  return option.is_high_open ? value < option.high : value <= option.high;
}

std::string hint_of(const OptionRecord& option) {
  if (!option.hint.empty()) return std::string(option.hint);
  if (option.is_optional) return "Leave it out where it is not needed.";
  return option.is_automatic ? "Leave it out: it is then chosen automatically."
                             : fmt::format("{} is the default.", default_text(option));
}

}  // namespace

const OptionRecord* find_option(OptionTable table, std::string_view name) {
  for (const OptionRecord* option : table) {
    if (option->name == name) return option;
  }
  return nullptr;
}

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string_view type_text(const OptionRecord& option) {
  if (!option.placeholder.empty()) return option.placeholder;
  switch (option.type) {
    case OptionType::count: return "COUNT";
    case OptionType::size: return "SIZE";
    case OptionType::number: return "NUMBER";
    case OptionType::flag:
    case OptionType::choice: return option.choices;
    case OptionType::text:
    case OptionType::list: return "NAME";
  }
  return {};
}

std::string value_text(const OptionRecord& option, const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return option.is_automatic && text->empty() ? std::string(kAuto) : *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  if (const auto* list = std::get_if<std::vector<std::string>>(&value))
    return fmt::format("{}", fmt::join(*list, "\n"));
  if (option.type == OptionType::choice)
    return std::string(choices_of(option).at(std::get<std::size_t>(value)));
  if (option.is_automatic && (value == OptionValue(std::size_t{0}) || value == OptionValue(0.0)))
    return std::string(kAuto);
  if (const auto* count = std::get_if<std::size_t>(&value)) return fmt::format("{}", *count);
  return fmt::format("{}", std::get<double>(value));
}

OptionValue default_value(const OptionRecord& option) {
  switch (option.type) {
    case OptionType::number: return option.fallback;
    case OptionType::flag: return option.fallback != 0;
    case OptionType::text: return std::string(option.fallback_text);
    case OptionType::list: return std::vector<std::string>();
    case OptionType::size:
    case OptionType::count:
    case OptionType::choice: return static_cast<std::size_t>(option.fallback);
  }
  return {};
}

std::string default_text(const OptionRecord& option) {
  return option.is_optional ? std::string() : value_text(option, default_value(option));
}

OptionValue read_option(const OptionRecord& option, const std::string& text) {
  const std::optional<OptionValue> value = parse(option, text);
  if (!value) {
    std::string_view near;
    if (option.type == OptionType::choice) near = nearest_name(text, choices_of(option));
    throw Error(ErrorKind::usage,
                fmt::format("{}: found '{}', but a value must be {}.", flag_of(option.name), text,
                            type_words(option)),
                near.empty() ? std::string() : fmt::format("Did you mean '{}'?", near));
  }
  check_option(option, *value);
  return *value;
}

void check_option(const OptionRecord& option, const OptionValue& value) {
  double number = 0;
  if (const auto* count = std::get_if<std::size_t>(&value)) {
    if (option.type == OptionType::choice) return;
    number = static_cast<double>(*count);
  } else if (const auto* real = std::get_if<double>(&value)) {
    number = *real;
  } else {
    return;
  }
  if (!std::isfinite(number))
    throw Error(ErrorKind::usage,
                fmt::format("{} is {}; it must be {}.", flag_of(option.name), number, type_words(option)),
                hint_of(option));
  if (is_inside(option, number)) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} is {}; it must be {}.", flag_of(option.name), number, range_text(option)),
              hint_of(option));
}

void OptionValues::put(const OptionRecord& option, OptionValue value) {
  check_option(option, value);
  const auto at =
      std::find_if(given_.begin(), given_.end(), [&](const auto& item) { return item.first == &option; });
  if (at != given_.end()) {
    at->second = std::move(value);
  } else {
    given_.emplace_back(&option, std::move(value));
  }
}

namespace {

std::string near_or_all_options(OptionTable table, const std::string& name) {
  std::vector<std::string_view> names;
  for (const OptionRecord* option : table) names.push_back(option->name);
  if (const std::string_view near = nearest_name(name, names); !near.empty())
    return fmt::format("Did you mean {}?", flag_of(near));
  if (names.empty()) return "It has none.";
  std::string list;
  for (const std::string_view known : names) list += (list.empty() ? "" : ", ") + flag_of(known);
  return fmt::format("It has {}.", list);
}

}  // namespace

OptionValues read_options(OptionTable table, const GivenTexts& given, std::string_view owner) {
  OptionValues values;
  for (const auto& [name, text] : given) {
    const OptionRecord* option = find_option(table, name);
    if (option == nullptr)
      throw Error(ErrorKind::usage, fmt::format("{} is not an option of {}.", flag_of(name), owner),
                  near_or_all_options(table, name));
    values.put(*option, read_option(*option, text));
  }
  return values;
}

OptionValue OptionValues::value_of(const OptionRecord& option) const {
  const OptionValue* given = find(option);
  return given != nullptr ? *given : default_value(option);
}

}  // namespace kullback
