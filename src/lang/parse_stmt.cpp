// Statements, declarations and function definitions. Old forms become modern ones here, each with a warning:
//   x <- e            x = e
//   real x[N]         array[N] real x
//   lp__ <- lp__ + e  target += e
//   increment_log_prob(e)  target += e
#include <algorithm>

#include "lang/check/suggest.hpp"
#include "lang/parser.hpp"

namespace kullback::lang {

using ast::Expr;
using ast::Stmt;

namespace {

bool is_lvalue(const Expr& expr) {
  if (expr.as<ast::Variable>() != nullptr) return true;
  if (const auto* indexed = expr.as<ast::Indexed>())
    return is_lvalue(*indexed->base) && !indexed->base->as<ast::TupleLiteral>();
  if (const auto* get = expr.as<ast::TupleGet>())
    return is_lvalue(*get->base) && !get->base->as<ast::TupleLiteral>();
  if (const auto* tuple = expr.as<ast::TupleLiteral>()) {
    return std::all_of(tuple->elements.begin(), tuple->elements.end(),
                       [](const Expr* e) { return is_lvalue(*e); });
  }
  return false;
}

bool is_variable(const Expr& expr, std::string_view name) {
  const auto* variable = expr.as<ast::Variable>();
  return variable != nullptr && variable->name.text == name;
}

}  // namespace

// ---- lists of statements ----

Parser::Stmts Parser::parse_statements(bool global) {
  Stmts statements;
  while (!at_end() && !at(Punct::right_brace)) parse_into(statements, global);
  return statements;
}

void Parser::parse_into(Stmts& out, bool global) {
  const std::size_t start = at_;
  try {
    std::vector<ast::Name> annotations;
    parse_annotations(annotations);
    const std::size_t first_new = out.size();
    if (at_type()) {
      parse_declaration(out, global, true);
    } else {
      out.push_back(parse_one(global));
    }
    if (!annotations.empty()) out[first_new]->annotations = list(annotations);
  } catch (const SyntaxError&) {
    recover(start);
  }
}

void Parser::parse_annotations(std::vector<ast::Name>& out) {
  while (at(Punct::at)) {
    const Token first = take();
    ast::Name name = parse_name("the name of an annotation");
    name.span = span_since(first);
    diagnostics_.push_back(
        {Severity::warning, "unknown-annotation", name.span,
         "The annotation '@" + std::string(name.text) + "' is not known and has no effect."});
    out.push_back(name);
  }
}

// One statement; a declaration that stands alone (the body of an if) is wrapped where it declares several.
Stmt* Parser::parse_one(bool global) {
  const Nest nest(*this);
  if (at_type()) {
    const Token first = peek();
    Stmts declared;
    parse_declaration(declared, global, true);
    if (declared.size() == 1) return declared.front();
    return make_stmt(span_since(first), ast::Block{list(declared)});
  }
  if (at(Punct::semicolon)) return make_stmt(take().span, ast::Empty{});
  if (at(Punct::left_brace) && !brace_begins_array()) return parse_block_statement();
  if (Stmt* statement = parse_keyword_statement()) return statement;
  return parse_expression_statement();
}

// `{` opens a block, or an array literal that is given a distribution: {a, b} ~ normal(0, 1);
bool Parser::brace_begins_array() const {
  int open = 0;
  for (std::size_t ahead = 1;; ++ahead) {
    const Token& token = peek(ahead);
    const bool nested = open > 0;
    switch (token.punct) {
      case Punct::left_paren:
      case Punct::left_bracket:
      case Punct::left_brace: ++open; break;
      case Punct::right_paren:
      case Punct::right_bracket: --open; break;
      case Punct::right_brace:
        if (!nested) return ahead > 1 && at(Punct::tilde, ahead + 1);
        --open;
        break;
      case Punct::comma:
        if (!nested) return true;
        break;
      case Punct::semicolon:
      case Punct::tilde:
      case Punct::assign: return false;
      default: break;
    }
    if (token.kind == TokenKind::end || (ahead == 1 && is_reserved(text(token)))) return false;
  }
}

Stmt* Parser::parse_keyword_statement() {
  if (peek().kind != TokenKind::word) return nullptr;
  const std::string_view word = text(peek());
  if (word == "if") return parse_if();
  if (word == "while") return parse_while();
  if (word == "for") return parse_for();
  if (word == "return") return parse_return();
  if (word == "profile") return parse_profile();
  if (word == "print" || word == "reject" || word == "fatal_error") return parse_output_statement(word);
  if ((word == "target" && at(Punct::plus_assign, 1)) || word == "jacobian") return parse_plus_equals(word);
  if (word == "break" || word == "continue") {
    const Token token = take();
    expect_semicolon("'" + std::string(word) + "'");
    if (word == "break") return make_stmt(span_since(token), ast::Break{});
    return make_stmt(span_since(token), ast::Continue{});
  }
  if (word == "else") {
    fail("syntax", peek().span, "This 'else' belongs to no 'if'.",
         "Is there a ';' or '}' too many before it?");
  }
  if (word == "data" && at_type(1)) {
    fail("syntax", peek().span, "Only the arguments of functions are declared 'data'.", "Drop 'data' here.");
  }
  if (word == "void") fail_expected("a statement", "Functions are defined in the block 'functions'.");
  return nullptr;
}

// ---- simple statements ----

Stmt* Parser::parse_expression_statement() {
  const Token first = peek();
  const bool can_be_target = first.kind == TokenKind::word || at(Punct::left_paren);
  Expr* expr = nullptr;
  if (can_be_target) {
    expr = parse_common();
    if (at_old_assignment()) return parse_assignment(expr);
    expr = parse_expr_from(parse_postfix(expr));
  } else {
    if (first.kind != TokenKind::word && first.punct != Punct::none && !at(Punct::minus) &&
        !at(Punct::plus) && !at(Punct::bang) && !at(Punct::left_bracket) && !at(Punct::left_brace)) {
      fail_expected("a statement");
    }
    expr = parse_expr();
  }
  if (at(Punct::tilde)) return parse_tilde(expr);
  bool compound = false;
  Op op{};
  if (assignment_op(compound, op)) return parse_assignment(expr);
  const auto* call = expr->as<ast::Call>();
  if (call == nullptr) {
    std::string hint;
    if (at(Punct::colon) && at(Punct::assign, 1)) hint = "An assignment is written x = e;";
    if (peek().kind == TokenKind::word) hint = hint_for_type(text(first), "");
    fail_expected("an assignment '=', a '~' or a call", hint);
  }
  if (call->bar) {
    if (!at(Punct::semicolon)) fail_expected("'~' after the expression");
    fail("syntax", peek().span, "A density is a value, not a statement.",
         "Write target += " + std::string(sources_.text(expr->span)) + ";");
  }
  const bool increments = call->function.text == "increment_log_prob" && call->arguments.size() == 1;
  expect_semicolon("the call");
  const Span span = span_since(first);
  if (!increments) return make_stmt(span, ast::CallStmt{expr});
  Expr* value = call->arguments.front();
  warn_old("old-increment", span, "'increment_log_prob' was removed from the language.",
           "target += " + std::string(sources_.text(value->span)) + ";");
  return make_stmt(span, ast::TargetPlus{value});
}

bool Parser::assignment_op(bool& compound, Op& op) const {
  compound = true;
  switch (peek().punct) {
    case Punct::assign: compound = false; return true;
    case Punct::plus_assign: op = Op::plus; return true;
    case Punct::minus_assign: op = Op::minus; return true;
    case Punct::times_assign: op = Op::times; return true;
    case Punct::divide_assign: op = Op::divide; return true;
    case Punct::elt_times_assign: op = Op::elt_times; return true;
    case Punct::elt_divide_assign: op = Op::elt_divide; return true;
    default: return false;
  }
}

Stmt* Parser::parse_assignment(Expr* target) {
  if (!is_lvalue(*target)) {
    fail("not-assignable", target->span, "This cannot be assigned to.",
         "The left side is a variable, an element x[i], a slot t.1, or a tuple of these.");
  }
  ast::Assign assign{target, false, Op::plus, nullptr};
  const bool old = at_old_assignment();
  if (old) {
    take();
    take();
  } else {
    assignment_op(assign.compound, assign.op);
    take();
  }
  assign.value = parse_expr();
  return finish_assignment(assign, old);
}

Stmt* Parser::finish_assignment(ast::Assign assign, bool old) {
  expect_semicolon("the assignment");
  const Span span = join(assign.target->span, previous().span);
  if (Expr* value = increment_of_lp(assign)) {
    warn_old("old-increment", span, "'lp__' was removed from the language.",
             "target += " + std::string(sources_.text(value->span)) + ";");
    return make_stmt(span, ast::TargetPlus{value});
  }
  if (old) {
    warn_old("old-assignment", span, "'<-' assigned in old Stan; today '=' does.",
             std::string(sources_.text(assign.target->span)) + " = " +
                 std::string(sources_.text(assign.value->span)) + ";");
  }
  return make_stmt(span, assign);
}

// The e of `lp__ <- lp__ + e`: null if the assignment is none such. Takes lp__ off the left end of the sum.
Expr* Parser::increment_of_lp(const ast::Assign& assign) const {
  if (assign.compound || !is_variable(*assign.target, "lp__")) return nullptr;
  Expr* parent = nullptr;
  Expr* top = assign.value;
  for (Expr* node = top; auto* binary = node->as<ast::Binary>(); node = binary->left) {
    if (binary->op != Op::plus && binary->op != Op::minus) return nullptr;
    if (!is_variable(*binary->left, "lp__")) {
      parent = node;
      continue;
    }
    if (binary->op != Op::plus) return nullptr;
    if (parent == nullptr) return binary->right;
    parent->as<ast::Binary>()->left = binary->right;
    for (Expr* above = top;; above = above->as<ast::Binary>()->left) {
      above->span.begin = binary->right->span.begin;
      if (above == parent) return top;
    }
  }
  return nullptr;
}

Stmt* Parser::parse_tilde(Expr* variate) {
  take();  // ~
  ast::Tilde tilde{variate, {}, {}, {}};
  const Token name = peek();
  tilde.distribution = parse_name("the name of a distribution");
  if (!at(Punct::left_paren)) fail_expected("'(' after the name of a distribution");
  take();
  tilde.arguments = parse_list(Punct::right_paren, "the arguments of '" + std::string(text(name)) + "'");
  if (at_word("T")) tilde.truncation = parse_truncation();
  expect_semicolon("the statement");
  return make_stmt(join(variate->span, previous().span), tilde);
}

// T[a, b]; either bound may be missing.
ast::Truncation Parser::parse_truncation() {
  take();  // T
  ast::Truncation truncation;
  truncation.present = true;
  expect(Punct::left_bracket, "after 'T' in a truncation");
  if (!at(Punct::comma)) truncation.lower = parse_expr();
  expect(Punct::comma, "between the bounds of a truncation");
  if (!at(Punct::right_bracket)) truncation.upper = parse_expr();
  expect(Punct::right_bracket, "to close the truncation");
  return truncation;
}

Stmt* Parser::parse_plus_equals(std::string_view word) {
  const Token first = take();
  expect(Punct::plus_assign, "after '" + std::string(word) + "'");
  Expr* value = parse_expr();
  expect_semicolon("the statement");
  if (word == "target") return make_stmt(span_since(first), ast::TargetPlus{value});
  return make_stmt(span_since(first), ast::JacobianPlus{value});
}

Stmt* Parser::parse_output_statement(std::string_view word) {
  const Token first = take();
  expect(Punct::left_paren, "after '" + std::string(word) + "'");
  const ast::List<Expr*> items = parse_printables();
  expect(Punct::right_paren, "or ',' in '" + std::string(word) + "'");
  expect_semicolon("'" + std::string(word) + "(...)'");
  const Span span = span_since(first);
  if (word == "print") return make_stmt(span, ast::Print{items});
  if (word == "reject") return make_stmt(span, ast::Reject{items});
  return make_stmt(span, ast::FatalError{items});
}

Stmt* Parser::parse_return() {
  const Token first = take();
  Expr* value = at(Punct::semicolon) ? nullptr : parse_expr();
  expect_semicolon("'return'");
  return make_stmt(span_since(first), ast::Return{value});
}

// ---- compound statements ----

Stmt* Parser::parse_body(std::string_view owner) {
  if (at(Punct::right_brace) || at_end()) {
    fail_expected("a statement after '" + std::string(owner) + "'");
  }
  return parse_one(false);
}

// An else-if chain is read in a loop: hundreds of branches nest in the tree, not in the parser.
Stmt* Parser::parse_if() {
  const int around = else_ifs_;
  Stmt* chain = parse_if_chain();
  else_ifs_ = around;  // after an error in the chain they still count: less is read of a broken file
  return chain;
}

// The chain goes on behind this place, where nothing could be made of it: no more is read.
void Parser::refuse_else_if() {
  report("nesting-too-deep", peek().span,
         "More than " + std::to_string(kMaxElseIfs) + " 'else if' follow each other here.",
         "Look the value up in an array instead of comparing it with each case.");
  errors_ = kMaxErrors;
  throw SyntaxError{};
}

Stmt* Parser::parse_if_chain() {
  Stmt* outermost = nullptr;
  ast::If* innermost = nullptr;
  std::vector<Stmt*> chain;
  for (;;) {
    const Token first = take();
    if (!at(Punct::left_paren))
      fail_expected("'(' after 'if'", "The condition stands in parentheses: if (x > 0)");
    take();
    Expr* condition = parse_expr();
    expect(Punct::right_paren, "to close the condition of 'if'");
    Stmt* yes = parse_body("if (...)");
    Stmt* statement = make_stmt(span_since(first), ast::If{condition, yes, nullptr});
    if (innermost != nullptr) innermost->no = statement;
    if (outermost == nullptr) outermost = statement;
    innermost = statement->as<ast::If>();
    chain.push_back(statement);
    if (!at_word("else")) break;
    take();
    if (at_word("if")) {
      if (++else_ifs_ > kMaxElseIfs) refuse_else_if();
      continue;
    }
    innermost->no = parse_body("else");
    break;
  }
  for (Stmt* statement : chain) statement->span = join(statement->span, previous().span);
  return outermost;
}

Stmt* Parser::parse_while() {
  const Token first = take();
  if (!at(Punct::left_paren)) fail_expected("'(' after 'while'");
  take();
  Expr* condition = parse_expr();
  expect(Punct::right_paren, "to close the condition of 'while'");
  Stmt* body = parse_body("while (...)");
  return make_stmt(span_since(first), ast::While{condition, body});
}

Stmt* Parser::parse_for() {
  const Token first = take();
  if (!at(Punct::left_paren)) fail_expected("'(' after 'for'", "A loop is written for (n in 1:N) ...");
  take();
  const ast::Name variable = parse_name("the name of the loop variable");
  if (!at_word("in")) fail_expected("'in' after the loop variable", "A loop is written for (n in 1:N) ...");
  take();
  Expr* low = parse_expr();
  Expr* high = accept(Punct::colon) ? parse_expr() : nullptr;
  expect(Punct::right_paren,
         high == nullptr ? "or ':' in the range of 'for'" : "to close the range of 'for'");
  Stmt* body = parse_body("for (...)");
  const Span span = span_since(first);
  if (high == nullptr) return make_stmt(span, ast::ForEach{variable, low, body});
  return make_stmt(span, ast::For{variable, low, high, body});
}

Stmt* Parser::parse_block_statement() {
  const Token open = take();
  const Stmts statements = parse_statements(false);
  if (!accept(Punct::right_brace)) report_unclosed(open.span, "block");
  return make_stmt(span_since(open), ast::Block{list(statements)});
}

Stmt* Parser::parse_profile() {
  const Token first = take();
  expect(Punct::left_paren, "after 'profile'");
  Expr* label = parse_string("a string: the name of the profile");
  expect(Punct::right_paren, "to close 'profile('");
  const Token open = expect(Punct::left_brace, "after 'profile(...)'");
  const Stmts statements = parse_statements(false);
  if (!accept(Punct::right_brace)) report_unclosed(open.span, "profile");
  return make_stmt(span_since(first), ast::Profile{label, list(statements)});
}

// ---- declarations ----

Parser::Stmts Parser::parse_declarations_only() {
  Stmts statements;
  while (!at_end() && !at(Punct::right_brace)) {
    const std::size_t start = at_;
    try {
      std::vector<ast::Name> annotations;
      parse_annotations(annotations);
      if (at(Punct::semicolon)) {
        statements.push_back(make_stmt(take().span, ast::Empty{}));
        continue;
      }
      if (!at_type())
        fail_expected("a declaration",
                      hint_for_type(text(peek()), "This block holds only declarations, such as real x;"));
      const std::size_t first_new = statements.size();
      parse_declaration(statements, true, false);
      statements[first_new]->annotations = list(annotations);
    } catch (const SyntaxError&) {
      recover(start);
    }
  }
  return statements;
}

// A word that is nearly a type was meant to be one.
std::string Parser::hint_for_type(std::string_view word, std::string otherwise) const {
  const std::string_view type = nearest_name(word, type_words());
  return type.empty() ? otherwise : "Did you mean '" + std::string(type) + "'?";
}

// TYPE name [= e] {, name [= e]} ; -- in old Stan a name may carry its own array sizes, which then makes a
// declaration of its own.
void Parser::parse_declaration(Stmts& out, bool global, bool may_assign) {
  const Token first = peek();
  ast::DeclType* type = parse_sized_type(global);
  std::vector<ast::Declared> variables;
  ast::DeclType* current = type;
  const auto flush = [&] {
    if (!variables.empty())
      out.push_back(make_stmt(span_since(first), ast::Declare{current, list(variables)}));
    variables.clear();
  };
  const std::size_t first_new = out.size();
  do {
    ast::Declared declared{parse_declared_name(previous().punct == Punct::comma)};
    ast::DeclType* own = at(Punct::left_bracket) ? with_old_dims(*type, declared.name.text) : type;
    if (at(Punct::assign) || at_old_assignment()) {
      if (!may_assign) {
        fail("syntax", peek().span, "Expected ';' after the declaration, but found " + found() + ".",
             "Variables of this block get their values from outside: assign in a 'transformed' block.");
      }
      const bool old = at_old_assignment();
      take();
      if (old) take();
      declared.value = parse_expr();
    }
    if (own != current) flush();
    current = own;
    variables.push_back(declared);
  } while (accept(Punct::comma));
  expect_semicolon("the declaration");
  flush();
  for (std::size_t i = first_new; i < out.size(); ++i) out[i]->span = span_since(first);
}

ast::DeclType* Parser::with_old_dims(const ast::DeclType& type, std::string_view name) {
  const Token open = take();
  std::vector<Expr*> sizes;
  do sizes.push_back(parse_expr());
  while (accept(Punct::comma));
  expect(Punct::right_bracket, "to close the sizes of '" + std::string(name) + "'");
  if (type.array_rank > 0) {
    fail("syntax", span_since(open), "'" + std::string(name) + "' has array sizes twice.",
         "Put all sizes into array[...].");
  }
  ast::DeclType arrayed = type;
  arrayed.array_rank = static_cast<int>(sizes.size());
  arrayed.array_sizes = list(sizes);
  warn_old("old-array", span_since(open),
           "Arrays were declared 'real x[N]' in old Stan; today the sizes stand before the type.",
           "array" + std::string(sources_.text(span_since(open))) + " " +
               std::string(sources_.text(type.span)) + " " + std::string(name) + ";");
  return tree_.arena->make(arrayed);
}

// ---- functions ----

void Parser::parse_function(Stmts& out) {
  const std::size_t start = at_;
  try {
    std::vector<ast::Name> annotations;
    parse_annotations(annotations);
    const Token first = peek();
    ast::Function function{};
    if (at_word("void")) {
      ast::DeclType nothing;
      nothing.span = take().span;
      nothing.base = ast::BaseType::void_;
      nothing.is_sized = false;
      function.result = tree_.arena->make(nothing);
    } else {
      if (!at_type() && !at_word("array")) {
        fail_expected("a function definition", "It begins with its result type: real f(real x) { ... }");
      }
      function.result = parse_unsized_type();
    }
    function.name = parse_name("the name of the function");
    expect(Punct::left_paren, "after the name of the function");
    std::vector<ast::Parameter> parameters;
    if (!at(Punct::right_paren)) {
      do parameters.push_back(parse_parameter());
      while (accept(Punct::comma));
    }
    expect(Punct::right_paren, "or ',' in the arguments of '" + std::string(function.name.text) + "'");
    function.parameters = list(parameters);
    if (!accept(Punct::semicolon)) {
      if (!at(Punct::left_brace)) fail_expected("'{' and the body of the function, or ';'");
      function.body = parse_block_statement();
    }
    Stmt* statement = make_stmt(span_since(first), function);
    statement->annotations = list(annotations);
    out.push_back(statement);
  } catch (const SyntaxError&) {
    recover(start);
    if (at_ == start && !at(Punct::right_brace)) take();
  }
}

ast::Parameter Parser::parse_parameter() {
  ast::Parameter parameter{};
  if (at_word("data")) {
    take();
    parameter.data_only = true;
  }
  if (at_word("void")) fail_expected("the type of an argument");
  parameter.type = parse_unsized_type();
  parameter.name = parse_name("the name of an argument");
  return parameter;
}

}  // namespace kullback::lang
