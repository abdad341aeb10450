#include "lang/observed.hpp"

#include <algorithm>
#include <vector>

#include "lang/visit.hpp"

namespace kullback::lang {

namespace {

bool is_of_variate(std::string_view function) {
  constexpr std::string_view kEnds[] = {"_lpdf", "_lpmf", "_lcdf", "_lccdf"};
  return std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&](std::string_view end) { return function.ends_with(end); });
}

// The data that a variate consists of.
void add_data(const Expr& variate, std::set<std::string_view>& names) {
  std::vector<const Expr*> pending{&variate};
  while (!pending.empty()) {
    const Expr& expr = unpromoted(*pending.back());
    pending.pop_back();
    if (const auto* reference = expr.as<VariableRef>()) {
      if (reference->variable->block == BlockKind::data) names.insert(reference->variable->name);
    } else if (const auto* indexed = expr.as<Indexed>()) {
      pending.push_back(indexed->base);
    } else if (const auto* call = expr.as<Call>()) {
      if (!call->arguments.empty()) pending.push_back(call->arguments.front());
    } else {
      for_each_child(expr, [&pending](const Expr& child) { pending.push_back(&child); });
    }
  }
}

}  // namespace

std::set<std::string_view> observed_data(const Program& program) {
  std::set<std::string_view> names;
  for (const Stmt* root : program.block(BlockKind::model)) {
    for_each_stmt(*root, [&names](const Stmt& stmt) {
      if (const auto* tilde = stmt.as<Tilde>()) add_data(*tilde->variate, names);
    });
    for_each_expr(*root, [&names](const Expr& expr) {
      const auto* call = expr.as<Call>();
      if (call != nullptr && is_of_variate(call->name) && !call->arguments.empty())
        add_data(*call->arguments.front(), names);
    });
  }
  return names;
}

}  // namespace kullback::lang
