#include "data/read/number.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace kullback::data {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

bool read_number(std::string_view text, double& value) {
  text = trimmed(text);
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  if (text.empty()) return false;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return false;
  // Beyond the range of doubles: infinite or zero.
  if (status == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
  return status != std::errc::invalid_argument && !std::isnan(value);
}

bool is_missing_word(std::string_view text) {
  if (text.empty()) return true;
  if (text.size() > 4) return false;
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const std::string_view word : {"na", "n/a", "nan", "-nan", "null", "none"}) {
    if (lower == word) return true;
  }
  return false;
}

}  // namespace kullback::data
