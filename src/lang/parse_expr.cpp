// Expressions, by binding strength. Long chains of left-associative operators are built in a loop.
#include <charconv>

#include "lang/parser.hpp"

namespace kullback::lang {

using ast::Expr;

namespace {

// Words of the language that may be called like functions in an expression.
bool starts_expression_word(std::string_view word) { return !is_reserved(word) || was_once_free(word); }

constexpr int kArithmetic = 6;  // binding of + and -: the weakest operator allowed in a bound

}  // namespace

Expr* Parser::parse_expr() { return parse_expr_from(nullptr); }

Expr* Parser::parse_expr_from(Expr* left) {
  const Nest nest(*this);
  Expr* condition = parse_binary(kTernaryBinding + 1, left);
  if (!at(Punct::question)) return condition;
  take();
  Expr* yes = parse_expr();
  expect(Punct::colon, "between the two values of '?'");
  Expr* no = parse_expr();
  return make(join(condition->span, no->span), ast::Ternary{condition, yes, no});
}

Expr* Parser::parse_bound_expr() {
  const Nest nest(*this);
  return parse_binary(kArithmetic);
}

bool Parser::binary_op(Op& op) const {
  switch (peek().punct) {
    case Punct::plus: op = Op::plus; return true;
    case Punct::minus: op = Op::minus; return true;
    case Punct::times: op = Op::times; return true;
    case Punct::divide: op = Op::divide; return true;
    case Punct::int_divide: op = Op::int_divide; return true;
    case Punct::modulo: op = Op::modulo; return true;
    case Punct::left_divide: op = Op::left_divide; return true;
    case Punct::elt_times: op = Op::elt_times; return true;
    case Punct::elt_divide: op = Op::elt_divide; return true;
    case Punct::hat: op = Op::pow; return true;
    case Punct::elt_pow: op = Op::elt_pow; return true;
    case Punct::or_: op = Op::or_; return true;
    case Punct::and_: op = Op::and_; return true;
    case Punct::equal: op = Op::equal; return true;
    case Punct::not_equal: op = Op::not_equal; return true;
    case Punct::less: op = Op::less; return true;
    case Punct::less_equal: op = Op::less_equal; return true;
    case Punct::greater: op = Op::greater; return true;
    case Punct::greater_equal: op = Op::greater_equal; return true;
    default: return false;
  }
}

Expr* Parser::parse_binary(int min_binding, Expr* left) {
  if (left == nullptr) left = parse_unary();
  Op op{};
  while (binary_op(op) && binding(op) >= min_binding) {
    const Span op_span = take().span;
    if (op == Op::times && at(Punct::times) && !begins_new_line()) {
      fail("syntax", op_span, "'**' is not an operator.", "A power is written x^y, elementwise x .^ y.");
    }
    Expr* right = nullptr;
    if (is_right_associative(op)) {
      const Nest nest(*this);
      right = parse_binary(binding(op));
    } else {
      right = parse_binary(binding(op) + 1);
    }
    left = make(join(left->span, right->span), ast::Binary{op, op_span, left, right});
  }
  return left;
}

Expr* Parser::parse_unary() {
  Op op{};
  if (at(Punct::bang)) {
    op = Op::not_;
  } else if (at(Punct::minus)) {
    op = Op::minus;
  } else if (at(Punct::plus)) {
    op = Op::plus;
  } else {
    return parse_postfix(parse_common());
  }
  const Nest nest(*this);
  const Token first = take();
  Expr* operand = parse_binary(kPrefixBinding + 1);
  return make(join(first.span, operand->span), ast::Prefix{op, operand});
}

Expr* Parser::parse_postfix(Expr* operand) {
  int length = 0;
  while (at(Punct::quote)) {
    const Span quote = take().span;
    if (++length > kMaxNesting) fail("nesting-too-deep", quote, "Transposed too many times.");
    operand = make(join(operand->span, quote), ast::Postfix{Op::transpose, operand});
  }
  return operand;
}

Expr* Parser::parse_common() {
  Expr* expr = parse_primary();
  int length = 0;
  for (;;) {
    if (++length > kMaxNesting) fail("nesting-too-deep", peek().span, "Indexed too many times.");
    if (at(Punct::left_bracket)) {
      expr = parse_indices(expr);
    } else if (peek().kind == TokenKind::dot_literal) {
      expr = parse_tuple_slot(expr);
    } else {
      return expr;
    }
  }
}

Expr* Parser::parse_primary() {
  const Token token = peek();
  switch (token.kind) {
    case TokenKind::word: return parse_word();
    case TokenKind::int_literal: take(); return make(token.span, ast::IntLiteral{text(token)});
    case TokenKind::real_literal:
    case TokenKind::dot_literal: take(); return make(token.span, ast::RealLiteral{text(token)});
    case TokenKind::imag_literal: {
      take();
      std::string_view digits = text(token);
      digits.remove_suffix(1);
      return make(token.span, ast::ImagLiteral{digits});
    }
    case TokenKind::string_literal:
      fail("syntax", token.span, "A string can only stand in print, reject, fatal_error and profile.");
    default: break;
  }
  if (at(Punct::left_paren)) return parse_paren_or_tuple();
  if (accept(Punct::left_brace)) {
    const ast::List<Expr*> elements = parse_list(Punct::right_brace, "the array");
    if (elements.empty()) fail("syntax", span_since(token), "An array literal needs at least one element.");
    return make(span_since(token), ast::ArrayLiteral{elements});
  }
  if (accept(Punct::left_bracket)) {
    const ast::List<Expr*> elements = parse_list(Punct::right_bracket, "the row vector");
    return make(span_since(token), ast::RowVectorLiteral{elements});
  }
  fail_expected("an expression");
}

Expr* Parser::parse_word() {
  const Token token = peek();
  const std::string_view word = text(token);
  if (word == "target") {
    take();
    expect(Punct::left_paren, "after 'target'");
    expect(Punct::right_paren, "after 'target('");
    return make(span_since(token), ast::Target{});
  }
  if (!starts_expression_word(word)) {
    std::string hint;
    if (is_type_word(word)) hint = "A declaration stands on its own: " + std::string(word) + " x = ...;";
    if (word == "true" || word == "false") hint = "Stan has no booleans: use 1 and 0.";
    fail_expected("an expression", hint);
  }
  take();
  if (at(Punct::left_paren)) return parse_call(token);
  return make(token.span, ast::Variable{{word, token.span}});
}

Expr* Parser::parse_call(const Token& name) {
  take();  // (
  ast::Call call{{text(name), name.span}, {}, false};
  std::vector<Expr*> arguments;
  if (!at(Punct::right_paren)) {
    arguments.push_back(parse_expr());
    if (accept(Punct::bar)) {
      call.bar = true;
      if (!at(Punct::right_paren)) arguments.push_back(parse_expr());
    }
    while (accept(Punct::comma)) arguments.push_back(parse_expr());
  }
  if (at(Punct::bar)) {
    fail("syntax", peek().span, "Only the first argument can stand before '|'.",
         "Write " + std::string(call.function.text) + "(x | a, b).");
  }
  expect(Punct::right_paren, "or ',' in the arguments of '" + std::string(call.function.text) + "'");
  call.arguments = list(arguments);
  return make(span_since(name), call);
}

// (e), or a tuple: (a, b) and, of one element, (a, ).
Expr* Parser::parse_paren_or_tuple() {
  const Token first = take();
  Expr* inner = parse_expr();
  if (!at(Punct::comma)) {
    expect(Punct::right_paren, "to close '('");
    return make(span_since(first), ast::Paren{inner});
  }
  take();
  std::vector<Expr*> elements{inner};
  if (!at(Punct::right_paren)) {
    do elements.push_back(parse_expr());
    while (accept(Punct::comma));
  }
  expect(Punct::right_paren, "to close the tuple");
  return make(span_since(first), ast::TupleLiteral{list(elements)});
}

Expr* Parser::parse_tuple_slot(Expr* base) {
  const Token token = take();
  const std::string_view digits = text(token).substr(1);
  int slot = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), slot);
  if (problem != std::errc{} || end != digits.data() + digits.size()) {
    fail("tuple-slot", token.span, "'" + std::string(digits) + "' cannot be the slot of a tuple.",
         "Slots are small integers from 1: t.1");
  }
  return make(join(base->span, token.span), ast::TupleGet{base, slot});
}

