// Names and declared types.
//   sized    array[N, M] matrix<lower=0>[R, C]     tuple(int, array[N] real)     (old: real x[N])
//   unsized  array[,] real     tuple(int, vector)                               (old: real[,])
#include <utility>

#include "lang/parser.hpp"

namespace kullback::lang {

using ast::BaseType;
using ast::DeclType;

namespace {

struct TypeWord {
  std::string_view word;
  BaseType base;
  int min_sizes;
  int max_sizes;
  bool takes_bounds;
};

constexpr TypeWord kTypeWords[] = {
    {"int", BaseType::int_, 0, 0, true},
    {"real", BaseType::real, 0, 0, true},
    {"complex", BaseType::complex, 0, 0, true},
    {"vector", BaseType::vector, 1, 1, true},
    {"row_vector", BaseType::row_vector, 1, 1, true},
    {"matrix", BaseType::matrix, 2, 2, true},
    {"complex_vector", BaseType::complex_vector, 1, 1, true},
    {"complex_row_vector", BaseType::complex_row_vector, 1, 1, true},
    {"complex_matrix", BaseType::complex_matrix, 2, 2, true},
    {"ordered", BaseType::ordered, 1, 1, false},
    {"positive_ordered", BaseType::positive_ordered, 1, 1, false},
    {"simplex", BaseType::simplex, 1, 1, false},
    {"unit_vector", BaseType::unit_vector, 1, 1, false},
    {"sum_to_zero_vector", BaseType::sum_to_zero_vector, 1, 1, false},
    {"sum_to_zero_matrix", BaseType::sum_to_zero_matrix, 2, 2, false},
    {"cholesky_factor_corr", BaseType::cholesky_factor_corr, 1, 1, false},
    {"cholesky_factor_cov", BaseType::cholesky_factor_cov, 1, 2, false},
    {"corr_matrix", BaseType::corr_matrix, 1, 1, false},
    {"cov_matrix", BaseType::cov_matrix, 1, 1, false},
    {"column_stochastic_matrix", BaseType::column_stochastic_matrix, 2, 2, false},
    {"row_stochastic_matrix", BaseType::row_stochastic_matrix, 2, 2, false},
};

const TypeWord* find_type(std::string_view word) {
  for (const TypeWord& type : kTypeWords) {
    if (type.word == word) return &type;
  }
  return nullptr;
}

const TypeWord& find_type(BaseType base) {
  for (const TypeWord& type : kTypeWords) {
    if (type.base == base) return type;
  }
  return kTypeWords[0];
}

bool is_unconstrained(BaseType base) { return find_type(base).takes_bounds; }

}  // namespace

// ---- names ----

ast::Name Parser::parse_name(std::string_view what) {
  const Token& token = peek();
  if (token.kind != TokenKind::word) fail_expected(what);
  const std::string_view word = text(token);
  if (is_reserved(word) && !was_once_free(word)) {
    fail("reserved-word", token.span,
         "Expected " + std::string(what) + ", but '" + std::string(word) + "' is a word of the language.",
         "Choose another name, for example '" + std::string(word) + "_'.");
  }
  take();
  return {word, token.span};
}

ast::Name Parser::parse_declared_name(bool after_comma) {
  if (at(Punct::less)) {
    fail("syntax", peek().span, "Expected a name, but found '<'.",
         "Bounds stand between the type and the sizes: real<lower=0> x; vector<lower=0>[N] y;");
  }
  if (after_comma && peek().kind == TokenKind::word && is_type_word(text(peek())) && !at_word("array")) {
    fail("reserved-word", peek().span, "Expected another name, but found the type " + found() + ".",
         "Declarations of different types are separated by ';'.");
  }
  return parse_name("a name");
}

// ---- sized types ----

// `array` is a type unless an old program uses it as a name: array[...] is followed by a type or by tuple.
bool Parser::array_begins_type() const {
  if (!at_word("array") || !at(Punct::left_bracket, 1))
    return at_word("array") && peek(1).kind == TokenKind::word;
  std::size_t ahead = 1;
  int open = 0;
  do {
    if (at(Punct::left_bracket, ahead)) ++open;
    if (at(Punct::right_bracket, ahead)) --open;
    if (peek(ahead).kind == TokenKind::end || at(Punct::semicolon, ahead)) return true;
    ++ahead;
  } while (open > 0);
  return peek(ahead).kind == TokenKind::word;
}

DeclType* Parser::parse_sized_type(bool global) {
  const Nest nest(*this);
  if (!at_word("array")) return at_word("tuple") ? parse_tuple_type(global, true) : parse_sized_base(global);
  const Token first = take();
  expect(Punct::left_bracket, "after 'array': its sizes");
  std::vector<ast::Expr*> sizes;
  do {
    if (at(Punct::comma) || at(Punct::right_bracket)) {
      fail_expected("a size", "A declared array needs all its sizes: array[N, M] real x;");
    }
    sizes.push_back(parse_expr());
  } while (accept(Punct::comma));
  expect(Punct::right_bracket, "to close the sizes of the array");
  if (at_word("array")) {
    fail("syntax", peek().span, "The elements of an array cannot be arrays.",
         "Give one array several sizes: array[N, M] real x;");
  }
  DeclType* type = at_word("tuple") ? parse_tuple_type(global, true) : parse_sized_base(global);
  type->array_sizes = list(sizes);
  type->array_rank = static_cast<int>(sizes.size());
  type->span = span_since(first);
  return type;
}

BaseType Parser::parse_base_type() {
  const TypeWord* type = peek().kind == TokenKind::word ? find_type(text(peek())) : nullptr;
  if (type == nullptr) fail_expected("a type");
  take();
  return type->base;
}

DeclType* Parser::parse_sized_base(bool global) {
  const Token first = peek();
  DeclType type;
  type.base = parse_base_type();
  const TypeWord& record = find_type(type.base);
  if (!global && !record.takes_bounds) {
    fail("local-constraint", first.span,
         "'" + std::string(record.word) + "' is a constrained type; a local variable has none.",
         "Use " +
             std::string(record.max_sizes == 1 && record.base <= BaseType::sum_to_zero_vector
                             ? "vector[N]"
                             : "matrix[R, C]") +
             " inside a block or function, or declare the variable at the top of its block.");
  }
  if (at(Punct::less)) parse_bounds(type, global);
  parse_sizes(type, record.word);
  type.span = span_since(first);
  return tree_.arena->make(type);
}

void Parser::parse_bounds(DeclType& type, bool global) {
  const Token open = peek();
  if (!global) {
    fail("local-constraint", open.span, "A local variable has no bounds.",
         "Declare it without <...>, or move it to the top of a block.");
  }
  if (!is_unconstrained(type.base)) {
    fail("syntax", open.span, "'" + std::string(find_type(type.base).word) + "' takes no bounds.");
  }
  take();
  parse_bound(type.bounds);
  if (accept(Punct::comma)) parse_bound(type.bounds);
  const ast::Bounds& b = type.bounds;
  const bool ranged = b.lower != nullptr || b.upper != nullptr;
  const bool scaled = b.offset != nullptr || b.multiplier != nullptr;
  if (ranged && scaled) {
    fail("syntax", previous().span, "Bounds and offset/multiplier cannot be combined.",
         "Use either <lower=..., upper=...> or <offset=..., multiplier=...>.");
  }
  if (scaled && type.base == BaseType::int_) {
    fail("syntax", span_since(open), "An int has no offset or multiplier.", "Use lower and upper.");
  }
  if (!at(Punct::greater))
    fail_expected("'>' to close the bounds", "Put parentheses around a comparison in a bound.");
  take();
}

void Parser::parse_bound(ast::Bounds& bounds) {
  const Token word = peek();
  ast::Expr** slot = nullptr;
  if (at_word("lower")) slot = &bounds.lower;
  if (at_word("upper")) slot = &bounds.upper;
  if (at_word("offset")) slot = &bounds.offset;
  if (at_word("multiplier")) slot = &bounds.multiplier;
  if (slot == nullptr) fail_expected("lower, upper, offset or multiplier");
  if (*slot != nullptr) fail("syntax", word.span, "'" + std::string(text(word)) + "' is given twice.");
  take();
  expect(Punct::assign, "after '" + std::string(text(word)) + "'");
  *slot = parse_bound_expr();
}

void Parser::parse_sizes(DeclType& type, std::string_view type_name) {
  const TypeWord& record = find_type(type.base);
  if (record.max_sizes == 0) return;
  const std::string example = std::string(type_name) + (record.min_sizes == 2 ? "[R, C] x;" : "[N] x;");
  if (!at(Punct::left_bracket)) {
    fail_expected("'[' and the size of the " + std::string(type_name), "For example: " + example);
  }
  take();
  std::vector<ast::Expr*> sizes{parse_expr()};
  while (static_cast<int>(sizes.size()) < record.max_sizes && accept(Punct::comma))
    sizes.push_back(parse_expr());
  if (static_cast<int>(sizes.size()) < record.min_sizes) {
    fail_expected("',' and the second size of the " + std::string(type_name), "For example: " + example);
  }
  expect(Punct::right_bracket, "to close the size of the " + std::string(type_name));
  type.sizes = list(sizes);
}

// tuple(T, ...): one element needs a trailing comma, as in tuple(real, ).
DeclType* Parser::parse_tuple_type(bool global, bool sized) {
  const Nest nest(*this);
  const Token first = take();
  DeclType type;
  type.base = BaseType::tuple;
  type.is_sized = sized;
  expect(Punct::left_paren, "after 'tuple': its element types");
  const auto element = [&] {
    if (at_word("data"))
      fail_expected("a type", "'data' stands before a whole argument, not inside a tuple.");
    return sized ? parse_sized_type(global) : parse_unsized_type();
  };
  std::vector<DeclType*> elements{element()};
  expect(Punct::comma, "after the first type of a tuple");
  if (!at(Punct::right_paren)) {
    do elements.push_back(element());
    while (accept(Punct::comma));
  }
  expect(Punct::right_paren, "to close the types of the tuple");
  type.elements = list(elements);
  type.span = span_since(first);
  return tree_.arena->make(type);
}

// ---- unsized types ----

DeclType* Parser::parse_unsized_type() {
  const Nest nest(*this);
  const Token first = peek();
  int rank = 0;
  if (at_word("array")) {
    take();
    rank = parse_unsized_dims();
  }
  DeclType* type = nullptr;
  if (at_word("tuple")) {
    type = parse_tuple_type(false, false);
  } else {
    DeclType basic;
    basic.is_sized = false;
    basic.base = parse_base_type();
    if (!is_unconstrained(basic.base) || at(Punct::less)) {
      const Span span = is_unconstrained(basic.base) ? peek().span : previous().span;
      fail("syntax", span, "The types of functions have no constraints.",
           "Use int, real, complex, vector, row_vector, matrix, tuple or arrays of them.");
    }
    type = tree_.arena->make(basic);
  }
  if (at(Punct::left_bracket)) {  // old: real[,]
    if (rank > 0) fail_expected("a name");
    rank = parse_unsized_dims();
    const std::string modern =
        "array[" + std::string(static_cast<std::size_t>(rank - 1), ',') + "] " + std::string(text(first));
    warn_old("old-array", span_since(first),
             "Arrays were written '" + std::string(sources_.text(span_since(first))) + "' in old Stan.",
             modern);
  }
  type->array_rank = rank;
  type->span = span_since(first);
  return type;
}

int Parser::parse_unsized_dims() {
  expect(Punct::left_bracket, "after 'array'");
  int rank = 1;
  while (accept(Punct::comma)) ++rank;
  if (!at(Punct::right_bracket)) {
    fail_expected("']' or ','", "The types of functions have no sizes: array[,] real, vector.");
  }
  take();
  if (rank > 255) fail("syntax", previous().span, "An array has at most 255 dimensions.");
  return rank;
}

}  // namespace kullback::lang
