#include "run/text.hpp"

#include <algorithm>

namespace kullback::run {

std::string printable(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

void append_wrapped(std::string& text, std::string_view first_indent, std::string_view words,
                    std::size_t width) {
  const std::string indent(first_indent.size(), ' ');
  std::string line(first_indent);
  bool is_empty = true;
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    const std::string_view word = words.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    if (!is_empty && line.size() + 1 + word.size() > width) {
      text += line + "\n";
      line = indent;
      is_empty = true;
    }
    if (!is_empty) line += ' ';
    line += word;
    is_empty = false;
  }
  if (!is_empty) text += line + "\n";
}

std::string findings_text(const Findings& findings, std::size_t width) {
  std::string text;
  for (const Finding& finding : findings) {
    append_wrapped(text, "! ", printable(finding.message), width);
    append_wrapped(text, "  ", printable(finding.evidence), width);
    append_wrapped(text, "  -> ", printable(finding.advice), width);
  }
  return text;
}

}  // namespace kullback::run
