// Source texts and positions in them. A Span is a half-open byte range of one file of a SourceMap;
// lines and columns are computed only when a message is printed.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace kullback {

using FileId = std::uint32_t;

struct Span {
  FileId file = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool operator==(const Span&) const = default;
};

// The smallest span that covers both; spans of different files keep the first.
inline Span join(Span first, Span last) {
  if (first.file != last.file) return first;
  return {first.file, first.begin < last.begin ? first.begin : last.begin,
          first.end > last.end ? first.end : last.end};
}

// 1-based; a column counts characters (UTF-8 code points), not bytes.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

class SourceMap final {
 public:
  // Returns the id of the new file. `included_at` is where an #include named it; main files have none.
  FileId add(std::string name, std::string text);
  FileId add_included(std::string name, std::string text, Span included_at);

  std::size_t size() const { return files_.size(); }
  std::string_view name(FileId file) const { return files_[file].name; }
  std::string_view text(FileId file) const { return files_[file].text; }
  std::string_view text(Span span) const { return text(span.file).substr(span.begin, span.end - span.begin); }
  bool is_ascii(FileId file) const { return files_[file].ascii; }
  // Where the file was included, or null for a main file.
  const Span* included_at(FileId file) const;

  Position position(FileId file, std::uint32_t offset) const;
  std::uint32_t line_count(FileId file) const;
  // Line `number` (1-based) without its line end.
  std::string_view line(FileId file, std::uint32_t number) const;

 private:
  struct File {
    std::string name;
    std::string text;
    bool included = false;
    Span included_at;
    std::vector<std::uint32_t> line_starts;
    bool ascii = false;  // then columns are bytes, and a line of 50 MB costs nothing
  };
  std::deque<File> files_;  // a deque: texts must not move, tokens view into them
};

}  // namespace kullback
