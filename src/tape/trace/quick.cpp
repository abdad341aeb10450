// Scalar expressions without temporaries: loops over single numbers are where tracing spends its time.
// Whether an expression is of this kind is found once for each place in the program; what comes out is what
// the general code gives, and what goes wrong is left to it, for its messages.
#include <algorithm>
#include <array>
#include <cmath>

#include "math/distribution.hpp"
#include "math/elementwise.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::tape {

using lang::Expr;
using lang::Op;
using math::Kind;

namespace {

constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxArguments = 16;

bool is_scalar(const math::Type& type) { return type.is(Kind::int_) || type.is(Kind::real); }

const math::Elementwise* arithmetic(Op op) {
  switch (op) {
    case Op::plus: return math::find_elementwise("add");
    case Op::minus: return math::find_elementwise("subtract");
    case Op::times: return math::find_elementwise("multiply");
    case Op::divide: return math::find_elementwise("divide");
    case Op::pow: return math::find_elementwise("pow");
    default: return nullptr;
  }
}

bool outcome_of(Op op, int a, int b) {
  switch (op) {
    case Op::equal: return a == b;
    case Op::not_equal: return a != b;
    case Op::less: return a < b;
    case Op::less_equal: return a <= b;
    case Op::greater: return a > b;
    default: return a >= b;
  }
}

}  // namespace

bool Tracer::finds_quick(const Expr& expr, QuickNode& node, int depth) {
  if (depth > kMaxDepth || !is_scalar(*expr.type)) return false;
  const bool is_int = expr.type->is_int();
  const auto child = [&](const Expr* e) { return quick(*e, depth + 1).quick; };
  if (expr.as<lang::IntConstant>() != nullptr || expr.as<lang::RealConstant>() != nullptr ||
      expr.as<lang::VariableRef>() != nullptr) {
    return true;
  }
  if (const auto* n = expr.as<lang::Promote>()) return child(n->from);
  if (const auto* n = expr.as<lang::Unary>()) {
    if (n->op == Op::not_ && !n->operand->type->is_int()) return false;
    node.f = math::find_elementwise("minus");
    return (n->op == Op::minus || n->op == Op::plus || n->op == Op::not_) && child(n->operand);
  }
  if (const auto* n = expr.as<lang::Binary>()) {
    const bool integral = n->op == Op::plus || n->op == Op::minus || n->op == Op::times;
    node.f = arithmetic(n->op);
    const bool known = lang::is_comparison(n->op) || (is_int ? integral : node.f != nullptr);
    return known && child(n->left) && child(n->right);
  }
  if (const auto* n = expr.as<lang::Ternary>()) return child(n->condition) && child(n->yes) && child(n->no);
  if (const auto* n = expr.as<lang::Indexed>()) return finds_quick_element(*n, depth);
  if (const auto* n = expr.as<lang::Call>()) {
    if (n->user != nullptr || !finds_quick_call(expr, *n, node)) return false;
    return std::all_of(n->arguments.begin(), n->arguments.end(), child);
  }
  return false;
}

bool Tracer::finds_quick_call(const Expr& expr, const lang::Call& call, QuickNode& node) {
  if (find_structural(call.name) != nullptr) return false;
  if (call.name.ends_with("_rng")) {
    node.distribution = random_ == nullptr ? nullptr : univariate_random(call.name);
    return node.distribution != nullptr;
  }
  if (expr.type->is_int()) return false;
  if (call.name.ends_with("_lpdf") || call.name.ends_with("_lpmf")) {
    constexpr std::size_t kSuffix = 5;
    node.distribution = math::find_distribution(call.name.substr(0, call.name.size() - kSuffix));
    return node.distribution != nullptr && node.distribution->arguments.size() == call.arguments.size();
  }
  node.f = math::find_elementwise(call.name);
  return node.f != nullptr && node.f->arity == static_cast<int>(call.arguments.size());
}

