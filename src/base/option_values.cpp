#include "base/option_values.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace kullback {

namespace {

template <class T>
std::optional<T> read_all(std::string_view text) {
  T number{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
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

std::optional<std::uint64_t> read_count(std::string_view text) { return read_all<std::uint64_t>(text); }
std::optional<double> read_number(std::string_view text) { return read_all<double>(text); }

std::optional<std::uint64_t> read_memory_size(std::string_view text) {
  const double bytes = bytes_of(text);
  if (!(bytes >= 1 && bytes < 0x1p63)) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::string no_count_text(std::string_view text, std::uint64_t low, std::uint64_t high) {
  return fmt::format("'{}' was given, but a whole number from {} to {} is needed", text, low, high);
}

std::string no_memory_size_text(std::string_view text) {
  return fmt::format("'{}' was given, but a size such as 500MB or 4GB is needed", text);
}

}  // namespace kullback
