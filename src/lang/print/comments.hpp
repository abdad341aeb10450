// The comments and #include directives of the main file, handed out once each and in order, while a
// printer moves through the tree.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/source.hpp"
#include "lang/ast.hpp"

namespace kullback::lang::layout {

struct PlacedComment {
  ast::Comment::Kind kind;
  std::uint32_t begin;
  std::uint32_t end;
  std::string_view text;
  int column;        // where it stands in its line, from 0
  bool starts_line;  // nothing but other comments before it
  bool ends_line;    // nothing but other comments, or a closing brace, behind it
  bool is_first;     // no other comment directly before it on its line
  bool is_last;      // none directly behind it

  bool owns_line() const { return (starts_line && ends_line) || kind == ast::Comment::Kind::include; }
};

class Comments final {
 public:
  Comments(const ast::Tree& tree, const SourceMap& sources);

  FileId file() const { return file_; }

  // The next comment not yet taken if it begins before `offset`, else null.
  const PlacedComment* peek(std::uint32_t offset) const;
  void take() { ++next_; }

  // How many lines end between two places of the source.
  int line_ends(std::uint32_t from, std::uint32_t to) const;
  // Where the first character at or after `from` that is neither blank nor in a comment stands.
  std::uint32_t next_token(std::uint32_t from) const;

 private:
  void place(const ast::Comment& comment);
  void mark_line_ends();

  FileId file_;
  std::string_view source_;
  std::vector<PlacedComment> comments_;
  std::size_t next_ = 0;
};

}  // namespace kullback::lang::layout
