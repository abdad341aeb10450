// Interval arithmetic over the functions that matter for supports: signs, (0, 1), and the monotone functions.
// A variable that is computed has the range of its only value; one with several values is unknown, unless
// its declaration says more. Freedom (see Range) survives operations that are onto: a + x reaches -inf when
// x does, whatever a is; c * x when c is a number or x is free on both sides.
#include "lang/lint/range.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "lang/lint/expr_tools.hpp"
#include "lang/visit.hpp"

namespace kullback::lang {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int kMaxDepth = 64;

Range known(double lo, double hi) { return {lo, hi, false, false}; }

Range negated(const Range& r) { return {-r.hi, -r.lo, r.free_hi, r.free_lo}; }

Range plus(const Range& a, const Range& b) {
  Range r{a.lo + b.lo, a.hi + b.hi, false, false};
  r.free_lo = (a.free_lo && b.free_lo) || (a.free_lo && a.lo == -kInf) || (b.free_lo && b.lo == -kInf);
  r.free_hi = (a.free_hi && b.free_hi) || (a.free_hi && a.hi == kInf) || (b.free_hi && b.hi == kInf);
  return r;
}

double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

bool is_point(const Range& r) { return r.lo == r.hi; }

Range scaled(const Range& r, double factor) {
  if (factor == 0) return known(0, 0);
  const Range out{product(r.lo, factor), product(r.hi, factor), r.free_lo, r.free_hi};
  return factor > 0 ? out : Range{out.hi, out.lo, out.free_hi, out.free_lo};
}

Range times(const Range& a, const Range& b) {
  if (is_point(a)) return scaled(b, a.lo);
  if (is_point(b)) return scaled(a, b.lo);
  if (a.free_both() || b.free_both()) return {-kInf, kInf, true, true};
  const double corners[] = {product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo),
                            product(a.hi, b.hi)};
  Range r = known(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
  if (a.lo >= 0 && b.lo >= 0) r.free_hi = (a.free_hi && a.hi == kInf) || (b.free_hi && b.hi == kInf);
  return r;
}

Range inverse(const Range& r) {
  if (is_point(r) && r.lo != 0) return known(1 / r.lo, 1 / r.lo);
  if (r.lo >= 0) return {r.hi == kInf ? 0 : 1 / r.hi, r.lo == 0 ? kInf : 1 / r.lo, false, r.free_lo};
  if (r.hi <= 0) return negated(inverse(negated(r)));
  return {-kInf, kInf, r.free_both(), r.free_both()};
}

Range joined(const Range& a, const Range& b) {
  Range r{std::min(a.lo, b.lo), std::max(a.hi, b.hi), false, false};
  r.free_lo = (a.free_lo && a.lo == r.lo) || (b.free_lo && b.lo == r.lo);
  r.free_hi = (a.free_hi && a.hi == r.hi) || (b.free_hi && b.hi == r.hi);
  return r;
}

Range squared(const Range& r) {
  const double ends = std::max(product(r.lo, r.lo), product(r.hi, r.hi));
  return {0, ends, false, (r.free_lo && r.lo == -kInf) || (r.free_hi && r.hi == kInf)};
}

Range absolute(const Range& r) {
  if (r.lo >= 0) return r;
  return {0, std::max(-r.lo, r.hi), false, (r.free_lo && r.lo == -kInf) || (r.free_hi && r.hi == kInf)};
}

Range power(const Range& base, const Range& exponent) {
  if (is_point(exponent) && exponent.lo == 2) return squared(base);
  const bool even = is_point(exponent) && std::fmod(exponent.lo, 2) == 0;
  if (base.lo >= 0 || even) return known(0, kInf);
  return {};
}

// Sums and products with a count of terms no one knows.
Range any_multiple(const Range& r) {
  return {r.lo < 0 ? -kInf : 0, r.hi > 0 ? kInf : 0, r.free_lo && r.lo == -kInf, r.free_hi && r.hi == kInf};
}

struct Monotone {
  std::string_view name;
  double (*function)(double);
};

constexpr Monotone kIncreasing[] = {
    {"exp", [](double x) { return std::exp(x); }},
    {"exp2", [](double x) { return std::exp2(x); }},
    {"expm1", [](double x) { return std::expm1(x); }},
    {"inv_logit", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"Phi", [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2)); }},
    {"Phi_approx", [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2)); }},
    {"inv_cloglog", [](double x) { return -std::expm1(-std::exp(x)); }},
    {"log1p_exp", [](double x) { return x > 30 ? x : std::log1p(std::exp(x)); }},
    {"tanh", [](double x) { return std::tanh(x); }},
    {"atan", [](double x) { return std::atan(x); }},
    {"asinh", [](double x) { return std::asinh(x); }},
    {"erf", [](double x) { return std::erf(x); }},
};

