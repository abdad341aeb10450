// Arguments and variates that can leave the values their distribution allows. Only what is certain is said:
// numbers outside; parameters, and sums and products of parameters, that their declarations let outside; data
// whose declaration does not check what the distribution needs. What cannot be traced is left alone.
#include <fmt/format.h>

#include <limits>
#include <string>
#include <unordered_set>
#include <vector>

#include "lang/lint/domains.hpp"
#include "lang/lint/expr_tools.hpp"
#include "lang/lint/range.hpp"
#include "lang/lint/report.hpp"
#include "lang/print_program/expr_text.hpp"
#include "lang/visit.hpp"

namespace kullback::lang {
namespace {

constexpr int kMaxNodes = 200;
constexpr std::size_t kMaxText = 40;

struct Demand {
  const DistributionUse& use;
  const Expr& expr;
  Domain domain;
  std::string_view argument;  // empty: the variate
};

template <class Fn>
void for_each_demand(const Facts& facts, Fn&& fn) {
  for (const DistributionUse& use : facts.distributions) {
    const DistributionDomains* domains = use.user ? nullptr : find_domains(use.family);
    if (!domains) continue;
    const bool truncated = use.tilde && use.tilde->truncated;  // says more than the family's support
    if (use.call == DistributionCall::density && domains->variate != Domain::any && !truncated) {
      fn(Demand{use, *use.variate, domains->variate, {}});
    }
    const bool other_arguments = use.call == DistributionCall::rng && use.family.starts_with("lkj");
    if (other_arguments) continue;
    for (std::size_t i = 0; i < use.arguments.size() && i < domains->arguments.size(); ++i) {
      const ArgumentDomain& argument = domains->arguments[i];
      if (argument.domain != Domain::any) fn(Demand{use, *use.arguments[i], argument.domain, argument.name});
    }
  }
}

std::string short_text(const Expr& expr) {
  std::string text = stan_text(expr);
  return text.size() <= kMaxText ? "'" + text + "'" : "this expression";
}

double value_or(const Expr* expr, double otherwise) {
  return expr ? constant_value(*expr).value_or(otherwise) : otherwise;
}

std::string need(const Demand& demand) {
  if (demand.argument.empty()) {
    return fmt::format("A variate of {} must be {}", demand.use.family, to_string(demand.domain));
  }
  return fmt::format("The {} of {} must be {}", demand.argument, demand.use.family, to_string(demand.domain));
}

bool is_global(const Variable& variable, BlockKind block) {
  return variable.role == Variable::Role::global && variable.block == block;
}

// The variable as declared, or an element of its array: what a structural constraint holds for. A diagonal
// given as a vector has no structure.
const Variable* declared_whole(const Demand& demand) {
  const Expr& e = unpromoted(demand.expr);
  if (demand.domain >= Domain::covariance && e.type->kind != math::Kind::matrix) return nullptr;
  if (const auto* ref = e.as<VariableRef>()) return ref->variable;
  const auto* indexed = e.as<Indexed>();
  if (!indexed) return nullptr;
  const auto* ref = unpromoted(*indexed->base).as<VariableRef>();
  if (!ref || indexed->indices.size() > ref->variable->type->array_rank) return nullptr;
  return ref->variable;
}

// Counts how often each parameter enters, through computed variables too; an expression where one enters
// twice, such as exp(x) - x, is more than interval arithmetic can judge.
class Repeats final {
 public:
  explicit Repeats(const Facts& facts) : facts_(facts) {}

  bool any(const Expr& root) {
    pending_ = {&root};
    while (!pending_.empty()) {
      const Expr* next = pending_.back();
      pending_.pop_back();
      if (!look(*next)) return true;
    }
    return false;
  }

 private:
  bool look(const Expr& root) {
    bool fine = true;
    for_each_expr(root, [&](const Expr& e) {
      if (++nodes_ > kMaxNodes) fine = false;
      const auto* ref = e.as<VariableRef>();
      if (!fine || !ref || ref->variable->data_only) return fine;
      if (!seen_.insert(ref->variable).second) fine = false;
      if (const Expr* value = facts_.single_value(*ref->variable)) pending_.push_back(value);
      return fine;
    });
    return fine;
  }

  const Facts& facts_;
  std::unordered_set<const Variable*> seen_;
  std::vector<const Expr*> pending_;
  int nodes_ = 0;
};

class SupportLint final {
 public:
  SupportLint(const Facts& facts, Report& report) : facts_(facts), report_(report), ranges_(facts) {}

  void look(const Demand& demand) {
    if (const auto value = constant_value(demand.expr)) {
      if (is_interval(demand.domain) && !allows(demand.domain, *value)) constant(demand);
    } else if (is_interval(demand.domain)) {
      interval(demand);
    } else {
      structure(demand);
    }
  }

