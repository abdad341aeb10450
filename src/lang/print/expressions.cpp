#include "lang/print/expressions.hpp"

#include <algorithm>
#include <string>
#include <vector>

// Every expression has a strength: how tightly its outermost operator binds. It gets parentheses where
// its place asks for more. Left spines (a + b - c ..., x[1][2]'...) are walked in a loop, because
// generated programs have sums of ten thousands of terms.

namespace kullback::lang::layout {

namespace {

using namespace ast;

constexpr int kPrefixStrength = 9;  // tighter than %/% and \, looser than ^
constexpr int kPostfixStrength = 11;
constexpr int kPrimary = 20;
constexpr int kArithmetic = 6;  // the loosest that may stand bare in <lower=...>

constexpr std::string_view kTypeWords[] = {
    "void",
    "int",
    "real",
    "complex",
    "vector",
    "row_vector",
    "matrix",
    "complex_vector",
    "complex_row_vector",
    "complex_matrix",
    "tuple",
    "ordered",
    "positive_ordered",
    "simplex",
    "unit_vector",
    "sum_to_zero_vector",
    "sum_to_zero_matrix",
    "cholesky_factor_corr",
    "cholesky_factor_cov",
    "corr_matrix",
    "cov_matrix",
    "column_stochastic_matrix",
    "row_stochastic_matrix",
};

int strength(const Expr& expr) {
  if (expr.as<Ternary>()) return kTernaryBinding;
  if (const auto* binary = expr.as<Binary>()) return binding(binary->op);
  if (expr.as<Prefix>()) return kPrefixStrength;
  return expr.as<Postfix>() ? kPostfixStrength : kPrimary;
}

// The operand that a postfix form is applied to, or null.
const Expr* postfix_base(const Expr& expr) {
  if (const auto* postfix = expr.as<Postfix>()) return postfix->operand;
  if (const auto* indexed = expr.as<Indexed>()) return indexed->base;
  if (const auto* get = expr.as<TupleGet>()) return get->base;
  return nullptr;
}

// Whether `low:high` reads well without blanks.
bool is_short(const Expr& expr) { return strength(expr) >= kPostfixStrength; }

bool leads(const PlacedComment& comment) { return !comment.ends_line && !comment.owns_line(); }

Span last_byte(Span span) { return {span.file, span.end > span.begin ? span.end - 1 : span.end, span.end}; }

}  // namespace

std::string_view keyword(BaseType type) { return kTypeWords[static_cast<int>(type)]; }

// Three kinds. One that ends its line stays behind what it stands behind; one with a line of its own keeps
// it; any other leads what it stands before. So none of them changes its kind when lines break.
void ExpressionPrinter::flush(Span before, Gap gap) {
  for (const PlacedComment& comment : take_comments(before)) {
    if (leads(comment) && gap == Gap::line) {
      doc_.line();
      gap = Gap::space;
    }
    print_comment(comment, gap);
  }
  if (gap == Gap::line) doc_.line();
}

// A comment that leads only a comment (because brackets between them were moved) is of that one's kind.
std::vector<PlacedComment> ExpressionPrinter::take_comments(Span before) {
  std::vector<PlacedComment> batch;
  if (comments_ == nullptr || is_foreign(before)) return batch;
  while (const PlacedComment* comment = comments_->peek(before.begin)) {
    batch.push_back(*comment);
    comments_->take();
  }
  for (std::size_t i = batch.size(); i-- > 1;) {
    PlacedComment& first = batch[i - 1];
    if (!leads(first) || leads(batch[i])) continue;
    first.ends_line = true;
    first.is_last = batch[i].owns_line() && batch[i].is_first;
    if (!first.is_last) batch[i].is_first = false;
  }
  return batch;
}

void ExpressionPrinter::print_comment(const PlacedComment& comment, Gap gap) {
  if (comment.owns_line()) {
    if (comment.is_first) doc_.hard();
    doc_.comment(comment.text, comment.column);
    if (comment.is_last) doc_.hard();
  } else if (comment.ends_line) {
    doc_.trailing_comment(comment.text, comment.column, !comment.is_last);
  } else {
    doc_.comment(comment.text, comment.column);
    if (gap == Gap::space) doc_.text(" ");
  }
}

void ExpressionPrinter::print_token(std::string_view text, Span at) {
  flush(at, Gap::space);
  doc_.text(text);
}

void ExpressionPrinter::print_name(const Name& name) { print_token(name.text, name.span); }

void ExpressionPrinter::print(const Expr& expr, int least) {
  if (is_foreign(expr.span)) return;
  if (strength(expr) >= least) {
    print_node(expr);
    return;
  }
  doc_.text("(");
  print_node(expr);
  doc_.text(")");
}

void ExpressionPrinter::print_node(const Expr& expr) {
  if (const auto* binary = expr.as<Binary>()) {
    is_right_associative(binary->op) ? print_power(expr) : print_chain(expr);
  } else if (postfix_base(expr) != nullptr) {
    print_postfixes(expr);
  } else if (const auto* integer = expr.as<IntLiteral>()) {
    print_token(integer->text, expr.span);
  } else if (const auto* real = expr.as<RealLiteral>()) {
    print_token(real->text, expr.span);
  } else if (const auto* imaginary = expr.as<ImagLiteral>()) {
    print_token(imaginary->text, expr.span);
    doc_.text("i");
  } else if (const auto* string = expr.as<StringLiteral>()) {
    print_token(string->text, expr.span);
  } else if (const auto* variable = expr.as<Variable>()) {
    print_name(variable->name);
  } else if (const auto* paren = expr.as<Paren>()) {
    Expr* inner[] = {paren->inner};
    print_enclosed("(", inner, ")", expr.span);
  } else if (const auto* prefix = expr.as<Prefix>()) {
    print_token(to_string(prefix->op), expr.span);
    print(*prefix->operand, kPrefixStrength);
  } else if (const auto* ternary = expr.as<Ternary>()) {
    print_ternary(*ternary);
  } else if (const auto* call = expr.as<Call>()) {
    print_call(*call, expr.span);
  } else if (const auto* array = expr.as<ArrayLiteral>()) {
    print_enclosed("{", array->elements, "}", expr.span);
  } else if (const auto* row = expr.as<RowVectorLiteral>()) {
    print_enclosed("[", row->elements, "]", expr.span);
  } else if (const auto* tuple = expr.as<TupleLiteral>()) {
    print_enclosed("(", tuple->elements, tuple->elements.size() == 1 ? ",)" : ")", expr.span);
  } else {
    print_token("target()", expr.span);
  }
}

void ExpressionPrinter::print_chain(const Expr& expr) {
  const int strength_here = strength(expr);
  std::vector<const Binary*> spine;
  const Expr* first = &expr;
  while (const auto* binary = first->as<Binary>()) {
    if (binding(binary->op) != strength_here) break;
    spine.push_back(binary);
    first = binary->left;
  }
  doc_.open();
  print(*first, strength_here);
  for (auto binary = spine.rbegin(); binary != spine.rend(); ++binary) {
    const Expr& right = *(*binary)->right;
    flush((*binary)->op_span, Gap::line);
    doc_.text(to_string((*binary)->op));
    doc_.text(" ");
    print(right, right.as<Prefix>() ? 0 : strength_here + 1);
  }
  doc_.close();
}

void ExpressionPrinter::print_power(const Expr& expr) {
  const Expr* rest = &expr;
  const int strength_here = strength(expr);
  while (const auto* binary = rest->as<Binary>()) {
    if (binding(binary->op) != strength_here) break;
    print(*binary->left, strength_here + 1);
    flush(binary->op_span, Gap::none);
    doc_.text(" ");
    doc_.text(to_string(binary->op));
    doc_.text(" ");
    rest = binary->right;
  }
  print(*rest, rest->as<Prefix>() ? 0 : strength_here);
}

void ExpressionPrinter::print_postfixes(const Expr& expr) {
  std::vector<const Expr*> spine;
  const Expr* base = &expr;
  int least = kPostfixStrength;
  while (const Expr* next = postfix_base(*base)) {
    if (strength(*base) < least) break;
    least = strength(*base);
    spine.push_back(base);
    base = next;
  }
  print(*base, least);
  for (auto form = spine.rbegin(); form != spine.rend(); ++form) print_postfix(**form);
}

void ExpressionPrinter::print_postfix(const Expr& expr) {
  if (const auto* postfix = expr.as<Postfix>()) {
    flush(last_byte(expr.span), Gap::none);
    doc_.text(to_string(postfix->op));
  } else if (const auto* get = expr.as<TupleGet>()) {
    doc_.own("." + std::to_string(get->slot));
  } else if (const auto* indexed = expr.as<Indexed>()) {
    doc_.text("[");
    doc_.open();
    for (std::size_t i = 0; i < indexed->indices.size(); ++i) {
      if (i > 0) {
        doc_.text(",");
        doc_.line();
      }
      print_index(indexed->indices[i]);
    }
    flush(last_byte(expr.span), Gap::none);
    doc_.close();
    doc_.text("]");
  }
}

void ExpressionPrinter::print_index(const Index& index) {
  switch (index.kind) {
    case Index::Kind::all:
      if (index.colon) doc_.text(":");
      break;
    case Index::Kind::single: print(*index.low); break;
    case Index::Kind::from:
      print(*index.low);
      doc_.text(":");
      break;
    case Index::Kind::to:
      doc_.text(":");
      print(*index.high);
      break;
    case Index::Kind::between: print_range(*index.low, *index.high); break;
  }
}

void ExpressionPrinter::print_range(const Expr& low, const Expr& high) {
  print(low);
  doc_.text(is_short(low) && is_short(high) ? ":" : " : ");
  print(high);
}

void ExpressionPrinter::print_ternary(const Ternary& ternary) {
  doc_.open();
  const Ternary* rest = &ternary;
  while (true) {
    print(*rest->condition, kTernaryBinding + 1);
    flush(rest->yes->span, Gap::line);
    doc_.text("? ");
    print(*rest->yes);
    flush(rest->no->span, Gap::line);
    doc_.text(": ");
    const auto* next = rest->no->as<Ternary>();
    if (next == nullptr || is_foreign(rest->no->span)) break;
    rest = next;
  }
  print(*rest->no, kTernaryBinding);
  doc_.close();
}

void ExpressionPrinter::print_list(std::span<Expr* const> items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) {
      doc_.text(",");
      doc_.line();
    }
    print(*items[i]);
  }
}

