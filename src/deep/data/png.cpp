#include "deep/data/png.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace kullback::deep {

namespace {

void put_big(std::string& into, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) into += static_cast<char>(number >> shift & 0xFF);
}

void put_little_16(std::string& into, std::size_t number) {
  into += static_cast<char>(number & 0xFF);
  into += static_cast<char>(number >> 8 & 0xFF);
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

std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<std::uint8_t>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

std::string zlib_stored(std::string_view bytes) {
  constexpr std::size_t kBlock = 65535;
  std::string result = "\x78\x01";
  for (std::size_t first = 0; first < bytes.size(); first += kBlock) {
    const std::size_t size = std::min(kBlock, bytes.size() - first);
    result += static_cast<char>(first + size == bytes.size() ? 1 : 0);  // the last block; stored
    put_little_16(result, size);
    put_little_16(result, ~size);
    result.append(bytes.substr(first, size));
  }
  put_big(result, adler32(bytes));
  return result;
}

void put_chunk(std::string& into, std::string_view name, std::string_view content) {
  put_big(into, static_cast<std::uint32_t>(content.size()));
  const std::string checked = std::string(name) + std::string(content);
  into += checked;
  put_big(into, crc32(checked));
}

}  // namespace

std::string png_bytes(const Picture& picture) {
  std::string head;
  put_big(head, static_cast<std::uint32_t>(picture.width));
  put_big(head, static_cast<std::uint32_t>(picture.height));
  head += '\x08';                                   // bits of a level
  head += picture.channels == 3 ? '\x02' : '\x00';  // colours or grey
  head += std::string(3, '\0');                     // deflate, no filter method, not interlaced
  std::string rows;
  const auto line = static_cast<std::size_t>(picture.width * picture.channels);
  for (std::int64_t y = 0; y < picture.height; ++y) {
    rows += '\0';  // this line is not filtered
    rows.append(reinterpret_cast<const char*>(picture.levels.data()) + static_cast<std::size_t>(y) * line,
                line);
  }
  std::string result = "\x89PNG\r\n\x1a\n";
  put_chunk(result, "IHDR", head);
  put_chunk(result, "IDAT", zlib_stored(rows));
  put_chunk(result, "IEND", "");
  return result;
}

}  // namespace kullback::deep
