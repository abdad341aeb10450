#include "data/read/csv_fields.hpp"

#include <algorithm>

#include "data/read/number.hpp"

namespace kullback::data {

namespace {

// What stands between quotes, with "" for "; moves `rest` to the closing quote's other side.
std::string_view quoted_text(std::string_view& rest, std::string& scratch) {
  scratch.clear();
  rest.remove_prefix(1);
  bool is_plain = true;
  for (const std::string_view begin = rest;;) {
    const std::size_t quote = std::min(rest.find('"'), rest.size());
    const bool is_doubled = quote + 1 < rest.size() && rest[quote + 1] == '"';
    if (is_plain && !is_doubled) {
      rest.remove_prefix(std::min(quote + 1, rest.size()));
      return begin.substr(0, quote);
    }
    is_plain = false;
    scratch.append(rest.substr(0, quote));
    rest.remove_prefix(std::min(quote + (is_doubled ? 2 : 1), rest.size()));
    if (!is_doubled) return scratch;
    scratch += '"';
  }
}

}  // namespace

char separator_of(std::string_view header) {
  std::size_t commas = 0;
  std::size_t semicolons = 0;
  std::size_t tabs = 0;
  bool is_inside = false;
  for (const char c : header) {
    if (c == '"') is_inside = !is_inside;
    if (is_inside) continue;
    commas += c == ',' ? 1U : 0U;
    semicolons += c == ';' ? 1U : 0U;
    tabs += c == '\t' ? 1U : 0U;
  }
  if (tabs > commas && tabs > semicolons) return '\t';
  return semicolons > commas ? ';' : ',';
}

Field next_field(std::string_view& rest, char separator, std::string& scratch) {
  std::string_view text;
  const std::size_t begin = rest.find_first_not_of(separator == '\t' ? " " : " \t");
  if (begin != std::string_view::npos && rest[begin] == '"') {
    rest.remove_prefix(begin);
    text = quoted_text(rest, scratch);
    // What stands between the closing quote and the separator belongs to the text.
    const std::string_view behind = trimmed(rest.substr(0, rest.find(separator)));
    if (!behind.empty()) {
      scratch = std::string(text) + std::string(behind);
      text = scratch;
    }
    const std::size_t end = rest.find(separator);
    rest.remove_prefix(std::min(end, rest.size()));
  } else {
    const std::size_t end = std::min(rest.find(separator), rest.size());
    text = trimmed(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  const bool is_last = rest.empty();
  if (!is_last) rest.remove_prefix(1);
  return {text, is_last};
}

std::vector<std::string> split_fields(std::string_view line, char separator) {
  std::vector<std::string> fields;
  std::string scratch;
  for (;;) {
    const Field field = next_field(line, separator, scratch);
    fields.emplace_back(field.text);
    if (field.is_last) return fields;
  }
}

}  // namespace kullback::data
