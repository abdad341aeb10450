#include "base/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "base/error.hpp"
#include "base/nearest_name.hpp"

namespace kullback {

namespace {

const Option* find_option(const std::vector<Option>& options, const std::string& name) {
  const auto at =
      std::find_if(options.begin(), options.end(), [&](const Option& option) { return option.name == name; });
  return at == options.end() ? nullptr : &*at;
}

std::string near_or_all_options(const std::string& name, const std::vector<Option>& options) {
  std::vector<std::string_view> names;
  for (const Option& option : options) names.push_back(option.name);
  const std::string_view near = nearest_name(name, names);
  if (!near.empty()) return "Did you mean --" + std::string(near) + "?";
  std::string list;
  for (const std::string_view known : names) list += (list.empty() ? "--" : ", --") + std::string(known);
  return list.empty() ? "It has none." : "It has " + list + ".";
}

// What the option is, and what it would be without.
std::string about(const Option& option) {
  std::string text = option.help;
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  if (!option.fallback.empty())
    text += (text.empty() ? "The default is " : "; the default is ") + option.fallback;
  return text.empty() ? text : text + ".";
}

template <class Number>
bool read_whole(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end;
}

}  // namespace

Settings::Settings(std::vector<Option> options, std::map<std::string, std::string> values)
    : options_(std::move(options)), values_(std::move(values)) {
  for (const auto& [name, value] : values_) {
    if (find_option(options_, name) == nullptr)
      throw Error(ErrorKind::usage, "this model has no option --" + name + ".",
                  near_or_all_options(name, options_));
  }
  for (const Option& option : options_) values_.emplace(option.name, option.fallback);
}

void Settings::refuse(const std::string& name, const std::string& needed, std::string hint) const {
  if (hint.empty()) hint = about(*find_option(options_, name));
  throw Error(ErrorKind::usage, "--" + name + " is '" + text(name) + "'; it must be " + needed + ".",
              std::move(hint));
}

const std::string& Settings::text(const std::string& name) const {
  const auto at = values_.find(name);
  if (at == values_.end())
    throw Error(ErrorKind::internal, "a model reads an option --" + name + " it does not have.");
  return at->second;
}

double Settings::number(const std::string& name) const {
  double value = 0;
  if (!read_whole(text(name), value) || !std::isfinite(value)) refuse(name, "a number");
  return value;
}

double Settings::positive(const std::string& name) const {
  const double value = number(name);
  if (!(value > 0)) refuse(name, "a number above 0");
  return value;
}

double Settings::fraction(const std::string& name) const {
  const double value = number(name);
  if (!(value > 0 && value < 1)) refuse(name, "a number between 0 and 1");
  return value;
}

std::size_t Settings::count(const std::string& name, std::size_t low, std::size_t high) const {
  std::size_t value = 0;
  if (!read_whole(text(name), value) || value < low || value > high)
    refuse(name, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return value;
}

bool Settings::flag(const std::string& name) const { return choice(name, {"false", "true"}) == 1; }

std::size_t Settings::choice(const std::string& name, std::initializer_list<std::string_view> words) const {
  const std::string& given = text(name);
  const auto at = std::find(words.begin(), words.end(), given);
  if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
  std::string needed;
  for (const std::string_view word : words) needed += (needed.empty() ? "one of " : ", ") + std::string(word);
  const std::string_view near = nearest_name(given, std::span(words.begin(), words.size()));
  refuse(name, needed, near.empty() ? std::string() : "Did you mean " + std::string(near) + "?");
}

}  // namespace kullback
