// The log density is a sum of terms. A distribution's term is a prior of its variate and no prior of its
// arguments: in y ~ normal(mu, sigma), mu and sigma still need priors, and theta does not in
// theta ~ normal(mu, tau). Any other term, such as target += -log(sigma), may be a prior of everything in it.
// Values flow through assignments, so marks flow back: from a variable to what it was computed from. Sums,
// mixtures and weights are looked through, so that a mixture of densities counts as densities:
//
//   term(e1 + e2) = term(e1), term(e2);  term(w * e) = term(e);  term(log_sum_exp(a, b)) = term(a), term(b)
//   term(f_lpdf(y | a)): y has a prior, a reaches the density;  term(x), x a variable: the terms of its
//   values term(anything else): all in it may have a prior here
//
// Each variable's definitions are looked at once for each kind of mark: linear in the program.
#include "lang/lint/density_reach.hpp"

#include <vector>

#include "lang/lint/expr_tools.hpp"
#include "lang/lint/facts.hpp"
#include "lang/visit.hpp"

namespace kullback::lang {
namespace {

// Functions whose value is a density when their arguments are.
bool passes_terms(std::string_view name) {
  for (std::string_view known :
       {"log_sum_exp", "log_mix", "sum", "log_diff_exp", "to_vector", "to_row_vector", "append_row",
        "append_array", "rep_vector", "log", "fma", "mean", "add", "subtract", "log1p_exp"}) {
    if (name == known) return true;
  }
  return false;
}

class Marker final {
 public:
  explicit Marker(Facts& facts) : facts_(facts), seen_term_(facts.variables.size(), false) {}

  void run() {
    for (const Stmt* stmt : facts_.program.block(BlockKind::parameters)) bounds_reach(*stmt);
    for (BlockKind kind : {BlockKind::transformed_parameters, BlockKind::model}) {
      for (const Stmt* stmt : facts_.program.block(kind)) {
        for_each_stmt(*stmt, [this](const Stmt& below) { statement(below); });
      }
    }
    lp_calls();
    drain();
  }

 private:
  // A parameter inside another's bounds reaches the density through the change of variables.
  void bounds_reach(const Stmt& stmt) {
    for_each_own_expr(stmt, [this](const Expr& expr) { mark(expr, &VariableFacts::reaches_density); });
  }

  void statement(const Stmt& stmt) {
    if (const auto* tilde = stmt.as<Tilde>()) {
      facts_.has_density_terms = true;
      for_each_own_expr(stmt, [this](const Expr& expr) { mark(expr, &VariableFacts::reaches_density); });
      mark(*tilde->variate, &VariableFacts::has_prior);
    } else if (const auto* plus = stmt.as<TargetPlus>()) {
      facts_.has_density_terms = true;
      terms_.push_back(plus->value);
    } else if (const auto* jacobian = stmt.as<JacobianPlus>()) {
      facts_.has_density_terms = true;
      free_term(*jacobian->value);
    } else if (!stmt.as<Assign>() && !stmt.as<Declare>() && !stmt.as<Print>()) {
      for_each_own_expr(stmt, [this](const Expr& expr) { mark(expr, &VariableFacts::reaches_density); });
    }
  }

  // A function that ends in _lp or _jacobian may do anything with its arguments.
  void lp_calls() {
    for (const UserCall& call : facts_.user_calls) {
      const std::string_view name = call.function->name;
      if (!call.place.in_density() || !(name.ends_with("_lp") || name.ends_with("_jacobian"))) continue;
      facts_.has_density_terms = true;
      for (const Expr* argument : call.arguments) free_term(*argument);
    }
  }

  void free_term(const Expr& expr) {
    mark(expr, &VariableFacts::reaches_density);
    mark(expr, &VariableFacts::has_prior);
    mark(expr, &VariableFacts::in_free_term);
  }

  using Flag = bool VariableFacts::*;

  void mark(const Expr& expr, Flag flag) {
    for_each_expr(expr, [&](const Expr& e) {
      const auto* ref = e.as<VariableRef>();
      if (!ref) return;
      VariableFacts& facts = facts_.variables[ref->variable->id];
      if (facts.*flag) return;
      facts.*flag = true;
      pending_.push_back({&facts, flag});
    });
  }

