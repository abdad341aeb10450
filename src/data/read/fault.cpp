#include "data/read/fault.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.hpp"
#include "base/utf8.hpp"

namespace kullback::data {

std::string text_of(const Where& where) {
  return where.is_row ? fmt::format("{}, row {}", where.file->string(), where.number)
                      : fmt::format("{}:{}", where.file->string(), where.number);
}

std::string shown(std::string_view found) {
  constexpr std::size_t kMost = 40;
  const bool is_cut = found.size() > kMost;
  std::size_t length = std::min(found.size(), kMost);
  // Not in the middle of a character.
  while (is_cut && length > 0 && (static_cast<unsigned char>(found[length]) & 0xC0U) == 0x80U) --length;
  std::string text;
  for (const char c : replace_invalid_utf8(found.substr(0, length))) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      constexpr char kHex[] = "0123456789abcdef";
      text += fmt::format("\\x{}{}", kHex[byte / 16], kHex[byte % 16]);
    } else {
      text += c;
    }
  }
  return fmt::format("'{}{}'", text, is_cut ? "..." : "");
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void refuse_file(const std::filesystem::path& file, const std::string& what, std::string hint) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}.", file.string(), what), std::move(hint));
}

void refuse_at(const Where& where, const std::string& what, std::string hint) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}.", text_of(where), what), std::move(hint));
}

std::string near_or_all(std::string_view name, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = nearest_name(name, views);
  if (!near.empty()) return fmt::format("Did you mean {}?", shown(near));
  constexpr std::size_t kMost = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i)
    list += fmt::format("{}{}", i == 0 ? "" : ", ", shown(names[i]));
  if (names.size() > kMost) list += fmt::format(", ... ({} in all)", names.size());
  return fmt::format("There {} {}.", names.size() == 1 ? "is" : "are", list);
}

}  // namespace kullback::data
