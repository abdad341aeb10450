#include "lang/print_program/expr_text.hpp"

#include <fmt/format.h>

#include <vector>

#include "lang/visit.hpp"

namespace kullback::lang {
namespace {

void append_list(std::string& out, List<const Expr*> list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ", ";
    out += stan_text(*list[i]);
  }
}

bool is_density_name(std::string_view name) {
  for (std::string_view suffix : {"_lpdf", "_lpmf", "_cdf", "_lcdf", "_lccdf"}) {
    if (name.ends_with(suffix)) return true;
  }
  return false;
}

// normal_lpdf as normal_lupdf.
std::string unnormalized(std::string_view density) {
  std::string name(density);
  name.insert(name.size() - 3, 1, 'u');
  return name;
}

std::string call_text(const Call& call) {
  std::string out(call.name);
  const auto* function = call.arguments.empty() ? nullptr : call.arguments[0]->as<FunctionRef>();
  if (call.drop_constants && function == nullptr) out = unnormalized(call.name);
  out += '(';
  if (call.drop_constants && function != nullptr) {
    out += unnormalized(function->name) + ", ";
    append_list(out, call.arguments.subspan(1));
  } else if (is_density_name(call.name) && call.arguments.size() > 1) {
    out += stan_text(*call.arguments[0]);
    out += " | ";
    append_list(out, call.arguments.subspan(1));
  } else {
    append_list(out, call.arguments);
  }
  out += ')';
  return out;
}

std::string index_text(const Index& index) {
  using Kind = ast::Index::Kind;
  switch (index.kind) {
    case Kind::all: return ":";
    case Kind::single: return stan_text(*index.low);
    case Kind::from: return stan_text(*index.low) + ":";
    case Kind::to: return ":" + stan_text(*index.high);
    case Kind::between: return stan_text(*index.low) + ":" + stan_text(*index.high);
  }
  return {};
}

std::string parenthesized(const Expr& expr, int at_least) {
  std::string text = stan_text(expr);
  return text_binding(expr) < at_least ? "(" + text + ")" : text;
}

std::string indexed_text(const Indexed& indexed) {
  std::string out = parenthesized(*indexed.base, kAtom) + "[";
  for (std::size_t i = 0; i < indexed.indices.size(); ++i) {
    if (i > 0) out += ", ";
    out += index_text(indexed.indices[i]);
  }
  return out + "]";
}

std::string unary_text(const Unary& unary) {
  if (unary.op == Op::transpose) return parenthesized(*unary.operand, kAtom) + "'";
  return std::string(to_string(unary.op)) + parenthesized(*unary.operand, kPrefixBinding);
}

std::string ternary_text(const Ternary& ternary) {
  return parenthesized(*ternary.condition, kTernaryBinding + 1) + " ? " + stan_text(*ternary.yes) + " : " +
         stan_text(*ternary.no);
}

template <class Literal>
std::string literal_text(char open, const Literal& literal, char close) {
  std::string out(1, open);
  append_list(out, literal.elements);
  out += close;
  return out;
}

// Everything but a Binary, whose left spine stan_text walks in a loop.
std::string node_text(const Expr& expr) {
  if (const auto* n = expr.as<IntConstant>()) return fmt::format("{}", n->value);
  if (const auto* n = expr.as<RealConstant>()) return number_text(n->value);
  if (const auto* n = expr.as<ImagConstant>()) return number_text(n->value) + "i";
  if (const auto* n = expr.as<StringConstant>()) return fmt::format("\"{}\"", n->text);
  if (const auto* n = expr.as<VariableRef>()) return std::string(n->variable->name);
  if (const auto* n = expr.as<FunctionRef>()) return std::string(n->name);
  if (const auto* n = expr.as<Unary>()) return unary_text(*n);
  if (const auto* n = expr.as<Ternary>()) return ternary_text(*n);
  if (const auto* n = expr.as<Call>()) return call_text(*n);
  if (const auto* n = expr.as<ArrayLiteral>()) return literal_text('{', *n, '}');
  if (const auto* n = expr.as<RowVectorLiteral>()) return literal_text('[', *n, ']');
  if (const auto* n = expr.as<TupleLiteral>()) return literal_text('(', *n, ')');
  if (const auto* n = expr.as<Indexed>()) return indexed_text(*n);
  if (const auto* n = expr.as<TupleGet>()) {
    return fmt::format("{}.{}", parenthesized(*n->base, kAtom), n->slot);
  }
  return "target()";
}

bool is_square(Constraint constraint) {
  return constraint == Constraint::cholesky_factor_corr || constraint == Constraint::corr_matrix ||
         constraint == Constraint::cov_matrix;
}

std::string bounds_text(const SizedType& type) {
  std::string out;
  const auto add = [&out](std::string_view word, const Expr* bound) {
    if (!bound) return;
    if (!out.empty()) out += ", ";
    out += fmt::format("{}={}", word, parenthesized(*bound, binding(Op::plus)));
  };
  add("lower", type.lower);
  add("upper", type.upper);
  add("offset", type.offset);
  add("multiplier", type.multiplier);
  return out.empty() ? out : "<" + out + ">";
}

std::string tuple_text(const SizedType& type) {
  std::string out = "tuple(";
  for (std::size_t i = 0; i < type.elements.size(); ++i) {
    if (i > 0) out += ", ";
    out += stan_text(*type.elements[i]);
  }
  return out + ")";
}

}  // namespace

