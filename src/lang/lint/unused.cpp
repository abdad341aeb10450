// Unused variables, functions and loop variables. What a block writes out (transformed parameters, generated
// quantities) is used by whoever reads the output; a function's arguments may be asked for by its caller.
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/lint/range.hpp"
#include "lang/lint/report.hpp"

namespace kullback::lang {
namespace {

// Bounds that depend on other parameters make a joint density of their own.
bool bounds_move(const SizedType& type) {
  return (type.lower && !type.lower->data_only) || (type.upper && !type.upper->data_only);
}

// A parameter with a proper uniform prior may be there to be drawn from, when nothing else is or when it is
// read.
void unused_parameter(const VariableFacts& facts, bool model_is_empty, Report& report) {
  const Variable& variable = *facts.variable;
  if (facts.reaches_density) return;
  if (is_bounded(*variable.declared) &&
      (model_is_empty || facts.reads > 0 || bounds_move(*variable.declared)))
    return;
  if (model_is_empty && facts.reads > 0) return;
  report.add(variable.span, fmt::format("Parameter '{}' does not enter the log density.", variable.name),
             facts.reads > 0 ? "Use it in the model, or compute it in generated quantities."
                             : "Use it in the model, or remove it.");
}

void unused_value(const VariableFacts& facts, Report& report) {
  const Variable& variable = *facts.variable;
  if (facts.reads > 0) return;
  const bool assigned = facts.definitions > 0;
  report.add(
      variable.span,
      fmt::format("Variable '{}' is {}.", variable.name, assigned ? "assigned but never read" : "never used"),
      "Remove it.");
}

}  // namespace

void lint_unused_variable(const Facts& facts, Report& report) {
  for (const VariableFacts& v : facts.variables) {
    if (!v.variable) continue;
    const Variable& variable = *v.variable;
    if (variable.role == Variable::Role::local ||
        (variable.role == Variable::Role::global && variable.block == BlockKind::transformed_data)) {
      unused_value(v, report);
    } else if (variable.role == Variable::Role::global && variable.block == BlockKind::parameters) {
      unused_parameter(v, !facts.has_density_terms, report);
    } else if (variable.role == Variable::Role::global && variable.block == BlockKind::data && v.reads == 0) {
      report.add(variable.span, fmt::format("Data variable '{}' is never used.", variable.name)).severity =
          Severity::hint;
    }
  }
}

// A function is used when a block calls it, or a function that is used does.
void lint_unused_function(const Facts& facts, Report& report) {
  bool has_blocks = false;
  for (const auto& block : facts.program.blocks) has_blocks = has_blocks || !block.empty();
  if (!has_blocks) return;
  std::unordered_multimap<const Function*, const Function*> uses;
  std::unordered_set<const Function*> used;
  std::vector<const Function*> pending = {nullptr};
  for (const FunctionUse& use : facts.function_uses) uses.emplace(use.by, use.used);
  while (!pending.empty()) {
    const auto [first, last] = uses.equal_range(pending.back());
    pending.pop_back();
    for (auto use = first; use != last; ++use) {
      if (used.insert(use->second).second) pending.push_back(use->second);
    }
  }
  for (const Function* function : facts.program.functions) {
    if (used.contains(function) || facts.sources.included_at(function->span.file)) continue;
    report.add(function->span, fmt::format("Function '{}' is never called.", function->name));
  }
}

void lint_unused_loop_variable(const Facts& facts, Report& report) {
  for (const Loop& loop : facts.loops) {
    const Variable* variable = nullptr;
    if (const auto* n = loop.stmt->as<For>()) variable = n->variable;
    if (const auto* n = loop.stmt->as<ForEach>()) variable = n->variable;
    if (!variable || facts.of(*variable).reads > 0) continue;
    report.add(variable->span, fmt::format("The loop's body never uses '{}': every iteration does the same.",
                                           variable->name));
  }
}

}  // namespace kullback::lang
