#include "conjugate/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace kullback::conjugate {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& given, const std::string& needed) {
  throw Error(ErrorKind::usage, "--" + name + " is '" + given + "'; it must be " + needed + ".");
}

}  // namespace

Settings::Settings(const std::vector<Option>& options, std::map<std::string, std::string> values)
    : values_(std::move(values)) {
  for (const auto& [name, value] : values_) {
    const bool exists = std::any_of(options.begin(), options.end(),
                                    [&](const Option& option) { return option.name == name; });
    if (!exists) throw Error(ErrorKind::usage, "this model has no option --" + name + ".");
  }
  for (const Option& option : options) values_.emplace(option.name, option.fallback);
}

const std::string& Settings::text(const std::string& name) const {
  const auto at = values_.find(name);
  if (at == values_.end())
    throw Error(ErrorKind::internal, "a model reads an option --" + name + " it does not have.");
  return at->second;
}

double Settings::number(const std::string& name) const {
  const std::string& given = text(name);
  double value = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (error != std::errc{} || end != given.data() + given.size() || !std::isfinite(value)) {
    refuse(name, given, "a number");
  }
  return value;
}

double Settings::positive(const std::string& name) const {
  const double value = number(name);
  if (!(value > 0)) refuse(name, text(name), "a number above 0");
  return value;
}

double Settings::fraction(const std::string& name) const {
  const double value = number(name);
  if (!(value > 0 && value < 1)) refuse(name, text(name), "a number between 0 and 1");
  return value;
}

std::size_t Settings::count(const std::string& name, std::size_t low, std::size_t high) const {
  const std::string& given = text(name);
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (error != std::errc{} || end != given.data() + given.size() || value < low || value > high) {
    refuse(name, given, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return value;
}

bool Settings::flag(const std::string& name) const { return choice(name, {"false", "true"}) == 1; }

std::size_t Settings::choice(const std::string& name, std::initializer_list<std::string_view> words) const {
  const std::string& given = text(name);
  const auto at = std::find(words.begin(), words.end(), given);
  if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
  std::string needed = "one of";
  for (const std::string_view word : words) needed += (needed.size() > 6 ? ", " : " ") + std::string(word);
  refuse(name, given, needed);
}

}  // namespace kullback::conjugate
