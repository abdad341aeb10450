#include <fmt/format.h>

#include <string>
#include <vector>

#include "lang/lint/expr_tools.hpp"
#include "lang/lint/range.hpp"
#include "lang/lint/report.hpp"
#include "lang/print_program/expr_text.hpp"
#include "lang/visit.hpp"

namespace kullback::lang {
namespace {

bool is_parameter(const Variable& variable) {
  return variable.role == Variable::Role::global && variable.block == BlockKind::parameters;
}

std::string support_text(const SizedType& type) {
  if (!constraint_keyword(type).empty()) return fmt::format("over all {} values", constraint_keyword(type));
  if (type.lower) return fmt::format("above {}", stan_text(*type.lower));
  if (type.upper) return fmt::format("below {}", stan_text(*type.upper));
  return "over all reals";
}

std::string suggestion(const Variable& variable) {
  const Constraint constraint = variable.declared->constraint;
  if (constraint == Constraint::cov_matrix || constraint == Constraint::cholesky_factor_cov) {
    return "Build it from a vector of scales and a cholesky_factor_corr, each with a prior of its own.";
  }
  if (variable.type->is(math::Kind::matrix)) {
    return fmt::format("Add one on the scale you expect, such as to_vector({}) ~ normal(0, 1);",
                       variable.name);
  }
  const bool scalars = variable.type->kind == math::Kind::real;
  const bool vectors = variable.type->is(math::Kind::vector) || variable.type->is(math::Kind::row_vector);
  if (!vectors && !(scalars && variable.type->array_rank <= 1)) return "Add one on the scale you expect.";
  return fmt::format("Add one on the scale you expect, such as {} ~ normal(0, 1);", variable.name);
}

// The whole density statement is about `use`, not about a mixture that holds it.
bool is_whole_statement(const DistributionUse& use) {
  if (use.tilde) return true;
  const auto* plus = use.stmt->as<TargetPlus>();
  return plus && plus->value->span == use.span;
}

// An argument holds a loop variable, or something computed that may.
bool changes_in_loop(const Facts& facts, const DistributionUse& use) {
  for (const Expr* argument : use.arguments) {
    bool computed = false;
    for_each_expr(*argument, [&](const Expr& e) {
      const auto* ref = e.as<VariableRef>();
      if (ref && ref->variable->block != BlockKind::transformed_data &&
          facts.of(*ref->variable).definitions > 0) {
        computed = true;
      }
    });
    if (computed) return true;
  }
  for (std::uint32_t i = use.place.loop; i != kNone; i = facts.loops[i].place.loop) {
    const Stmt& loop = *facts.loops[i].stmt;
    const Variable* variable = nullptr;
    if (const auto* n = loop.as<For>()) variable = n->variable;
    if (const auto* n = loop.as<ForEach>()) variable = n->variable;
    if (!variable) return true;
    for (const Expr* argument : use.arguments) {
      if (mentions(*argument, *variable)) return true;
    }
  }
  return false;
}

}  // namespace

void lint_no_prior(const Facts& facts, Report& report) {
  for (const VariableFacts& v : facts.variables) {
    if (!v.variable || !is_parameter(*v.variable)) continue;
    if (!v.reaches_density || v.has_prior || is_bounded(*v.variable->declared)) continue;
    report.add(v.variable->span,
               fmt::format("Parameter '{}' has no prior: it is uniform {}, which is improper.",
                           v.variable->name, support_text(*v.variable->declared)),
               suggestion(*v.variable));
  }
}

// Two distributions in two branches may exclude each other, and parts of a parameter may differ: only
// unconditional statements about the whole parameter count.
void lint_multiple_priors(const Facts& facts, Report& report) {
  struct Said {
    const DistributionUse* first = nullptr;
    bool reported = false;
  };
  std::vector<Said> by_variable(facts.variables.size());
  for (const DistributionUse& use : facts.distributions) {
    if (use.call != DistributionCall::density || use.place.branches > 0 || !use.place.in_density()) continue;
    const Variable* variable = whole_variable(*use.variate);
    if (!variable || !is_parameter(*variable) || !is_whole_statement(use)) continue;
    Said& said = by_variable[variable->id];
    const bool in_loop = use.place.loop != kNone;
    if (said.reported || (in_loop && changes_in_loop(facts, use))) continue;
    if (in_loop) {
      report.add(
          use.span,
          fmt::format("Parameter '{}' has the same distribution in every iteration: the densities multiply.",
                      variable->name),
          "Move the statement out of the loop.");
    } else if (said.first) {
      report
          .add(use.span, fmt::format("Parameter '{}' has a distribution already: the densities multiply.",
                                     variable->name))
          .note = {said.first->span, "The earlier one."};
    }
    said.reported = in_loop || said.first;
    if (!said.first) said.first = &use;
  }
}

}  // namespace kullback::lang
