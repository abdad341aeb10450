#include "base/filled.hpp"

#include <charconv>
#include <cmath>

namespace kullback {

namespace {

template <class... Style>
std::string written(double number, Style... style) {
  char text[512];  // 309 digits before the point and what follows
  const auto [end, error] = std::to_chars(text, text + sizeof text, number, style...);
  return {text, error == std::errc{} ? end : text};
}

}  // namespace

std::string number_text(double number) {
  const double size = std::fabs(number);
  const bool is_fixed = size == 0 || (size >= 1e-4 && size < 1e16);
  return written(number, is_fixed ? std::chars_format::fixed : std::chars_format::scientific);
}

std::string number_with_digits(double number, int digits) {
  return written(number, std::chars_format::general, digits);
}

std::string number_with_decimals(double number, int decimals) {
  return written(number, std::chars_format::fixed, decimals);
}

std::string number_with_exponent(double number, int decimals) {
  return written(number, std::chars_format::scientific, decimals);
}

std::string fill_gaps(std::string_view pattern, const std::string_view* pieces) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool is_brace = pattern[i] == '{' || pattern[i] == '}';
    if (is_brace && pattern[++i] == '}' && pattern[i - 1] == '{') {
      text += *pieces++;
    } else {
      text += pattern[i];
    }
  }
  return text;
}

}  // namespace kullback
