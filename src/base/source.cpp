#include "base/source.hpp"

#include <algorithm>

namespace kullback {

namespace {

// Offsets at which lines begin. A line ends with \n, \r\n or a lone \r.
std::vector<std::uint32_t> find_line_starts(std::string_view text) {
  std::vector<std::uint32_t> starts{0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool newline =
        text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'));
    if (newline) starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  return starts;
}

bool is_utf8_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

FileId SourceMap::add(std::string name, std::string text) {
  std::vector<std::uint32_t> starts = find_line_starts(text);
  const bool ascii =
      std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  files_.push_back({std::move(name), std::move(text), false, {}, std::move(starts), ascii});
  return static_cast<FileId>(files_.size() - 1);
}

FileId SourceMap::add_included(std::string name, std::string text, Span included_at) {
  const FileId file = add(std::move(name), std::move(text));
  files_[file].included = true;
  files_[file].included_at = included_at;
  return file;
}

const Span* SourceMap::included_at(FileId file) const {
  return files_[file].included ? &files_[file].included_at : nullptr;
}

Position SourceMap::position(FileId file, std::uint32_t offset) const {
  const std::vector<std::uint32_t>& starts = files_[file].line_starts;
  const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - starts.begin());
  const std::uint32_t start = starts[line - 1];
  if (files_[file].ascii) return {line, offset - start + 1};
  const std::string_view before = text(file).substr(start, offset - start);
  const auto continuations = std::count_if(before.begin(), before.end(), is_utf8_continuation);
  return {line, static_cast<std::uint32_t>(before.size()) - static_cast<std::uint32_t>(continuations) + 1};
}

std::uint32_t SourceMap::line_count(FileId file) const {
  return static_cast<std::uint32_t>(files_[file].line_starts.size());
}

std::string_view SourceMap::line(FileId file, std::uint32_t number) const {
  const File& f = files_[file];
  const std::uint32_t begin = f.line_starts[number - 1];
  const std::size_t end = number < f.line_starts.size() ? f.line_starts[number] : f.text.size();
  std::string_view line = std::string_view(f.text).substr(begin, end - begin);
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

}  // namespace kullback