std::string number_text(double value) { return fmt::format("{}", value); }

std::string_view constraint_keyword(const SizedType& type) {
  const bool is_matrix = type.type->kind == math::Kind::matrix;
  switch (type.constraint) {
    case Constraint::ordered: return "ordered";
    case Constraint::positive_ordered: return "positive_ordered";
    case Constraint::simplex: return "simplex";
    case Constraint::unit_vector: return "unit_vector";
    case Constraint::sum_to_zero: return is_matrix ? "sum_to_zero_matrix" : "sum_to_zero_vector";
    case Constraint::cholesky_factor_corr: return "cholesky_factor_corr";
    case Constraint::cholesky_factor_cov: return "cholesky_factor_cov";
    case Constraint::corr_matrix: return "corr_matrix";
    case Constraint::cov_matrix: return "cov_matrix";
    case Constraint::column_stochastic: return "column_stochastic_matrix";
    case Constraint::row_stochastic: return "row_stochastic_matrix";
    default: return {};
  }
}

int text_binding(const Expr& expr) {
  const Expr& e = unpromoted(expr);
  if (const auto* binary = e.as<Binary>()) return binding(binary->op);
  if (const auto* unary = e.as<Unary>()) return unary->op == Op::transpose ? kAtom : kPrefixBinding;
  if (e.as<Ternary>()) return kTernaryBinding;
  if (const auto* n = e.as<IntConstant>()) return n->value < 0 ? kPrefixBinding : kAtom;
  if (const auto* n = e.as<RealConstant>()) return n->value < 0 ? kPrefixBinding : kAtom;
  return kAtom;
}

std::string join_text(std::string left, int left_binding, Op op, std::string_view right, int right_binding) {
  const int strength = binding(op);
  const bool right_first = is_right_associative(op);
  if (left_binding < strength || (left_binding == strength && right_first)) {
    left.insert(left.begin(), '(');
    left += ')';
  }
  const bool tight = op == Op::pow || op == Op::elt_pow;
  if (!tight) left += ' ';
  left += to_string(op);
  if (!tight) left += ' ';
  const bool wrap = right_binding < strength || (right_binding == strength && !right_first);
  if (wrap) left += '(';
  left += right;
  if (wrap) left += ')';
  return left;
}

std::string stan_text(const Expr& expr) {
  std::vector<const Binary*> spine;
  const Expr* first = &unpromoted(expr);
  while (const auto* binary = first->as<Binary>()) {
    spine.push_back(binary);
    first = &unpromoted(*binary->left);
  }
  std::string out = node_text(*first);
  int strength = text_binding(*first);
  for (std::size_t i = spine.size(); i-- > 0;) {
    const Binary& binary = *spine[i];
    out =
        join_text(std::move(out), strength, binary.op, stan_text(*binary.right), text_binding(*binary.right));
    strength = binding(binary.op);
  }
  return out;
}

std::string stan_text(const SizedType& type) {
  std::string out;
  if (!type.array_sizes.empty()) {
    out = "array[";
    append_list(out, type.array_sizes);
    out += "] ";
  }
  if (!type.elements.empty()) return out + tuple_text(type);
  const std::string_view constrained = constraint_keyword(type);
  if (constrained.empty()) {
    math::Type scalar = *type.type;
    scalar.array_rank = 0;
    out += math::to_string(scalar);
  } else {
    out += constrained;
  }
  out += bounds_text(type);
  if (!type.sizes.empty()) {
    out += '[';
    append_list(out, is_square(type.constraint) ? type.sizes.first(1) : type.sizes);
    out += ']';
  }
  return out;
}

}  // namespace kullback::lang
