// The recursive-descent parser, private to lang/parse*.cpp. A syntax error is reported where it is seen and
// unwinds (SyntaxError) to the nearest statement list, which skips to the next statement.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/source.hpp"
#include "lang/ast.hpp"
#include "lang/lexer.hpp"
#include "lang/parse.hpp"
#include "lang/token.hpp"

namespace kullback::lang {

struct SyntaxError {};

class Parser final {
 public:
  Parser(const SourceMap& sources, Lexed lexed, ast::Tree& tree);

  void parse_program();         // blocks
  void parse_functions_only();  // a .stanfunctions file

  Diagnostics take_diagnostics() { return std::move(diagnostics_); }

 private:
  // Deeper nesting than this is refused: recursion must not outrun the stack, here or in later passes.
  static constexpr int kMaxNesting = 400;
  // The same for `else if`, each of which stands inside the one before.
  static constexpr int kMaxElseIfs = 5000;
  // After so many errors the rest of the file is not worth reading.
  static constexpr int kMaxErrors = 100;

  struct Nest {
    explicit Nest(Parser& parser);
    ~Nest() { --parser_.depth_; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

   private:
    Parser& parser_;
  };

  // ---- tokens (parse.cpp) ----
  const Token& peek(std::size_t ahead = 0) const;
  const Token& previous() const { return tokens_[at_ == 0 ? 0 : at_ - 1]; }
  Token take();
  std::string_view text(const Token& token) const { return sources_.text(token.span); }
  bool at_end() const { return peek().kind == TokenKind::end; }
  bool at(Punct punct, std::size_t ahead = 0) const { return peek(ahead).punct == punct; }
  bool at_word(std::string_view word, std::size_t ahead = 0) const;
  bool at_type(std::size_t ahead = 0) const;
  bool at_old_assignment() const;  // `<-` written together
  bool accept(Punct punct);
  Token expect(Punct punct, std::string_view context);
  void expect_semicolon(std::string_view after_what);
  bool begins_new_line() const;  // the next token is the first of its line
  Span span_since(const Token& first) const { return join(first.span, previous().span); }
  std::string found() const;  // the next token, for messages

  // ---- errors (parse.cpp) ----
  [[noreturn]] void fail(std::string code, Span span, std::string message, std::string hint = {});
  [[noreturn]] void fail_expected(std::string_view what, std::string hint = {});
  void report(std::string code, Span span, std::string message, std::string hint = {});
  void warn_old(std::string code, Span span, std::string message, std::string modern);
  void recover(std::size_t start);
  void skip_balanced();

  template <class T>
  ast::Expr* make(Span span, T node) {
    return tree_.arena->make(ast::Expr{span, std::move(node)});
  }
  template <class T>
  ast::Stmt* make_stmt(Span span, T node) {
    return tree_.arena->make(ast::Stmt{span, std::move(node)});
  }
  template <class T>
  ast::List<T> list(const std::vector<T>& items) {
    return tree_.arena->copy(items);
  }

  // ---- program (parse.cpp) ----
  bool at_block(ast::BlockKind& kind, std::size_t& words) const;
  void parse_block();
  void parse_block_body(ast::BlockKind kind, ast::ProgramBlock& block);
  void report_unclosed(Span open, std::string_view what);

  // ---- names and types (parse_type.cpp) ----
  ast::Name parse_name(std::string_view what);
  ast::Name parse_declared_name(bool after_comma);
  ast::DeclType* parse_sized_type(bool global);
  ast::DeclType* parse_sized_base(bool global);
  ast::DeclType* parse_tuple_type(bool global, bool sized);
  ast::DeclType* parse_unsized_type();
  ast::BaseType parse_base_type();
  int parse_unsized_dims();
  void parse_bounds(ast::DeclType& type, bool global);
  void parse_bound(ast::Bounds& bounds);
  void parse_sizes(ast::DeclType& type, std::string_view type_name);
  bool array_begins_type() const;

  // ---- expressions (parse_expr.cpp) ----
  ast::Expr* parse_expr();
  ast::Expr* parse_expr_from(ast::Expr* left);  // goes on after a left operand that is already read
  ast::Expr* parse_bound_expr();                // arithmetic only: `>` closes the bounds
  ast::Expr* parse_binary(int min_binding, ast::Expr* left = nullptr);
  ast::Expr* parse_unary();
  ast::Expr* parse_postfix(ast::Expr* operand);
  ast::Expr* parse_common();  // what may be indexed or assigned to
  ast::Expr* parse_primary();
  ast::Expr* parse_word();
  ast::Expr* parse_call(const Token& name);
  ast::Expr* parse_paren_or_tuple();
  ast::Expr* parse_tuple_slot(ast::Expr* base);
  ast::Expr* parse_indices(ast::Expr* base);
  ast::Index parse_index();
  ast::List<ast::Expr*> parse_list(Punct close, std::string_view what);
  ast::List<ast::Expr*> parse_printables();
  ast::Expr* parse_string(std::string_view what);
  bool binary_op(Op& op) const;

  // ---- statements (parse_stmt.cpp) ----
  using Stmts = std::vector<ast::Stmt*>;
  Stmts parse_statements(bool global);
  void parse_into(Stmts& out, bool global);
  ast::Stmt* parse_one(bool global);
  bool brace_begins_array() const;
  ast::Stmt* parse_keyword_statement();
  ast::Stmt* parse_expression_statement();
  ast::Stmt* parse_assignment(ast::Expr* target);
  ast::Stmt* finish_assignment(ast::Assign assign, bool old);
  ast::Expr* increment_of_lp(const ast::Assign& assign) const;
  ast::Stmt* parse_tilde(ast::Expr* variate);
  ast::Truncation parse_truncation();
  ast::Stmt* parse_if();
  ast::Stmt* parse_if_chain();
  [[noreturn]] void refuse_else_if();
  ast::Stmt* parse_while();
  ast::Stmt* parse_for();
  ast::Stmt* parse_return();
  ast::Stmt* parse_block_statement();
  ast::Stmt* parse_profile();
  ast::Stmt* parse_output_statement(std::string_view word);
  ast::Stmt* parse_plus_equals(std::string_view word);
  ast::Stmt* parse_body(std::string_view owner);
  void parse_declaration(Stmts& out, bool global, bool may_assign);
  ast::DeclType* with_old_dims(const ast::DeclType& type, std::string_view name);
  std::string hint_for_type(std::string_view word, std::string otherwise) const;
  Stmts parse_declarations_only();
  void parse_function(Stmts& out);
  ast::Parameter parse_parameter();
  bool assignment_op(bool& compound, Op& op) const;
  void parse_annotations(std::vector<ast::Name>& out);

  const SourceMap& sources_;
  std::vector<Token> tokens_;
  Diagnostics diagnostics_;
  ast::Tree& tree_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int else_ifs_ = 0;  // around the statement that is read
  int errors_ = 0;
};

}  // namespace kullback::lang
