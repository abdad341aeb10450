#include "lang/lint/expr_tools.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "lang/visit.hpp"

namespace kullback::lang {
namespace {

constexpr int kMaxDepth = 16;

std::optional<double> constant_call(const Call& call) {
  if (call.user || !call.arguments.empty()) return {};
  if (call.name == "pi") return std::numbers::pi;
  if (call.name == "e") return std::numbers::e;
  if (call.name == "sqrt2") return std::numbers::sqrt2;
  if (call.name == "positive_infinity") return std::numeric_limits<double>::infinity();
  if (call.name == "negative_infinity") return -std::numeric_limits<double>::infinity();
  return {};
}

std::optional<double> apply(Op op, double left, double right) {
  switch (op) {
    case Op::plus: return left + right;
    case Op::minus: return left - right;
    case Op::times: return left * right;
    case Op::divide: return left / right;
    case Op::pow: return std::pow(left, right);
    default: return {};
  }
}

std::optional<double> value_of(const Expr& expr, int depth) {
  if (depth > kMaxDepth) return {};
  if (const auto* n = expr.as<IntConstant>()) return n->value;
  if (const auto* n = expr.as<RealConstant>()) return n->value;
  if (const auto* n = expr.as<Promote>()) return value_of(*n->from, depth + 1);
  if (const auto* n = expr.as<Call>()) return constant_call(*n);
  if (const auto* n = expr.as<Unary>()) {
    const auto inner = value_of(*n->operand, depth + 1);
    if (!inner || (n->op != Op::minus && n->op != Op::plus)) return {};
    return n->op == Op::minus ? -*inner : *inner;
  }
  if (const auto* n = expr.as<Binary>()) {
    if (n->op == Op::divide && expr.type->is(math::Kind::int_)) return {};
    const auto right = value_of(*n->right, depth + 1);
    if (!right) return {};
    const auto left = value_of(*n->left, depth + 1);
    return left ? apply(n->op, *left, *right) : std::nullopt;
  }
  return {};
}

bool same(const Expr& a, const Expr& b, int depth);

bool same_list(List<const Expr*> a, List<const Expr*> b, int depth) {
  if (a.size() != b.size() || a.size() > 16) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(*a[i], *b[i], depth)) return false;
  }
  return true;
}

bool same_or_absent(const Expr* a, const Expr* b, int depth) {
  return (!a && !b) || (a && b && same(*a, *b, depth));
}

bool same_indices(const Indexed& a, const Indexed& b, int depth) {
  if (a.indices.size() != b.indices.size() || !same(*a.base, *b.base, depth)) return false;
  for (std::size_t i = 0; i < a.indices.size(); ++i) {
    const Index& x = a.indices[i];
    const Index& y = b.indices[i];
    if (x.kind != y.kind || !same_or_absent(x.low, y.low, depth) || !same_or_absent(x.high, y.high, depth)) {
      return false;
    }
  }
  return true;
}

bool same(const Expr& first, const Expr& second, int depth) {
  if (depth > kMaxDepth) return false;
  const Expr& a = unpromoted(first);
  const Expr& b = unpromoted(second);
  if (const auto value = constant_value(a)) return value == constant_value(b);
  if (a.node.index() != b.node.index()) return false;
  if (const auto* n = a.as<VariableRef>()) return n->variable == b.as<VariableRef>()->variable;
  if (const auto* n = a.as<Unary>()) {
    return n->op == b.as<Unary>()->op && same(*n->operand, *b.as<Unary>()->operand, depth + 1);
  }
  if (const auto* n = a.as<Binary>()) {
    const auto* m = b.as<Binary>();
    return n->op == m->op && same(*n->right, *m->right, depth + 1) && same(*n->left, *m->left, depth + 1);
  }
  if (const auto* n = a.as<Call>()) {
    const auto* m = b.as<Call>();
    return n->name == m->name && n->user == m->user && same_list(n->arguments, m->arguments, depth + 1);
  }
  if (const auto* n = a.as<Indexed>()) return same_indices(*n, *b.as<Indexed>(), depth + 1);
  return false;
}

}  // namespace

const Variable* root_variable(const Expr& expr) {
  const Expr* e = &expr;
  while (true) {
    if (const auto* n = e->as<VariableRef>()) return n->variable;
    if (const auto* n = e->as<Promote>()) {
      e = n->from;
    } else if (const auto* m = e->as<Indexed>()) {
      e = m->base;
    } else if (const auto* t = e->as<TupleGet>()) {
      e = t->base;
    } else {
      return nullptr;
    }
  }
}

const Variable* whole_variable(const Expr& expr) {
  const auto* ref = unpromoted(expr).as<VariableRef>();
  return ref ? ref->variable : nullptr;
}

std::optional<double> constant_value(const Expr& expr) { return value_of(expr, 0); }

bool same_expr(const Expr& a, const Expr& b) { return same(a, b, 0); }

bool mentions(const Expr& expr, const Variable& variable) {
  bool found = false;
  for_each_expr(expr, [&](const Expr& e) {
    const auto* ref = e.as<VariableRef>();
    if (ref && ref->variable == &variable) found = true;
    return !found;
  });
  return found;
}

bool is_size_function(std::string_view name) {
  return name == "size" || name == "num_elements" || name == "rows" || name == "cols" || name == "dims";
}

std::string_view without_suffix(std::string_view name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : std::string_view();
}

}  // namespace kullback::lang
