// Calls of built-in functions that this version's engine cannot run. Each function is named once.
#include "math/unsupported.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "lang/lint/report.hpp"
#include "lang/visit.hpp"

namespace kullback::lang {

void lint_unsupported_function(const Facts& facts, Report& report) {
  std::unordered_set<std::string_view> named;
  const auto look = [&](const Stmt& root) {
    for_each_expr(root, [&](const Expr& expr) {
      const auto* call = expr.as<Call>();
      if (!call || call->user) return;
      const std::string_view why = math::why_unsupported(call->name);
      if (why.empty() || !named.insert(call->name).second) return;
      report.add(expr.span,
                 fmt::format(
                     "'{}' is not supported yet: the engine has no {}. The program is valid, but cannot run.",
                     call->name, why));
    });
  };
  for (const Function* function : facts.program.functions) {
    if (function->body) look(*function->body);
  }
  for (const auto& block : facts.program.blocks) {
    for (const Stmt* stmt : block) look(*stmt);
  }
}

}  // namespace kullback::lang
