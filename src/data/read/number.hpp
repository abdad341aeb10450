// Decimal numbers as fast as a loop over their digits allows.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace kullback::data {

// Powers of ten that are exact in double precision.
inline constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Between these sizes (or 0) squares, and sums of as many squares as there can be, are numbers.
inline constexpr double kLargestValue = 1e100;
inline constexpr double kLeastValue = 1e-100;

// Reads a plain number (-12.5, 3, 1e-3) at the front of [begin, end), behind which stands a character that is
// no digit; returns where it ends, or null where it must be looked at more closely. A number below 2^53
// without its point, times or over a power of ten up to 22, is exact after one rounding (Clinger 1990).
inline const char* read_plain_number(const char* begin, const char* end, double& value) {
  const char* at = begin;
  const bool negative = *at == '-';
  if (negative) ++at;
  std::uint64_t digits = 0;
  const char* const first = at;
  while (static_cast<unsigned char>(*at - '0') < 10)
    digits = digits * 10 + static_cast<unsigned>(*at++ - '0');
  std::ptrdiff_t count = at - first;
  std::ptrdiff_t decimals = 0;
  if (*at == '.') {
    const char* const point = ++at;
    while (static_cast<unsigned char>(*at - '0') < 10)
      digits = digits * 10 + static_cast<unsigned>(*at++ - '0');
    decimals = at - point;
    count += decimals;
  }
  if (count > 0 && count <= 19 && digits <= (std::uint64_t{1} << 53U) && decimals <= 22 && *at != 'e' &&
      *at != 'E' && at <= end) {
    const double size = static_cast<double>(digits) / kPowersOfTen[decimals];
    value = negative ? -size : size;
    return at;
  }
  const auto [stop, status] = std::from_chars(begin, end, value);
  const bool is_word = static_cast<unsigned char>((*first | 0x20) - 'a') < 26;  // nan, inf
  return status == std::errc{} && !is_word ? stop : nullptr;
}

// All of the text, surrounded by blanks at most, a sign + allowed; infinities too ("1e999", "-inf"). False
// for anything else, NaN among it.
bool read_number(std::string_view text, double& value);

std::string_view trimmed(std::string_view text);

// "", NA, N/A, NaN, null, none, in capitals or not.
bool is_missing_word(std::string_view text);

}  // namespace kullback::data
