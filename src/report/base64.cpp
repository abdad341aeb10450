#include "report/base64.hpp"

#include <algorithm>
#include <cstddef>

namespace kullback::report {

std::string base64(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t given = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t b = 0; b < 3; ++b) word = word << 8 | (b < given ? bytes[i + b] : 0u);
    for (std::size_t d = 0; d < 4; ++d) text += d <= given ? kBase64Digits[word >> (18 - 6 * d) & 63] : '=';
  }
  return text;
}

}  // namespace kullback::report