  // theta ~ normal(0, 1) T[0, ]: theta must be declared inside.
  void truncation(const DistributionUse& use) {
    const Variable* variable = root_variable(*use.variate);
    if (!variable || !is_global(*variable, BlockKind::parameters)) return;
    const Range range = ranges_.of(*variable);
    const double lower = value_or(use.tilde->lower, -std::numeric_limits<double>::infinity());
    const double upper = value_or(use.tilde->upper, std::numeric_limits<double>::infinity());
    const bool below = range.free_lo && range.lo < lower;
    const bool above = range.free_hi && range.hi > upper;
    if (!below && !above) return;
    const std::string bounds = below && above ? fmt::format("lower={}, upper={}", lower, upper)
                               : below        ? fmt::format("lower={}", lower)
                                              : fmt::format("upper={}", upper);
    report_
        .add(use.span,
             fmt::format("The distribution of '{}' is truncated, but the parameter is declared as {}.",
                         variable->name, stan_text(*variable->declared)),
             fmt::format("Declare '{}' with <{}>.", variable->name, bounds))
        .note = {variable->span, "Declared here."};
  }

 private:
  void constant(const Demand& demand) {
    report_.add(demand.expr.span, fmt::format("{}, but {} is not.", need(demand), stan_text(demand.expr)));
  }

  void interval(const Demand& demand) {
    const Range range = ranges_.of(demand.expr);
    if (!can_leave(demand.domain, range)) return;
    const Variable* variable = root_variable(demand.expr);
    if (variable && !first_time(*variable, demand.domain)) return;
    if (Repeats(facts_).any(demand.expr)) return;
    if (variable && is_global(*variable, BlockKind::parameters)) {
      undeclared(demand, *variable);
    } else {
      const bool low = range.free_lo && range.lo < 0;
      report_.add(demand.expr.span,
                  fmt::format("{}, but {} can be {}.", need(demand), short_text(demand.expr),
                              low ? "negative" : "above 1"),
                  transform_hint(demand.domain));
    }
  }

  static std::string transform_hint(Domain domain) {
    return domain == Domain::unit
               ? "Map it to (0, 1), for example with inv_logit, or use the distribution's logit form."
               : "Make it positive, for example with exp, or constrain what it is made of.";
  }

  void structure(const Demand& demand) {
    const Variable* variable = declared_whole(demand);
    if (!variable || !is_global(*variable, BlockKind::parameters)) return;
    if (!satisfies(demand.domain, variable->declared->constraint) && first_time(*variable, demand.domain)) {
      undeclared(demand, *variable);
    }
  }

  void undeclared(const Demand& demand, const Variable& variable) {
    report_
        .add(demand.expr.span,
             fmt::format("{}, but parameter '{}' is declared as {}.", need(demand), variable.name,
                         stan_text(*variable.declared)),
             fmt::format("Declare '{}' {}.", variable.name, declaration(demand.domain)))
        .note = {variable.span, "Declared here."};
  }

  bool first_time(const Variable& variable, Domain domain) {
    if (domain == Domain::nonnegative) domain = Domain::positive;
    return said_.insert(std::uint64_t{variable.id} * 16 + static_cast<std::uint64_t>(domain)).second;
  }

  const Facts& facts_;
  Report& report_;
  Ranges ranges_;
  std::unordered_set<std::uint64_t> said_;
};

bool declares(const SizedType& type, Domain domain, Ranges& ranges) {
  if (!type.elements.empty()) return true;
  if (!is_interval(domain)) return satisfies(domain, type.constraint);
  if (type.constraint != Constraint::none && type.constraint != Constraint::bounds) return true;
  if (!type.lower) return false;
  const auto lower = constant_value(*type.lower);
  if (lower && *lower < 0) return false;
  if (domain == Domain::unit || domain == Domain::binary) return type.upper != nullptr;
  return !lower.has_value() ? true : ranges.of(*type.lower).lo >= 0;
}

}  // namespace

void lint_out_of_support(const Facts& facts, Report& report) {
  SupportLint lint(facts, report);
  for_each_demand(facts, [&lint](const Demand& demand) { lint.look(demand); });
  for (const DistributionUse& use : facts.distributions) {
    if (use.tilde && use.tilde->truncated) lint.truncation(use);
  }
}

void lint_unchecked_data(const Facts& facts, Report& report) {
  Ranges ranges(facts);
  std::unordered_set<const Variable*> said;
  for_each_demand(facts, [&](const Demand& demand) {
    const Variable* variable =
        is_interval(demand.domain) ? root_variable(demand.expr) : declared_whole(demand);
    if (!variable || !is_global(*variable, BlockKind::data)) return;
    if (declares(*variable->declared, demand.domain, ranges) || !said.insert(variable).second) return;
    report
        .add(variable->span,
             fmt::format("Data '{}' must be {}, as {} of {}, but is not declared so.", variable->name,
                         to_string(demand.domain),
                         demand.argument.empty() ? "a variate" : "the " + std::string(demand.argument),
                         demand.use.family),
             fmt::format("Declare '{}' {}: wrong data is then refused on reading.", variable->name,
                         declaration(demand.domain)))
        .note = {demand.use.span, "Used here."};
  });
}

}  // namespace kullback::lang
