#include "base/text_kind.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace kullback {

namespace {

constexpr std::string_view kSpace = " \t\r\n";

struct Magic {
  std::string_view bytes;
  std::string_view name;
};

constexpr Magic kMagic[] = {
    {"\x93NUMPY", "a NumPy array"},    {"\x1f\x8b", "compressed (gzip)"}, {"PK\x03\x04", "an archive (zip)"},
    {"\177ELF", "a compiled library"}, {"\3757zXZ", "compressed (xz)"},   {"\211HDF", "an HDF5 file"},
    {"CDF\001", "a netCDF file"},      {"PAR1", "a Parquet file"},
};

bool is_binary(std::string_view text) {
  constexpr std::size_t kLooked = 4096;
  return text.substr(0, kLooked).find('\0') != std::string_view::npos;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

std::string_view after_space(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// Behind blanks and comments, those of R and of Stan.
std::string_view after_comments(std::string_view text) {
  for (;;) {
    text = after_space(text);
    std::size_t end = 0;
    if (text.starts_with("/*")) {
      end = text.find("*/");
      end = end == std::string_view::npos ? end : end + 2;
    } else if (text.starts_with("//") || (text.starts_with("#") && !text.starts_with("#include"))) {
      end = text.find('\n');
    } else {
      return text;
    }
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end);
  }
}

std::string_view take_word(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_word);
  const std::string_view word(text.begin(), end);
  text = after_space(text.substr(word.size()));
  return word;
}

// The first block of a program, or what it includes.
bool is_stan(std::string_view text) {
  if (text.starts_with("#include")) return true;
  const std::string_view first = take_word(text);
  if (first == "transformed") {
    const std::string_view second = take_word(text);
    return (second == "data" || second == "parameters") && text.starts_with('{');
  }
  if (first == "generated") return take_word(text) == "quantities" && text.starts_with('{');
  const bool is_block = first == "functions" || first == "data" || first == "parameters" || first == "model";
  return is_block && text.starts_with('{');
}

bool is_r_dump(std::string_view text) {
  std::string_view name = text;
  if (!text.empty() && (text[0] == '"' || text[0] == '`' || text[0] == '\'')) {
    const std::size_t end = text.find(text[0], 1);
    if (end == std::string_view::npos) return false;
    name = after_space(text.substr(end + 1));
  } else if (take_word(name).empty()) {
    return false;
  }
  return name.starts_with("<-");
}

std::string_view line_of(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// Two lines with the same separator, equally often, and nothing of a program in them.
bool is_table(std::string_view text) {
  const std::string_view head = line_of(text);
  const std::string_view row = line_of(text);
  if ((std::string(head) + std::string(row)).find_first_of("{}=<>()") != std::string::npos) return false;
  for (const char separator : {',', '\t', ';'}) {
    const auto count = std::count(head.begin(), head.end(), separator);
    if (count > 0 && std::count(row.begin(), row.end(), separator) == count) return true;
  }
  return false;
}

}  // namespace

TextKind text_kind(std::string_view text) {
  if (after_space(text).empty()) return TextKind::empty;
  const bool is_known = std::any_of(std::begin(kMagic), std::end(kMagic),
                                    [&](const Magic& magic) { return text.starts_with(magic.bytes); });
  if (is_known || is_binary(text)) return TextKind::binary;
  const std::string_view begin = after_comments(text);
  if (begin.starts_with('{') || begin.starts_with('[')) return TextKind::json;
  if (is_stan(begin)) return TextKind::stan;
  if (is_r_dump(begin)) return TextKind::r_dump;
  return is_table(begin) ? TextKind::table : TextKind::unknown;
}

std::string_view text_kind_name(std::string_view text) {
  for (const Magic& magic : kMagic) {
    if (text.starts_with(magic.bytes)) return magic.name;
  }
  switch (text_kind(text)) {
    case TextKind::empty: return "empty";
    case TextKind::binary: return "binary";
    case TextKind::json: return "JSON";
    case TextKind::table: return "a table (CSV)";
    case TextKind::r_dump: return "data (an R dump)";
    case TextKind::stan: return "a Stan program";
    case TextKind::unknown: break;
  }
  return {};
}

}  // namespace kullback
