#include "base/json.hpp"

#include "base/utf8.hpp"

namespace kullback {

namespace {

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20) {
    out += c;
    return;
  }
  constexpr char kHex[] = "0123456789abcdef";
  out += "\\u00";
  out += kHex[byte / 16];
  out += kHex[byte % 16];
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : replace_invalid_utf8(text)) append_escaped(out, c);
  return out + "\"";
}

}  // namespace kullback