Expr* Parser::parse_indices(Expr* base) {
  take();  // [
  std::vector<ast::Index> indices{parse_index()};
  while (accept(Punct::comma)) indices.push_back(parse_index());
  expect(Punct::right_bracket, "or ',' in the indexes");
  return make(join(base->span, previous().span), ast::Indexed{base, list(indices)});
}

// nothing, :, e, e:, :e, e:e
ast::Index Parser::parse_index() {
  const auto at_close = [&] { return at(Punct::comma) || at(Punct::right_bracket); };
  using Kind = ast::Index::Kind;
  if (at_close()) return {Kind::all, nullptr, nullptr, false};
  if (accept(Punct::colon)) {
    if (at_close()) return {Kind::all};
    return {Kind::to, nullptr, parse_expr()};
  }
  Expr* low = parse_expr();
  if (!accept(Punct::colon)) return {Kind::single, low};
  if (at_close()) return {Kind::from, low};
  return {Kind::between, low, parse_expr()};
}

ast::List<Expr*> Parser::parse_list(Punct close, std::string_view what) {
  std::vector<Expr*> items;
  if (!at(close)) {
    do items.push_back(parse_expr());
    while (accept(Punct::comma));
  }
  expect(close, "or ',' in " + std::string(what));
  return list(items);
}

ast::List<Expr*> Parser::parse_printables() {
  std::vector<Expr*> items;
  do {
    items.push_back(peek().kind == TokenKind::string_literal ? parse_string("a string") : parse_expr());
  } while (accept(Punct::comma));
  return list(items);
}

Expr* Parser::parse_string(std::string_view what) {
  if (peek().kind != TokenKind::string_literal) fail_expected(what);
  const Token token = take();
  return make(token.span, ast::StringLiteral{text(token)});
}

}  // namespace kullback::lang
