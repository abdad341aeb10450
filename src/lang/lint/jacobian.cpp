// f(x) ~ D with x a parameter and f nonlinear gives x the density D(f(x)), not the density under which f(x)
// has distribution D: that needs + log |det f'(x)|. A linear f only adds a constant. Where a parameter of f
// stands in a `target +=` outside any distribution, or in `jacobian +=`, the term may be there: silence.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "lang/lint/expr_tools.hpp"
#include "lang/lint/report.hpp"
#include "lang/print_program/expr_text.hpp"
#include "lang/visit.hpp"

namespace kullback::lang {
namespace {

constexpr int kMaxDepth = 200;

// Linear in their first argument when the others are data.
bool is_linear_function(std::string_view name) {
  for (std::string_view known : {"append_row",
                                 "append_col",
                                 "append_array",
                                 "block",
                                 "col",
                                 "row",
                                 "sub_col",
                                 "sub_row",
                                 "diagonal",
                                 "head",
                                 "tail",
                                 "segment",
                                 "mean",
                                 "sum",
                                 "rep_vector",
                                 "rep_matrix",
                                 "rep_row_vector",
                                 "rep_array",
                                 "reverse",
                                 "cumulative_sum",
                                 "to_vector",
                                 "to_row_vector",
                                 "to_matrix",
                                 "to_array_1d",
                                 "to_array_2d",
                                 "transpose",
                                 "diag_matrix",
                                 "add",
                                 "subtract",
                                 "minus",
                                 "add_diag",
                                 "csr_matrix_times_vector",
                                 "sort_asc",
                                 "sort_desc"}) {
    if (name == known) return true;
  }
  return false;
}

bool is_linear(const Expr& expr, int depth = 0);

bool all_linear(List<const Expr*> list, int depth) {
  for (const Expr* element : list) {
    if (!is_linear(*element, depth + 1)) return false;
  }
  return true;
}

// The operand in which the expression is linear if it is; null if it cannot be.
const Expr* linear_rest(const Binary& binary, int depth) {
  switch (binary.op) {
    case Op::plus:
    case Op::minus: return is_linear(*binary.right, depth + 1) ? binary.left : nullptr;
    case Op::times:
    case Op::elt_times:
      if (binary.right->data_only) return binary.left;
      return binary.left->data_only ? binary.right : nullptr;
    case Op::divide:
    case Op::elt_divide: return binary.right->data_only ? binary.left : nullptr;
    case Op::left_divide: return binary.left->data_only ? binary.right : nullptr;
    default: return nullptr;
  }
}

// What a user function does is not known: the benefit of the doubt.
bool is_linear_call(const Call& call, int depth) {
  if (call.user || is_size_function(call.name)) return true;
  if (call.name == "multiply" || call.name == "dot_product") {
    return call.arguments.size() == 2 && (call.arguments[0]->data_only || call.arguments[1]->data_only) &&
           all_linear(call.arguments, depth);
  }
  return is_linear_function(call.name) && all_linear(call.arguments, depth);
}

bool is_linear_node(const Expr& e, int depth) {
  if (const auto* n = e.as<Indexed>()) return is_linear(*n->base, depth + 1);
  if (const auto* n = e.as<Unary>()) return n->op != Op::not_ && is_linear(*n->operand, depth + 1);
  if (const auto* n = e.as<Ternary>()) return is_linear(*n->yes, depth + 1) && is_linear(*n->no, depth + 1);
  if (const auto* n = e.as<ArrayLiteral>()) return all_linear(n->elements, depth);
  if (const auto* n = e.as<RowVectorLiteral>()) return all_linear(n->elements, depth);
  if (const auto* n = e.as<Call>()) return is_linear_call(*n, depth);
  return true;
}

// In the parameters; true also where it cannot tell.
bool is_linear(const Expr& expr, int depth) {
  const Expr* e = &unpromoted(expr);
  while (true) {
    if (e->data_only || depth > kMaxDepth) return true;
    const auto* binary = e->as<Binary>();
    if (!binary) return is_linear_node(*e, depth);
    const Expr* rest = linear_rest(*binary, depth);
    if (!rest) return false;
    e = &unpromoted(*rest);
  }
}

bool has_free_term(const Facts& facts, const Expr& variate) {
  bool found = false;
  for_each_expr(variate, [&](const Expr& e) {
    const auto* ref = e.as<VariableRef>();
    if (ref && !ref->variable->data_only && facts.of(*ref->variable).in_free_term) found = true;
  });
  return found;
}

}  // namespace

void lint_jacobian_missing(const Facts& facts, Report& report) {
  std::vector<bool> looked(facts.variables.size(), false);
  for (const DistributionUse& use : facts.distributions) {
    if (use.call != DistributionCall::density || !use.place.in_density() || use.variate->data_only) continue;
    if (!use.tilde && !use.stmt->as<TargetPlus>()) continue;
    const Expr* variate = use.variate;
    // A computed variable stands for its only value.
    if (const Variable* variable = whole_variable(*variate)) {
      if (looked[variable->id]) continue;
      looked[variable->id] = true;
      if (const Expr* value = facts.single_value(*variable)) variate = value;
    }
    if (is_linear(*variate) || has_free_term(facts, *variate)) continue;
    const std::string what = variate == use.variate ? "A nonlinear function of parameters"
                                                    : fmt::format("'{}', a nonlinear function of parameters,",
                                                                  stan_text(*use.variate));
    report.add(use.variate->span, what + " has a distribution, but the Jacobian is missing.",
               "Add the log absolute derivative of the function to the target (jacobian += ...), or give the "
               "distribution to the parameter.");
  }
}

}  // namespace kullback::lang