  void drain() {
    while (!pending_.empty() || !terms_.empty()) {
      if (!pending_.empty()) {
        const Pending next = pending_.back();
        pending_.pop_back();
        for_each_value(*next.variable, [&](const Expr& value) { mark(value, next.flag); });
      } else {
        const Expr& next = *terms_.back();
        terms_.pop_back();
        term(next);
      }
    }
  }

  // A tuple that is unpacked has no value of its own: what it came from is marked whole.
  template <class Fn>
  void for_each_value(const VariableFacts& variable, Fn&& fn) {
    for (std::uint32_t i = variable.first_definition; i != kNone; i = facts_.definitions[i].next) {
      const Definition& definition = facts_.definitions[i];
      if (definition.value) {
        fn(*definition.value);
      } else if (const auto* assign = definition.stmt->as<Assign>()) {
        fn(*assign->value);
      }
    }
  }

  void term(const Expr& expr) {
    if (const auto* n = expr.as<Promote>()) {
      terms_.push_back(n->from);
    } else if (const auto* unary = expr.as<Unary>()) {
      terms_.push_back(unary->operand);
    } else if (const auto* binary = expr.as<Binary>()) {
      binary_term(expr, *binary);
    } else if (const auto* ternary = expr.as<Ternary>()) {
      mark(*ternary->condition, &VariableFacts::reaches_density);
      terms_.push_back(ternary->yes);
      terms_.push_back(ternary->no);
    } else if (const auto* call = expr.as<Call>()) {
      call_term(expr, *call);
    } else if (const auto* array = expr.as<ArrayLiteral>()) {
      terms_.insert(terms_.end(), array->elements.begin(), array->elements.end());
    } else if (const auto* row = expr.as<RowVectorLiteral>()) {
      terms_.insert(terms_.end(), row->elements.begin(), row->elements.end());
    } else if (const Variable* variable = root_variable(expr)) {
      variable_term(expr, *variable);
    } else {
      free_term(expr);
    }
  }

  void binary_term(const Expr& expr, const Binary& binary) {
    const bool sum = binary.op == Op::plus || binary.op == Op::minus;
    const bool weighted = (binary.op == Op::times || binary.op == Op::divide || binary.op == Op::elt_times) &&
                          (binary.left->data_only || binary.right->data_only);
    if (!sum && !weighted) return free_term(expr);
    terms_.push_back(binary.left);
    terms_.push_back(binary.right);
  }

  void call_term(const Expr& expr, const Call& call) {
    const bool density = call.name.ends_with("_lpdf") || call.name.ends_with("_lpmf");
    const bool slices = call.name.starts_with("reduce_sum") && !call.user && call.arguments.size() > 1;
    const bool cdf = call.name.ends_with("_lcdf") || call.name.ends_with("_lccdf");
    if (density || slices || cdf) {
      mark(expr, &VariableFacts::reaches_density);
      if (!call.arguments.empty()) mark(*call.arguments[slices ? 1 : 0], &VariableFacts::has_prior);
    } else if (!call.user && passes_terms(call.name)) {
      terms_.insert(terms_.end(), call.arguments.begin(), call.arguments.end());
    } else {
      free_term(expr);
    }
  }

  void variable_term(const Expr& expr, const Variable& variable) {
    const VariableFacts& facts = facts_.of(variable);
    if (facts.first_definition == kNone) return free_term(expr);
    mark(expr, &VariableFacts::reaches_density);
    if (seen_term_[variable.id]) return;
    seen_term_[variable.id] = true;
    for_each_value(facts, [this](const Expr& value) { terms_.push_back(&value); });
  }

  struct Pending {
    const VariableFacts* variable;
    Flag flag;
  };

  Facts& facts_;
  std::vector<bool> seen_term_;
  std::vector<Pending> pending_;
  std::vector<const Expr*> terms_;
};

}  // namespace

void mark_density_reach(Facts& facts) { Marker(facts).run(); }

}  // namespace kullback::lang
