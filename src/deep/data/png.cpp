#include "deep/data/png.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "deep/data/deflate.hpp"

namespace kullback::deep {

namespace {

void put_big(std::string& into, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) into += static_cast<char>(number >> shift & 0xFF);
}

std::uint32_t crc32(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? 0xEDB88320U ^ value >> 1 : value >> 1;
      table[i] = value;
    }
    return table;
  }();
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<std::uint8_t>(c)) & 0xFF] ^ crc >> 8;
  return ~crc;
}

void put_chunk(std::string& into, std::string_view name, std::string_view content) {
  put_big(into, static_cast<std::uint32_t>(content.size()));
  const std::string checked = std::string(name) + std::string(content);
  into += checked;
  put_big(into, crc32(checked));
}

// A level less that of the pixel to its left or above: flat and smooth parts become small numbers.
enum class Filter : char { none = 0, left = 1, above = 2 };

std::string filtered(const Picture& picture, Filter filter) {
  const auto line = static_cast<std::size_t>(picture.width * picture.channels);
  const std::size_t back = filter == Filter::none   ? 0
                           : filter == Filter::left ? static_cast<std::size_t>(picture.channels)
                                                    : line;
  std::string rows;
  rows.reserve(picture.levels.size() + static_cast<std::size_t>(picture.height));
  for (std::size_t at = 0; at < picture.levels.size(); ++at) {
    const std::size_t column = at % line;
    if (column == 0) rows += static_cast<char>(filter);
    const bool has_other = back > 0 && (filter == Filter::left ? column >= back : at >= back);
    rows += static_cast<char>(picture.levels[at] - (has_other ? picture.levels[at - back] : 0));
  }
  return rows;
}

}  // namespace

std::string png_bytes(const Picture& picture) {
  std::string head;
  put_big(head, static_cast<std::uint32_t>(picture.width));
  put_big(head, static_cast<std::uint32_t>(picture.height));
  head += '\x08';                                   // bits of a level
  head += picture.channels == 3 ? '\x02' : '\x00';  // colours or grey
  head += std::string(3, '\0');                     // deflate, no filter method, not interlaced
  // The smallest of the ways to filter.
  std::string content;
  for (const Filter filter : {Filter::none, Filter::left, Filter::above}) {
    std::string made = zlib_bytes(filtered(picture, filter));
    if (content.empty() || made.size() < content.size()) content = std::move(made);
  }
  std::string result = "\x89PNG\r\n\x1a\n";
  put_chunk(result, "IHDR", head);
  put_chunk(result, "IDAT", content);
  put_chunk(result, "IEND", "");
  return result;
}

}  // namespace kullback::deep
