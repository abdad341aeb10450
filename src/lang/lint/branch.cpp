// Branches and loop bounds that depend on parameters. In a block the checker knows what is data. A function's
// argument may be a parameter when some call passes one, from a block or from another such function; values
// are then followed back from each condition of the function to its arguments.
#include <fmt/format.h>

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/lint/expr_tools.hpp"
#include "lang/lint/report.hpp"
#include "lang/visit.hpp"

namespace kullback::lang {
namespace {

constexpr const char* kHint = "Write both sides as one smooth function, or as a mixture of the two cases.";
constexpr int kMaxSteps = 500;

// Only stops the program or says something: no value depends on the branch.
bool only_reports(const Stmt& stmt) {
  if (const auto* block = stmt.as<Block>()) {
    for (const Stmt* below : block->statements) {
      if (!only_reports(*below)) return false;
    }
    return true;
  }
  return stmt.as<Reject>() || stmt.as<FatalError>() || stmt.as<Print>();
}

// A branch that only stops the program guards the other one.
bool matters(const Branch& branch) {
  const auto* n = branch.stmt ? branch.stmt->as<If>() : nullptr;
  return !n || !(only_reports(*n->yes) || (n->no && only_reports(*n->no)));
}

std::string_view word(const Branch& branch) {
  if (!branch.stmt) return "choice";
  return branch.stmt->as<While>() ? "loop" : "branch";
}

// Which arguments of user functions may be parameters.
class ParameterArguments final {
 public:
  explicit ParameterArguments(const Facts& facts) : may_be_(facts.variables.size(), false) {
    for (const UserCall& call : facts.user_calls) {
      if (call.place.in_density()) pass(call);
      if (call.place.function) calls_in_[call.place.function].push_back(&call);
    }
    while (!pending_.empty()) {
      const Function* function = pending_.back();
      pending_.pop_back();
      for (const UserCall* call : calls_in_[function]) pass(*call);
    }
  }

  bool may_be(const Variable& argument) const { return may_be_[argument.id]; }

 private:
  void pass(const UserCall& call) {
    bool news = false;
    const List<const Variable*> parameters = call.function->parameters;
    for (std::size_t i = 0; i < call.size() && i < parameters.size(); ++i) {
      const Variable& parameter = *parameters[i];
      if (may_be_[parameter.id] || parameter.data_only || call[i].type->is_int()) continue;
      if (call.place.function ? !holds_parameter(call[i]) : call[i].data_only) continue;
      may_be_[parameter.id] = true;
      news = true;
    }
    if (news) pending_.push_back(call.function);
  }

  // Within a function: an argument that may be a parameter is named.
  bool holds_parameter(const Expr& expr) const {
    bool found = false;
    for_each_expr(expr, [&](const Expr& e) {
      const auto* ref = e.as<VariableRef>();
      if (ref && may_be_[ref->variable->id]) found = true;
      return !found;
    });
    return found;
  }

  std::vector<bool> may_be_;  // by variable id
  std::unordered_map<const Function*, std::vector<const UserCall*>> calls_in_;
  std::vector<const Function*> pending_;
};

// The parameter, or the argument that may be one, from which the condition's value comes, or null. Ints and
// sizes that only the checker's caution calls parameters have none.
template <class IsParameter>
const Variable* parameter_behind(const Facts& facts, const Expr& condition, IsParameter&& is_parameter) {
  std::vector<const Expr*> pending = {&condition};
  std::unordered_set<const Variable*> seen;
  const Variable* found = nullptr;
  int steps = 0;
  while (!pending.empty() && !found && steps < kMaxSteps) {
    const Expr* next = pending.back();
    pending.pop_back();
    for_each_expr(*next, [&](const Expr& e) {
      ++steps;
      const auto* call = e.as<Call>();
      if (call && is_size_function(call->name)) return false;
      const auto* ref = e.as<VariableRef>();
      if (!ref || found || !seen.insert(ref->variable).second) return !found && steps < kMaxSteps;
      if (is_parameter(*ref->variable)) found = ref->variable;
      for (std::uint32_t i = facts.of(*ref->variable).first_definition; i != kNone;
           i = facts.definitions[i].next) {
        if (facts.definitions[i].value) pending.push_back(facts.definitions[i].value);
      }
      return true;
    });
  }
  return found;
}

}  // namespace

void lint_parameter_branch(const Facts& facts, Report& report) {
  const ParameterArguments arguments(facts);
  const auto is_parameter = [](const Variable& v) {
    return v.role == Variable::Role::global && v.block == BlockKind::parameters;
  };
  const auto is_passed = [&arguments](const Variable& v) { return arguments.may_be(v); };
  for (const Branch& branch : facts.branches) {
    if (branch.condition->data_only || !matters(branch)) continue;
    if (branch.place.in_density()) {
      const Variable* parameter = parameter_behind(facts, *branch.condition, is_parameter);
      if (!parameter) continue;
      report.add(branch.condition->span,
                 fmt::format("This {} depends on parameter '{}': the density can be discontinuous there.",
                             word(branch), parameter->name),
                 kHint);
    } else if (branch.place.function) {
      const Variable* argument = parameter_behind(facts, *branch.condition, is_passed);
      if (!argument) continue;
      report.add(
          branch.condition->span,
          fmt::format("This {} depends on argument '{}', for which the model passes parameters: the density "
                      "can be discontinuous there.",
                      word(branch), argument->name),
          kHint);
    }
  }
}

}  // namespace kullback::lang
