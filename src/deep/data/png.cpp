#include "deep/data/png.hpp"

#include <zlib.h>

#include <new>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace kullback::deep {

namespace {

void put_big(std::string& into, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) into += static_cast<char>(number >> shift & 0xFF);
}

const Bytef* bytes_of(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

std::string compressed(std::string_view bytes) {
  uLongf size = ::compressBound(bytes.size());
  std::string result(size, '\0');
  const int status = ::compress2(reinterpret_cast<Bytef*>(result.data()), &size, bytes_of(bytes),
                                 bytes.size(), Z_DEFAULT_COMPRESSION);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status != Z_OK) throw Error(ErrorKind::internal, "zlib does not compress a picture.");
  result.resize(size);
  return result;
}

void put_chunk(std::string& into, std::string_view name, std::string_view content) {
  put_big(into, static_cast<std::uint32_t>(content.size()));
  const std::string checked = std::string(name) + std::string(content);
  into += checked;
  put_big(into, static_cast<std::uint32_t>(::crc32_z(0, bytes_of(checked), checked.size())));
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
    std::string made = compressed(filtered(picture, filter));
    if (content.empty() || made.size() < content.size()) content = std::move(made);
  }
  std::string result = "\x89PNG\r\n\x1a\n";
  put_chunk(result, "IHDR", head);
  put_chunk(result, "IDAT", content);
  put_chunk(result, "IEND", "");
  return result;
}

}  // namespace kullback::deep
