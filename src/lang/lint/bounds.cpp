// Hard bounds: <lower=a, upper=b> and uniform(a, b). Limits that are natural (probabilities, correlations,
// angles) and limits that come with the data say something known; other constants cut the posterior off.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "lang/lint/expr_tools.hpp"
#include "lang/lint/range.hpp"
#include "lang/lint/report.hpp"
#include "lang/print_program/expr_text.hpp"

namespace kullback::lang {
namespace {

struct Interval {
  double lo;
  double hi;
};

std::optional<Interval> constant_bounds(const SizedType& type) {
  if (!type.lower || !type.upper) return {};
  const auto lo = constant_value(*type.lower);
  const auto hi = constant_value(*type.upper);
  if (!lo || !hi || std::isinf(*lo) || std::isinf(*hi)) return {};
  return Interval{*lo, *hi};
}

bool near(double a, double b) { return std::abs(a - b) < 0.01; }

bool is_angle(double x) {
  constexpr double kQuarter = std::numbers::pi / 2;
  return near(x, 0) || near(std::abs(x), kQuarter) || near(std::abs(x), 2 * kQuarter) ||
         near(std::abs(x), 4 * kQuarter);
}

bool is_natural(Interval bounds) {
  return (bounds.lo >= -1 && bounds.hi <= 1) || (is_angle(bounds.lo) && is_angle(bounds.hi));
}

std::string soft_prior(Interval bounds) {
  if (bounds.lo == 0) {
    return fmt::format(
        "Leave out upper={} and say with a soft prior what is likely, such as normal(0, {:.3g}).", bounds.hi,
        bounds.hi / 2);
  }
  return fmt::format(
      "Leave the bounds out and say with a soft prior what is likely, such as normal({:.3g}, {:.3g}).",
      (bounds.lo + bounds.hi) / 2, (bounds.hi - bounds.lo) / 4);
}

const Variable* uniform_parameter(const DistributionUse& use) {
  if (use.call != DistributionCall::density || use.family != "uniform" || use.user) return nullptr;
  if (use.arguments.size() != 2 || use.tilde == nullptr || use.tilde->truncated) return nullptr;
  const Variable* variable = root_variable(*use.variate);
  if (!variable || variable->role != Variable::Role::global || variable->block != BlockKind::parameters) {
    return nullptr;
  }
  return variable->declared->elements.empty() ? variable : nullptr;
}

// The declared bound keeps the variable on the right side of the uniform's end; nothing: cannot tell.
std::optional<bool> keeps(const Expr* declared, const Expr& end, bool lower) {
  if (!declared) return false;
  if (same_expr(*declared, end)) return true;
  const auto bound = constant_value(*declared);
  const auto limit = constant_value(end);
  if (!bound || !limit) return {};
  return lower ? *bound >= *limit : *bound <= *limit;
}

struct Priors {
  bool uniform = false;
  bool other = false;
};

// By variable id: what kind of priors each parameter has.
std::vector<Priors> priors(const Facts& facts) {
  std::vector<Priors> out(facts.variables.size());
  for (const DistributionUse& use : facts.distributions) {
    if (use.call != DistributionCall::density || !use.place.in_density()) continue;
    const Variable* variable = root_variable(*use.variate);
    if (!variable) continue;
    (use.family == "uniform" ? out[variable->id].uniform : out[variable->id].other) = true;
  }
  return out;
}

}  // namespace

void lint_hard_bounds(const Facts& facts, Report& report) {
  const std::vector<Priors> by_variable = priors(facts);
  for (const Stmt* stmt : facts.program.block(BlockKind::parameters)) {
    const auto* declare = stmt->as<Declare>();
    if (!declare || !declare->variable->declared) continue;
    const Variable& variable = *declare->variable;
    const auto bounds = constant_bounds(*variable.declared);
    if (!bounds || bounds->lo >= bounds->hi || is_natural(*bounds)) continue;
    if (!facts.of(variable).reaches_density) continue;  // unused-variable says more
    const bool soft = by_variable[variable.id].other || facts.of(variable).in_free_term;
    Diagnostic& diagnostic =
        report.add(variable.span,
                   soft ? fmt::format("Parameter '{}' has a prior and is cut off at {} and {} as well.",
                                      variable.name, bounds->lo, bounds->hi)
                        : fmt::format("Parameter '{}' is uniform between {} and {} and impossible outside.",
                                      variable.name, bounds->lo, bounds->hi),
                   soft ? "Leave out bounds that are no natural limits." : soft_prior(*bounds));
    if (soft) diagnostic.severity = Severity::hint;
  }
}

void lint_uniform_bounds(const Facts& facts, Report& report) {
  for (const DistributionUse& use : facts.distributions) {
    const Variable* variable = uniform_parameter(use);
    if (!variable || !constraint_keyword(*variable->declared).empty()) continue;
    const auto lower = keeps(variable->declared->lower, *use.arguments[0], true);
    const auto upper = keeps(variable->declared->upper, *use.arguments[1], false);
    if (lower.value_or(true) && upper.value_or(true)) continue;
    const char* declare = whole_variable(*use.variate) ? "it" : "this part as a parameter of its own";
    const std::string lo = stan_text(*use.arguments[0]);
    const std::string hi = stan_text(*use.arguments[1]);
    report
        .add(use.span,
             fmt::format("'{}' is declared as {}, but outside [{}, {}] its uniform density is zero.",
                         variable->name, stan_text(*variable->declared), lo, hi),
             fmt::format("Declare {} with <lower={}, upper={}>, or better, take a soft prior.", declare, lo,
                         hi))
        .note = {variable->span, "Declared here."};
  }
}

void lint_empty_bounds(const Facts& facts, Report& report) {
  for (const VariableFacts& v : facts.variables) {
    if (!v.variable || !v.variable->declared) continue;
    const auto bounds = constant_bounds(*v.variable->declared);
    if (!bounds || bounds->lo < bounds->hi) continue;
    const bool one_value = bounds->lo == bounds->hi && v.variable->block != BlockKind::parameters;
    if (one_value) continue;  // data that can only be one value is odd, but possible
    report.add(v.variable->span,
               fmt::format("'{}' has no possible value: its lower bound {} is not below its upper bound {}.",
                           v.variable->name, bounds->lo, bounds->hi));
  }
}

}  // namespace kullback::lang
