// The summary: a line for each block that declares or computes something, the model's as a count of its
// densities by family.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/print_program.hpp"
#include "lang/print_program/expr_text.hpp"
#include "lang/visit.hpp"

namespace kullback::lang {
namespace {

constexpr std::size_t kColumn = 24;

class Counts final {
 public:
  void add(std::string_view name) {
    for (auto& [known, count] : counts_) {
      if (known == name) {
        ++count;
        return;
      }
    }
    counts_.emplace_back(name, 1);
  }
  std::string text() const {
    std::string out;
    for (const auto& [name, count] : counts_) {
      if (!out.empty()) out += ", ";
      out += name;
      if (count > 1) out += fmt::format(" ({})", count);
    }
    return out;
  }

 private:
  std::vector<std::pair<std::string_view, int>> counts_;  // in order of first use; a model uses few families
};

void append_line(std::string& out, std::string_view label, std::string_view text) {
  out += fmt::format("{:<{}}{}\n", label, kColumn, text);
}

std::string declared_variables(const std::vector<const Stmt*>& statements) {
  std::string out;
  for (const Stmt* stmt : statements) {
    const auto* declare = stmt->as<Declare>();
    if (!declare || !declare->variable->declared) continue;
    if (!out.empty()) out += "; ";
    out += fmt::format("{} {}", declare->variable->name, stan_text(*declare->variable->declared));
  }
  return out;
}

std::string_view family(std::string_view density) {
  for (std::string_view suffix : {"_lpdf", "_lpmf"}) {
    if (density.ends_with(suffix)) return density.substr(0, density.size() - suffix.size());
  }
  return {};
}

std::string plural(int count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string model_terms(const Program& program) {
  Counts families;
  int densities = 0;
  int increments = 0;
  const auto add = [&](std::string_view name) {
    ++densities;
    families.add(name);
  };
  const auto look = [&](const Stmt& stmt) {
    if (const auto* tilde = stmt.as<Tilde>()) add(tilde->distribution);
    const Expr* value = nullptr;
    if (const auto* plus = stmt.as<TargetPlus>()) value = plus->value;
    if (const auto* plus = stmt.as<JacobianPlus>()) value = plus->value;
    if (!value) return;
    const int before = densities;
    for_each_expr(*value, [&](const Expr& expr) {
      const auto* call = expr.as<Call>();
      if (call && !family(call->name).empty()) add(family(call->name));
    });
    if (densities == before) ++increments;
  };
  for (BlockKind kind : {BlockKind::transformed_parameters, BlockKind::model}) {
    for (const Stmt* stmt : program.block(kind)) for_each_stmt(*stmt, look);
  }
  if (densities + increments == 0) return {};
  std::string out = plural(densities, "density term");
  if (densities > 0) out += ": " + families.text();
  if (increments > 0) out += fmt::format("; {} of target", plural(increments, "other increment"));
  return out;
}

std::string function_names(const Program& program) {
  std::string out;
  for (const Function* function : program.functions) {
    if (!out.empty()) out += ", ";
    out += function->name;
  }
  return out;
}

}  // namespace

std::string summary(const Program& program) {
  std::string out;
  if (!program.functions.empty()) append_line(out, "functions", function_names(program));
  for (int i = 1; i < ast::kBlockKinds; ++i) {
    const BlockKind kind = static_cast<BlockKind>(i);
    const std::string text =
        kind == BlockKind::model ? model_terms(program) : declared_variables(program.block(kind));
    if (!text.empty()) append_line(out, ast::to_string(kind), text);
  }
  return out.empty() ? "an empty program\n" : out;
}

}  // namespace kullback::lang
