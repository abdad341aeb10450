// Expressions and declared types as pieces of a Doc, with parentheses where their place needs them and
// the comments that stand in them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/ast.hpp"
#include "lang/print/comments.hpp"
#include "lang/print/doc.hpp"

namespace kullback::lang::layout {

class ExpressionPrinter final {
 public:
  // Without comments (null) everything is printed, whatever file it comes from.
  ExpressionPrinter(Doc& doc, Comments* comments) : doc_(doc), comments_(comments) {}

  // `least` is how tightly an expression must bind to stand here without parentheses.
  void print(const ast::Expr& expr, int least = 0);
  void print_list(std::span<ast::Expr* const> items);
  void print_range(const ast::Expr& low, const ast::Expr& high);
  void print_type(const ast::DeclType& type);
  void print_name(const ast::Name& name);
  // A bracket or keyword that stands at `offset`, after the comments before it.
  void print_token(std::string_view text, Span at);
  // The comments before `before`, and what stands between them and the text that follows.
  enum class Gap { none, space, line };
  void flush(Span before, Gap gap);

 private:
  std::vector<PlacedComment> take_comments(Span before);
  void print_comment(const PlacedComment& comment, Gap gap);
  void print_node(const ast::Expr& expr);
  void print_chain(const ast::Expr& expr);
  void print_power(const ast::Expr& expr);
  void print_postfixes(const ast::Expr& expr);
  void print_postfix(const ast::Expr& expr);
  void print_index(const ast::Index& index);
  void print_ternary(const ast::Ternary& ternary);
  void print_call(const ast::Call& call, Span span);
  void print_enclosed(std::string_view open, std::span<ast::Expr* const> items, std::string_view close,
                      Span span);
  void print_array_type(const ast::DeclType& type);
  void print_bounds(const ast::Bounds& bounds);
  bool is_foreign(Span span) const { return comments_ != nullptr && span.file != comments_->file(); }

  Doc& doc_;
  Comments* comments_;
};

std::string_view keyword(ast::BaseType type);

}  // namespace kullback::lang::layout