bool Tracer::finds_quick_element(const lang::Indexed& node, int depth) {
  if (node.base->as<lang::VariableRef>() == nullptr || node.indices.size() > kMaxQuickIndices) return false;
  for (const lang::Index& index : node.indices) {
    if (index.kind != lang::ast::Index::Kind::single || !index.low->type->is(Kind::int_)) return false;
    if (!quick(*index.low, depth + 1).quick) return false;
  }
  return true;
}

const Tracer::QuickNode& Tracer::quick(const Expr& expr, int depth) {
  static const QuickNode kGeneral;
  if (builder_.tracks_rows()) return kGeneral;  // the quick paths do not know rows
  if (const auto known = quick_.find(&expr); known != quick_.end()) return known->second;
  QuickNode node;
  node.quick = finds_quick(expr, node, depth);
  return quick_[&expr] = node;
}

const Value& Tracer::variable_value(const lang::Variable& variable) const {
  if (!frames_.empty()) {
    const auto found = frames_.back()->find(variable.id);
    if (found != frames_.back()->end()) return found->second;
  }
  return globals_[variable.id];
}

// Where an element stands in its container's numbers; kNowhere where the indexes do not name one number.
std::size_t Tracer::quick_position(const lang::Indexed& node, const Value& base) {
  const std::size_t rank = base.dims.size();
  if (node.indices.size() != rank || base.parts || base.type.is_complex()) return kNowhere;
  std::array<std::size_t, kMaxQuickIndices> at{};
  for (std::size_t d = 0; d < rank; ++d) {
    const int i = quick_int(*node.indices[d].low);
    if (i < 1 || static_cast<std::size_t>(i) > base.dims[d]) return kNowhere;
    at[d] = static_cast<std::size_t>(i - 1);
  }
  std::size_t position = 0;
  const std::size_t arrays = base.array_rank();
  for (std::size_t d = 0; d < arrays; ++d) position = position * base.dims[d] + at[d];
  if (rank - arrays == 2)
    return (position * base.dims[arrays + 1] + at[arrays + 1]) * base.dims[arrays] + at[arrays];
  return rank - arrays == 1 ? position * base.dims[arrays] + at[arrays] : position;
}

double Tracer::quick_random(const lang::Call& call, const math::Distribution& distribution) {
  std::array<double, kMaxArguments> x{};
  std::size_t count = 0;
  for (const Expr* argument : call.arguments) x[count++] = builder_.value(quick_real(*argument));
  return draw_one(distribution, {x.data(), count});
}

Id Tracer::quick_density(const Expr& expr, const lang::Call& call, const math::Distribution& distribution) {
  std::array<Id, kMaxArguments> x{};
  std::size_t count = 0;
  for (const Expr* argument : call.arguments) x[count++] = quick_real(*argument);
  const math::Terms terms = terms_of(&call, call.arguments, call.drop_constants);
  const Id id = builder_.density(distribution.log_density, terms, std::span<const Id>(x.data(), count));
  const bool doubtful = std::isnan(builder_.value(id)) || drops_all(terms);
  return doubtful ? reals(eval_general(expr)).front() : id;
}

int Tracer::quick_int(const Expr& expr) {
  if (const auto* n = expr.as<lang::IntConstant>()) return n->value;
  if (const auto* n = expr.as<lang::VariableRef>()) {
    const Value& value = variable_value(*n->variable);
    if (value.ints && value.ints->size() == 1 && !is_gap(value, 0)) return value.ints->front();
  } else if (const auto* i = expr.as<lang::Indexed>()) {
    const Value& base = variable_value(*i->base->as<lang::VariableRef>()->variable);
    const std::size_t at = base.ints ? quick_position(*i, base) : kNowhere;
    if (at != kNowhere && !is_gap(base, at)) return (*base.ints)[at];
  } else if (const auto* u = expr.as<lang::Unary>()) {
    const int x = quick_int(*u->operand);
    if (u->op == Op::not_) return x == 0 ? 1 : 0;
    return u->op == Op::minus ? negated(x) : x;
  } else if (const auto* c = expr.as<lang::Call>()) {
    const double draw = quick_random(*c, *quick(expr).distribution);
    return checked_int(c->name, draw);
  } else if (const auto* t = expr.as<lang::Ternary>()) {
    return quick_int(quick_int(*t->condition) != 0 ? *t->yes : *t->no);
  } else if (const auto* b = expr.as<lang::Binary>()) {
    if (lang::is_comparison(b->op)) return quick_compare(*b) ? 1 : 0;
    const int left = quick_int(*b->left);
    return int_operation(b->op, left, quick_int(*b->right));
  }
  return (*eval_general(expr).ints)[0];  // which says what is wrong
}

