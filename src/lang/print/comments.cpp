#include "lang/print/comments.hpp"

#include <algorithm>

namespace kullback::lang::layout {

namespace {

constexpr int kTab = 4;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }

int column_of(std::string_view source, std::uint32_t offset) {
  std::uint32_t begin = offset;
  while (begin > 0 && !is_line_end(source[begin - 1])) --begin;
  int column = 0;
  bool indents = true;  // as in reindent_comment, only a tab of the indentation is wider than a blank
  for (std::uint32_t i = begin; i < offset; ++i) {
    indents = indents && is_blank(source[i]);
    if (indents && source[i] == '\t') {
      column += kTab;
    } else if ((static_cast<unsigned char>(source[i]) & 0xC0u) != 0x80u) {
      ++column;
    }
  }
  return column;
}

}  // namespace

Comments::Comments(const ast::Tree& tree, const SourceMap& sources)
    : file_(tree.file), source_(sources.text(tree.file)) {
  for (const ast::Comment& comment : tree.comments) {
    if (comment.span.file == file_) place(comment);
  }
  mark_line_ends();
}

void Comments::place(const ast::Comment& comment) {
  PlacedComment placed{.kind = comment.kind,
                       .begin = comment.span.begin,
                       .end = comment.span.end,
                       .text = comment.text,
                       .column = 0,
                       .starts_line = true,
                       .ends_line = true,
                       .is_first = true,
                       .is_last = true};
  const std::size_t last = placed.text.find_last_not_of(" \t\r\n\f\v");
  placed.text = placed.text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  placed.column = column_of(source_, placed.begin);
  std::uint32_t i = placed.begin;
  while (i > 0 && is_blank(source_[i - 1])) --i;
  const bool begins_line = i == 0 || is_line_end(source_[i - 1]);
  placed.is_first = begins_line || comments_.empty() || comments_.back().end < i;
  placed.starts_line = begins_line || (!placed.is_first && comments_.back().starts_line);
  comments_.push_back(placed);
}

// From the back, because what stands behind a comment may be another comment.
void Comments::mark_line_ends() {
  for (std::size_t k = comments_.size(); k-- > 0;) {
    PlacedComment& comment = comments_[k];
    std::uint32_t i = comment.end;
    while (i < source_.size() && is_blank(source_[i])) ++i;
    if (i >= source_.size() || is_line_end(source_[i]) || source_[i] == '}') continue;
    if (comment.kind == ast::Comment::Kind::line) continue;
    comment.is_last = k + 1 == comments_.size() || comments_[k + 1].begin != i;
    comment.ends_line = !comment.is_last && comments_[k + 1].ends_line;
  }
}

const PlacedComment* Comments::peek(std::uint32_t offset) const {
  return next_ < comments_.size() && comments_[next_].begin < offset ? &comments_[next_] : nullptr;
}

int Comments::line_ends(std::uint32_t from, std::uint32_t to) const {
  int count = 0;
  for (std::uint32_t i = from; i < to && i < source_.size(); ++i) {
    const bool paired = source_[i] == '\r' && i + 1 < source_.size() && source_[i + 1] == '\n';
    if (is_line_end(source_[i]) && !paired) ++count;
  }
  return count;
}

std::uint32_t Comments::next_token(std::uint32_t from) const {
  auto comment =
      std::lower_bound(comments_.begin(), comments_.end(), from,
                       [](const PlacedComment& c, std::uint32_t offset) { return c.begin < offset; });
  std::uint32_t i = from;
  while (i < source_.size()) {
    if (comment != comments_.end() && i == comment->begin) {
      i = std::max(i + 1, comment->end);
      ++comment;
    } else if (is_blank(source_[i]) || is_line_end(source_[i])) {
      ++i;
    } else {
      break;
    }
  }
  return i;
}

}  // namespace kullback::lang::layout