void ExpressionPrinter::print_call(const Call& call, Span span) {
  print_name(call.function);
  if (!call.bar || call.arguments.empty()) {
    print_enclosed("(", call.arguments, ")", span);
    return;
  }
  doc_.text("(");
  doc_.open();
  print(*call.arguments[0]);
  doc_.text(" |");
  doc_.line();
  print_list(call.arguments.subspan(1));
  flush(last_byte(span), Gap::none);
  doc_.close();
  doc_.text(")");
}

void ExpressionPrinter::print_enclosed(std::string_view open, std::span<Expr* const> items,
                                       std::string_view close, Span span) {
  print_token(open, span);
  doc_.open();
  print_list(items);
  flush(last_byte(span), Gap::none);
  doc_.close();
  doc_.text(close);
}

void ExpressionPrinter::print_array_type(const DeclType& type) {
  static constexpr std::string_view kCommas = ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,";
  doc_.text("array[");
  if (type.is_sized) {
    doc_.open();
    print_list(type.array_sizes);
    doc_.close();
  } else {
    for (std::size_t left = static_cast<std::size_t>(type.array_rank) - 1; left > 0;) {
      const std::size_t now = std::min(left, kCommas.size());
      doc_.text(kCommas.substr(0, now));
      left -= now;
    }
  }
  doc_.text("] ");
}