bool Tracer::quick_compare(const lang::Binary& node) {
  if (node.left->type->is_int() && node.right->type->is_int()) {
    const int left = quick_int(*node.left);
    return outcome_of(node.op, left, quick_int(*node.right));
  }
  const Id left = quick_real(*node.left);
  return compare_numbers(node.op, left, quick_real(*node.right));
}

Id Tracer::quick_real(const Expr& expr) {
  if (expr.type->is_int()) return builder_.constant(quick_int(expr));
  if (const auto* n = expr.as<lang::RealConstant>()) return builder_.constant(n->value);
  if (const auto* n = expr.as<lang::Promote>()) return quick_real(*n->from);
  if (const auto* n = expr.as<lang::VariableRef>()) {
    const Value& value = variable_value(*n->variable);
    if (value.ids && value.ids->size() == 1) return value.ids->front();
  } else if (const auto* i = expr.as<lang::Indexed>()) {
    const Value& base = variable_value(*i->base->as<lang::VariableRef>()->variable);
    const std::size_t at = base.ids ? quick_position(*i, base) : kNowhere;
    if (at != kNowhere) return (*base.ids)[at];
  } else if (const auto* t = expr.as<lang::Ternary>()) {
    return quick_real(quick_int(*t->condition) != 0 ? *t->yes : *t->no);
  } else if (const auto* u = expr.as<lang::Unary>()) {
    const Id x = quick_real(*u->operand);
    return u->op == Op::plus ? x : builder_.elementwise(*quick(expr).f, std::array<Id, 1>{x});
  } else if (const auto* b = expr.as<lang::Binary>()) {
    const Id left = quick_real(*b->left);
    const Id right = quick_real(*b->right);
    return builder_.elementwise(*quick(expr).f, std::array<Id, 2>{left, right});
  } else if (const auto* c = expr.as<lang::Call>()) {
    const QuickNode& node = quick(expr);
    if (node.distribution != nullptr) {
      return c->name.ends_with("_rng") ? builder_.constant(quick_random(*c, *node.distribution))
                                       : quick_density(expr, *c, *node.distribution);
    }
    std::array<Id, 4> x{};
    std::size_t count = 0;
    for (const Expr* argument : c->arguments) x[count++] = quick_real(*argument);
    return builder_.elementwise(*quick(expr).f, std::span<const Id>(x.data(), count));
  }
  return reals(eval_general(expr)).front();
}

bool Tracer::assign_quick(const lang::Assign& node) {
  const Expr& value = *node.value;
  const auto* element = node.target->as<lang::Indexed>();
  const auto* variable = (element != nullptr ? *element->base : *node.target).as<lang::VariableRef>();
  if (variable == nullptr || !quick(*node.target).quick || !quick(value).quick) return false;
  Value& place = this->place(*variable->variable);
  const auto position = [&] {
    return element != nullptr ? quick_position(*element, place) : place.dims.empty() ? 0 : kNowhere;
  };
  if (place.ints && value.type->is_int() && !node.compound) {
    const int number = quick_int(value);
    const std::size_t at = position();
    if (at != kNowhere) set_int(place, at, number);
    return at != kNowhere;
  }
  const math::Elementwise* f = node.compound ? arithmetic(node.op) : nullptr;
  if (!place.ids || place.type.is_complex() || (node.compound && f == nullptr)) return false;
  Id id = quick_real(value);
  const std::size_t at = position();
  if (at == kNowhere) return false;
  Ids& ids = change_ids(place);
  if (f != nullptr) id = builder_.elementwise(*f, std::array<Id, 2>{ids[at], id});
  ids[at] = id;
  return true;
}

}  // namespace kullback::tape