// Defined only where the argument is nonnegative: the range inside is cut to that.
constexpr Monotone kIncreasingPositive[] = {
    {"sqrt", [](double x) { return std::sqrt(x); }},   {"log", [](double x) { return std::log(x); }},
    {"log2", [](double x) { return std::log2(x); }},   {"log10", [](double x) { return std::log10(x); }},
    {"log1p", [](double x) { return std::log1p(x); }},
};

enum class Shape { same, sum, nonnegative, unit, positive, correlation };

struct Named {
  std::string_view name;
  Shape shape;
};

// What is known of a function of one argument (of its first, for those with sizes after it).
constexpr Named kShapes[] = {
    {"to_vector", Shape::same},
    {"to_row_vector", Shape::same},
    {"to_matrix", Shape::same},
    {"to_array_1d", Shape::same},
    {"to_array_2d", Shape::same},
    {"rep_vector", Shape::same},
    {"rep_row_vector", Shape::same},
    {"rep_matrix", Shape::same},
    {"rep_array", Shape::same},
    {"row", Shape::same},
    {"col", Shape::same},
    {"block", Shape::same},
    {"sub_row", Shape::same},
    {"sub_col", Shape::same},
    {"head", Shape::same},
    {"tail", Shape::same},
    {"segment", Shape::same},
    {"diagonal", Shape::same},
    {"transpose", Shape::same},
    {"reverse", Shape::same},
    {"sort_asc", Shape::same},
    {"sort_desc", Shape::same},
    {"mean", Shape::same},
    {"min", Shape::same},
    {"max", Shape::same},
    {"to_int", Shape::same},
    {"sum", Shape::sum},
    {"cumulative_sum", Shape::sum},
    {"dot_self", Shape::nonnegative},
    {"variance", Shape::nonnegative},
    {"sd", Shape::nonnegative},
    {"norm1", Shape::nonnegative},
    {"norm2", Shape::nonnegative},
    {"distance", Shape::nonnegative},
    {"squared_distance", Shape::nonnegative},
    {"softmax", Shape::unit},
    {"cosh", Shape::positive},
    {"inv_square", Shape::positive},
    {"inv_sqrt", Shape::positive},
    {"sin", Shape::correlation},
    {"cos", Shape::correlation},
    {"num_elements", Shape::nonnegative},
    {"rows", Shape::nonnegative},
    {"cols", Shape::nonnegative},
    {"size", Shape::nonnegative},
    {"beta_rng", Shape::unit},
    {"gamma_rng", Shape::positive},
    {"dirichlet_rng", Shape::unit},
    {"exponential_rng", Shape::positive},
    {"lognormal_rng", Shape::positive},
    {"inv_gamma_rng", Shape::positive},
};

