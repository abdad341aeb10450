#include "base/render.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/json.hpp"
#include "base/utf8.hpp"

namespace kullback {

namespace {

constexpr std::uint32_t kContextLines = 2;  // before and after
constexpr std::size_t kMaxWidth = 110;      // characters of a source line that are shown

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::hint: return "hint";
  }
  return "error";
}

std::string location(const SourceMap& sources, FileId file, std::uint32_t offset) {
  const Position position = sources.position(file, offset);
  return std::string(sources.name(file)) + ":" + std::to_string(position.line) + ":" +
         std::to_string(position.column);
}

// What the terminal would obey instead of showing. A tab becomes one blank.
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// The characters [first, first + kMaxWidth) of a line, counted in code points.
std::string window(std::string_view line, std::size_t first, bool ascii) {
  if (ascii) {
    line = line.substr(std::min(first, line.size()), kMaxWidth);
    first = 0;
  }
  std::string shown;
  std::size_t column = 0;
  for (std::size_t i = 0; i < line.size() && column < first + kMaxWidth; ++column) {
    std::size_t length = 1;
    while (i + length < line.size() && (static_cast<unsigned char>(line[i + length]) & 0xC0U) == 0x80U)
      ++length;
    if (column >= first)
      shown += is_control(line[i]) ? (line[i] == '\t' ? " " : "?") : line.substr(i, length);
    i += length;
  }
  return replace_invalid_utf8(shown);
}

std::string gutter(std::uint32_t number, std::size_t width) {
  std::string text = number == 0 ? std::string() : std::to_string(number);
  text.insert(0, width - text.size(), ' ');
  return text + " | ";
}

// Five lines around the span, with carets under its first line.
std::string excerpt(const SourceMap& sources, Span span) {
  const Position begin = sources.position(span.file, span.begin);
  const Position end = sources.position(span.file, std::max(span.begin, span.end));
  const std::uint32_t first = begin.line > kContextLines ? begin.line - kContextLines : 1;
  const std::uint32_t last = std::min(begin.line + kContextLines, sources.line_count(span.file));
  const std::size_t width = std::max<std::size_t>(4, std::to_string(last).size() + 1);
  const std::size_t hidden = begin.column > kMaxWidth ? begin.column - kMaxWidth / 2 : 0;
  std::string text;
  for (std::uint32_t number = first; number <= last; ++number) {
    std::string line =
        gutter(number, width) + window(sources.line(span.file, number), hidden, sources.is_ascii(span.file));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
    if (number != begin.line) continue;
    const std::size_t from = begin.column - 1 - hidden;
    const std::size_t room =
        std::max(from + 1,
                 window(sources.line(span.file, number), hidden, sources.is_ascii(span.file)).size()) -
        from;
    const std::size_t length = end.line == begin.line ? end.column - begin.column : room;
    text += gutter(0, width) + std::string(from, ' ') +
            std::string(std::clamp<std::size_t>(length, 1, std::min(room, kMaxWidth - from)), '^') + "\n";
  }
  return text;
}

// Continuation lines of a message or hint are indented like its first.
std::string labelled(std::string_view label, std::string_view text) {
  std::string out = "  " + std::string(label) + ": ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out + "\n";
}

std::string include_trail(const SourceMap& sources, FileId file) {
  std::string trail;
  for (const Span* at = sources.included_at(file); at != nullptr; at = sources.included_at(at->file)) {
    trail += "  included from " + location(sources, at->file, at->begin) + "\n";
  }
  return trail;
}

}  // namespace

std::string render(const Diagnostic& d, const SourceMap& sources) {
  std::string text = location(sources, d.span.file, d.span.begin) + ": " +
                     std::string(to_string(d.severity)) + ": " + d.message + " [" + d.code + "]\n";
  text += include_trail(sources, d.span.file);
  text += excerpt(sources, d.span);
  if (d.note)
    text +=
        "  note: " + location(sources, d.note->span.file, d.note->span.begin) + ": " + d.note->message + "\n";
  if (!d.hint.empty()) text += labelled("hint", d.hint);
  return text;
}

std::string render_json(const Diagnostic& d, const SourceMap& sources) {
  const auto place = [&](Span span) {
    const Position begin = sources.position(span.file, span.begin);
    const Position end = sources.position(span.file, span.end);
    return "\"file\": " + json_string(sources.name(span.file)) + ", \"line\": " + std::to_string(begin.line) +
           ", \"column\": " + std::to_string(begin.column) + ", \"end_line\": " + std::to_string(end.line) +
           ", \"end_column\": " + std::to_string(end.column);
  };
  std::string text = "{" + place(d.span) + ", \"severity\": \"" + std::string(to_string(d.severity)) +
                     "\", \"code\": " + json_string(d.code) + ", \"message\": " + json_string(d.message);
  if (!d.hint.empty()) text += ", \"hint\": " + json_string(d.hint);
  if (d.note)
    text += ", \"note\": {" + place(d.note->span) + ", \"message\": " + json_string(d.note->message) + "}";
  return text + "}";
}

std::string render(const Diagnostics& diagnostics, const SourceMap& sources) {
  std::map<std::string, int> old_forms;
  for (const Diagnostic& d : diagnostics) {
    if (d.code.starts_with("old-")) ++old_forms[d.code];
  }
  std::string text;
  for (Diagnostic d : diagnostics) {
    if (d.code.starts_with("old-")) {
      const int count = std::exchange(old_forms[d.code], 0);
      if (count == 0) continue;
      if (count > 1)
        d.hint += "\nand so in " + std::to_string(count - 1) + " more places; kullback modernize does it.";
    }
    text += render(d, sources);
  }
  return text;
}

}  // namespace kullback
