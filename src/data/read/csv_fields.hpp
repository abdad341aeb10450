// Fields of a line of CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kullback::data {

// Comma, semicolon or tab: what the header has most of outside quotes.
char separator_of(std::string_view header);

// The field that begins at the front of `rest`, which then begins behind its separator; `last` says that
// there was none. Quotes around it are taken off (`scratch` holds the text where it has doubled ones).
struct Field {
  std::string_view text;
  bool is_last = false;
};
Field next_field(std::string_view& rest, char separator, std::string& scratch);

std::vector<std::string> split_fields(std::string_view line, char separator);

}  // namespace kullback::data