template <class Table>
auto find(const Table& table, std::string_view name) -> decltype(&table[0]) {
  for (const auto& row : table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Range shaped(Shape shape, const Range& argument) {
  switch (shape) {
    case Shape::same: return argument;
    case Shape::sum: return any_multiple(argument);
    case Shape::nonnegative:
    case Shape::positive: return known(0, kInf);
    case Shape::unit: return known(0, 1);
    case Shape::correlation: return known(-1, 1);
  }
  return {};
}

Range increasing(const Monotone& row, Range argument, double least) {
  argument.lo = std::max(argument.lo, least);
  argument.hi = std::max(argument.hi, least);
  return {row.function(argument.lo), row.function(argument.hi), argument.free_lo, argument.free_hi};
}

Range of_constraint(Constraint constraint) {
  switch (constraint) {
    case Constraint::simplex:
    case Constraint::column_stochastic:
    case Constraint::row_stochastic: return known(0, 1);
    case Constraint::unit_vector:
    case Constraint::cholesky_factor_corr:
    case Constraint::corr_matrix: return known(-1, 1);
    case Constraint::positive_ordered: return {0, kInf, false, true};
    case Constraint::none:
    case Constraint::offset_multiplier:
    case Constraint::ordered:
    case Constraint::sum_to_zero: return {-kInf, kInf, true, true};
    default: return {};
  }
}

bool is_infinite(const Expr* bound) {
  if (!bound) return true;
  const auto value = constant_value(*bound);
  return value && std::isinf(*value);
}

}  // namespace

Range Ranges::of(const Expr& expr, int depth) {
  if (depth > kMaxDepth) return {};
  return unpromoted(expr).as<Binary>() ? binary(unpromoted(expr), depth) : leaf(unpromoted(expr), depth);
}

// Along the left spine, from its innermost operand out.
Range Ranges::binary(const Expr& expr, int depth) {
  std::vector<const Binary*> spine;
  const Expr* first = &expr;
  while (const auto* n = first->as<Binary>()) {
    spine.push_back(n);
    first = &unpromoted(*n->left);
  }
  Range r = leaf(*first, depth + 1);
  for (std::size_t i = spine.size(); i-- > 0;) {
    const Binary& n = *spine[i];
    const Range right = of(*n.right, depth + 1);
    switch (n.op) {
      case Op::plus: r = plus(r, right); break;
      case Op::minus: r = plus(r, negated(right)); break;
      case Op::times:
        r = n.left->type->is(math::Kind::matrix) || n.right->type->is(math::Kind::matrix) ||
                    (n.left->type->is(math::Kind::row_vector) && n.right->type->is(math::Kind::vector))
                ? any_multiple(times(r, right))
                : times(r, right);
        break;
      case Op::elt_times: r = times(r, right); break;
      case Op::divide:
      case Op::elt_divide: r = times(r, inverse(right)); break;
      case Op::pow:
      case Op::elt_pow: r = power(r, right); break;
      default: r = is_logical(n.op) ? known(0, 1) : Range{}; break;
    }
  }
  return r;
}

Range Ranges::leaf(const Expr& expr, int depth) {
  if (const auto value = constant_value(expr)) return {*value, *value, true, true};
  if (const auto* n = expr.as<VariableRef>()) return of(*n->variable, depth + 1);
  if (const auto* n = expr.as<Indexed>()) return of(*n->base, depth + 1);
  if (const auto* n = expr.as<Unary>()) return unary(*n, depth);
  if (const auto* n = expr.as<Ternary>()) return joined(of(*n->yes, depth + 1), of(*n->no, depth + 1));
  if (const auto* n = expr.as<Call>()) return call(*n, depth);
  if (const auto* n = expr.as<ArrayLiteral>()) return hull(n->elements, depth);
  if (const auto* n = expr.as<RowVectorLiteral>()) return hull(n->elements, depth);
  return {};
}

Range Ranges::unary(const Unary& unary, int depth) {
  const Range inner = of(*unary.operand, depth + 1);
  switch (unary.op) {
    case Op::minus: return negated(inner);
    case Op::plus:
    case Op::transpose: return inner;
    default: return known(0, 1);
  }
}

Range Ranges::hull(List<const Expr*> list, int depth) {
  if (list.empty()) return {};
  Range r = of(*list[0], depth + 1);
  for (const Expr* element : list.subspan(1)) r = joined(r, of(*element, depth + 1));
  return r;
}

Range Ranges::call(const Call& call, int depth) {
  if (call.user || call.arguments.empty()) return {};
  const auto argument = [&](std::size_t i) { return of(*call.arguments[i], depth + 1); };
  if (const auto* row = find(kIncreasing, call.name)) return increasing(*row, argument(0), -kInf);
  if (const auto* row = find(kIncreasingPositive, call.name)) {
    return increasing(*row, argument(0), call.name == "log1p" ? -1 : 0);
  }
  if (const auto* row = find(kShapes, call.name)) {
    if (call.arguments.size() == 2 && (call.name == "min" || call.name == "max"))
      return hull(call.arguments, depth);
    return shaped(row->shape, row->shape == Shape::same || row->shape == Shape::sum ? argument(0) : Range{});
  }
  if (call.name == "square") return squared(argument(0));
  if (call.name == "abs" || call.name == "fabs") return absolute(argument(0));
  if (call.name == "inv") return inverse(argument(0));
  if (call.arguments.size() == 1) return {};
  if (call.name == "pow") return power(argument(0), argument(1));
  if (call.name == "append_row" || call.name == "append_col" || call.name == "append_array") {
    return hull(call.arguments, depth);
  }
  if (call.name == "fmax" || call.name == "fmin") {
    const Range a = argument(0);
    const Range b = argument(1);
    return call.name == "fmax" ? known(std::max(a.lo, b.lo), std::max(a.hi, b.hi))
                               : known(std::min(a.lo, b.lo), std::min(a.hi, b.hi));
  }
  if (call.name == "dot_product") return any_multiple(times(argument(0), argument(1)));
  if (call.name == "hypot") return known(0, kInf);
  return {};
}

Range Ranges::declared(const Variable& variable, int depth) {
  const SizedType& type = *variable.declared;
  if (!type.elements.empty()) return {};
  // Only the sampler moves freely within a declaration; any other block has but checked its values.
  const bool is_parameter =
      variable.role == Variable::Role::global && variable.block == BlockKind::parameters;
  Range r = of_constraint(type.constraint == Constraint::bounds ? Constraint::none : type.constraint);
  if (!is_infinite(type.lower)) {
    r.lo = of(*type.lower, depth + 1).lo;
    r.free_lo = constant_value(*type.lower).has_value();
  }
  if (!is_infinite(type.upper)) {
    r.hi = of(*type.upper, depth + 1).hi;
    r.free_hi = constant_value(*type.upper).has_value();
  }
  if (!is_parameter) r.free_lo = r.free_hi = false;
  return r;
}

Range Ranges::of(const Variable& variable, int depth) {
  if (depth > kMaxDepth) return {};
  if (cache_[variable.id]) return *cache_[variable.id];
  cache_[variable.id] = Range{};  // for a variable that is computed from itself
  Range r;
  if (variable.declared) r = declared(variable, depth);
  if (const Expr* value = facts_.single_value(variable)) {
    const Range computed = of(*value, depth + 1);
    if (computed.lo > r.lo || (computed.lo == r.lo && computed.free_lo)) {
      r.lo = computed.lo;
      r.free_lo = computed.free_lo;
    }
    if (computed.hi < r.hi || (computed.hi == r.hi && computed.free_hi)) {
      r.hi = computed.hi;
      r.free_hi = computed.free_hi;
    }
  }
  cache_[variable.id] = r;
  return r;
}

bool is_bounded(const SizedType& type) {
  if (!type.elements.empty()) {
    return std::all_of(type.elements.begin(), type.elements.end(),
                       [](const SizedType* element) { return is_bounded(*element); });
  }
  switch (type.constraint) {
    case Constraint::simplex:
    case Constraint::unit_vector:
    case Constraint::cholesky_factor_corr:
    case Constraint::corr_matrix:
    case Constraint::column_stochastic:
    case Constraint::row_stochastic: return true;
    default: return !is_infinite(type.lower) && !is_infinite(type.upper);
  }
}

}  // namespace kullback::lang