void ExpressionPrinter::print_bounds(const Bounds& bounds) {
  struct Bound {
    std::string_view word;
    const Expr* value;
  };
  const Bound all[] = {{"lower=", bounds.lower},
                       {"upper=", bounds.upper},
                       {"offset=", bounds.offset},
                       {"multiplier=", bounds.multiplier}};
  bool first = true;
  for (const Bound& bound : all) {
    if (bound.value == nullptr) continue;
    if (!first) doc_.text(",");
    first ? doc_.text("<") : doc_.line();
    if (first) doc_.open();
    first = false;
    doc_.text(bound.word);
    print(*bound.value, kArithmetic);
  }
  if (first) return;
  doc_.close();
  doc_.text(">");
}

void ExpressionPrinter::print_type(const DeclType& type) {
  flush(type.span, Gap::space);
  if (type.array_rank > 0) print_array_type(type);
  doc_.text(keyword(type.base));
  if (type.base == BaseType::tuple) {
    doc_.text("(");
    doc_.open();
    for (std::size_t i = 0; i < type.elements.size(); ++i) {
      if (i > 0) {
        doc_.text(",");
        doc_.line();
      }
      print_type(*type.elements[i]);
    }
    doc_.close();
    doc_.text(type.elements.size() == 1 ? ",)" : ")");
  }
  print_bounds(type.bounds);
  if (type.sizes.empty()) return;
  doc_.text("[");
  doc_.open();
  print_list(type.sizes);
  doc_.close();
  doc_.text("]");
}

}  // namespace kullback::lang::layout
