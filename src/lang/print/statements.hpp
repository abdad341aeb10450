// Statements and blocks as lines of text, with the comments and blank lines between them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lang/ast.hpp"
#include "lang/print/comments.hpp"
#include "lang/print/doc.hpp"
#include "lang/print/expressions.hpp"

namespace kullback::lang::layout {

class StatementPrinter final {
 public:
  StatementPrinter(const ast::Tree& tree, const SourceMap& sources) : tree_(tree), comments_(tree, sources) {}

  std::string run();

 private:
  using Stmts = std::span<const ast::Stmt* const>;

  void print_block(const ast::ProgramBlock& block, std::string_view name);
  void print_statements(Stmts statements);
  void print(const ast::Stmt& stmt);
  void print_end(const ast::Stmt& stmt);
  void print_if(const ast::Stmt& first);
  void print_else(const ast::Stmt& yes, const ast::Stmt& no);
  void print_body(const ast::Stmt& body);
  void print_braced(Stmts statements, std::uint32_t open, std::uint32_t end);
  void print_profile(const ast::Profile& profile, const ast::Stmt& stmt);
  void print_function(const ast::Function& function);

  // Pieces of the statement being printed.
  void lay_out_simple(const ast::Stmt& stmt);
  void lay_out_assign(const ast::Assign& assign);
  void lay_out_tilde(const ast::Tilde& tilde);
  void lay_out_truncation(const ast::Truncation& truncation);
  void lay_out_call(std::string_view word, std::span<ast::Expr* const> items);
  void lay_out_value(std::string_view before, const ast::Expr& value);
  void lay_out_declare(const ast::Declare& declare);
  void lay_out_for(const ast::Name& variable);
  ExpressionPrinter pieces() { return ExpressionPrinter(doc_, &comments_); }
  void write_doc();  // and begins the next one

  // Comments and blank lines.
  void write_comments(std::uint32_t before);
  void write_comment(const PlacedComment& comment);
  void write_trailing(std::uint32_t end);
  void write_header_comments(std::uint32_t before);
  void keep_blank_line(std::uint32_t begin);

  void write(std::string_view text);
  void end_line();    // unless one has just begun
  void start_line();  // the same, but code goes on behind a leading comment
  bool is_foreign(Span span) const { return span.file != tree_.file; }

  const ast::Tree& tree_;
  Comments comments_;
  Doc doc_;
  std::string out_;
  int depth_ = 0;
  int column_ = 0;
  bool line_open_ = false;      // something stands on the current line
  bool leading_ = false;        // what stands there is a comment on what comes next
  bool at_block_start_ = true;  // no blank line goes here
  std::uint32_t last_end_ = 0;  // where what was printed last ends in the source
};

}  // namespace kullback::lang::layout
