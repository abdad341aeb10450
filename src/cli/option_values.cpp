#include "cli/option_values.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace kullback::cli {

namespace {

// The whole text is one number.
template <class T>
bool reads(std::string_view text, T& number) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc() && end == text.data() + text.size();
}

constexpr std::array<std::pair<std::string_view, double>, 12> kUnits = {{
    {"b", 1},
    {"k", 1e3},
    {"kb", 1e3},
    {"kib", 0x1p10},
    {"m", 1e6},
    {"mb", 1e6},
    {"mib", 0x1p20},
    {"g", 1e9},
    {"gb", 1e9},
    {"gib", 0x1p30},
    {"t", 1e12},
    {"tb", 1e12},
}};

// NaN where it is none; a letter after the number belongs to the unit, but for the e of 1e6.
double bytes_of(std::string_view text) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc()) return std::nan("");
  std::string unit;
  for (const char* c = end; c != text.data() + text.size(); ++c) {
    if (*c != ' ') unit += static_cast<char>(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
  }
  if (unit.empty()) return number;
  for (const auto& [name, factor] : kUnits) {
    if (unit == name) return number * factor;
  }
  return std::nan("");
}

}  // namespace

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  const std::string needed = fmt::format("{} to {}", low, high);
  return CLI::Validator(
      [low, high, needed](const std::string& text) -> std::string {
        std::uint64_t number = 0;
        if (reads(text, number) && number >= low && number <= high) return {};
        return fmt::format("'{}' was given, but a whole number from {} is needed", text, needed);
      },
      needed);
}

CLI::Validator memory_size() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        const double bytes = bytes_of(text);
        if (!(bytes >= 1 && bytes < 0x1p63))
          return fmt::format("'{}' was given, but a size such as 500MB or 4GB is needed", text);
        text = std::to_string(static_cast<std::uint64_t>(bytes));
        return {};
      },
      "");
}

}  // namespace kullback::cli
