#include "lang/modernize_names.hpp"

#include <algorithm>
#include <iterator>

#include "lang/modernize_types.hpp"
#include "lang/modernize_walk.hpp"
#include "lang/old_functions.hpp"
#include "lang/token.hpp"
#include "math/signatures.hpp"

namespace kullback::lang {

namespace {

// A density returns a real and has an outcome.
bool is_density_like(const ast::Function& function) {
  return unsized_type(*function.result).is(math::Kind::real) && !function.parameters.empty();
}

bool is_discrete(const ast::Function& function) {
  return unsized_type(*function.parameters[0].type).is_discrete();
}

bool same_arguments(const ast::Function& function, const math::Signature& signature) {
  return std::ranges::equal(function.parameters, signature.arguments,
                            [](const ast::Parameter& parameter, const math::Argument& argument) {
                              return unsized_type(*parameter.type) == argument.type;
                            });
}

}  // namespace

std::string_view distribution_stem(std::string_view function) {
  for (std::string_view ending : {"_lpdf", "_lpmf", "_lupdf", "_lupmf", "_lcdf", "_lccdf", "_cdf", "_rng"}) {
    if (function.ends_with(ending)) return function.substr(0, function.size() - ending.size());
  }
  return {};
}

NamePlan::NamePlan(ast::Tree& tree) : tree_(tree) {
  collect();
  plan_reserved();
  for (const auto& [name, overloads] : functions_) {
    plan_old_density(name, overloads);
    plan_now_builtin(name, overloads);
  }
}

// ---- what the program uses ----

void NamePlan::collect() {
  for (ast::ProgramBlock& block : tree_.blocks) {
    for_each_below(block.statements, [this](ast::Stmt& stmt) { collect(stmt); });
  }
}

void NamePlan::collect(ast::Stmt& stmt) {
  for_each_operand(stmt, [this](ast::Expr*& expr) { collect(*expr); });
  if (auto* declare = stmt.as<ast::Declare>()) {
    for_each_operand(*declare->type, [this](ast::Expr*& expr) { collect(*expr); });
    for (ast::Declared& variable : declare->variables) {
      names_.insert(variable.name.text);
      if (variable.value != nullptr) collect(*variable.value);
    }
  } else if (auto* function = stmt.as<ast::Function>()) {
    names_.insert(function->name.text);
    functions_[function->name.text].push_back(function);
    for (const ast::Parameter& parameter : function->parameters) names_.insert(parameter.name.text);
  } else if (auto* tilde = stmt.as<ast::Tilde>()) {
    names_.insert(tilde->distribution.text);
    distributions_[tilde->distribution.text].insert(tilde->arguments.size());
  } else if (auto* count = stmt.as<ast::For>()) {
    names_.insert(count->variable.text);
  } else if (auto* each = stmt.as<ast::ForEach>()) {
    names_.insert(each->variable.text);
  }
}

void NamePlan::collect(ast::Expr& root) {
  for_each_below(root, [this](ast::Expr& expr) {
    if (const auto* variable = expr.as<ast::Variable>()) names_.insert(variable->name.text);
    if (const auto* call = expr.as<ast::Call>()) names_.insert(call->function.text);
  });
}

// ---- what must change ----

void NamePlan::plan_reserved() {
  std::vector<std::string_view> reserved;
  std::ranges::copy_if(names_, std::back_inserter(reserved), was_once_free);
  std::ranges::sort(reserved);
  for (std::string_view word : reserved) words_[word] = {Reason::reserved, fresh(std::string(word) + "_")};
}

// foo_log is a density where the program says y ~ foo(...): otherwise it is a function like any other.
// foo_cdf_log and foo_ccdf_log go with it.
void NamePlan::plan_old_density(std::string_view name, const Overloads& overloads) {
  const auto old = split_old_density(name);
  if (!old || !std::ranges::all_of(overloads, [](auto* f) { return is_density_like(*f); })) return;
  const bool discrete = is_discrete(*overloads[0]);
  const bool agree = std::ranges::all_of(overloads, [&](auto* f) { return is_discrete(*f) == discrete; });
  const bool used =
      old->ending == OldEnding::log ? agree && is_given(old->stem, overloads) : has_density(old->stem);
  std::string modern(old->stem);
  modern.append(modern_ending(old->ending, discrete));
  if (used && !names_.contains(modern)) {
    function_changes_[name] = {Reason::old_density, fresh(std::move(modern))};
  }
}

bool NamePlan::is_given(std::string_view stem, const Overloads& overloads) const {
  const auto uses = distributions_.find(stem);
  return uses != distributions_.end() && std::ranges::any_of(overloads, [&](auto* f) {
           return uses->second.contains(f->parameters.size() - 1);
         });
}

bool NamePlan::has_density(std::string_view stem) const {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"_log", "_lpdf", "_lpmf"},
      [&](std::string_view ending) { return functions_.contains(std::string(stem).append(ending)); });
}

// All of a distribution's functions get the new name together.
void NamePlan::plan_now_builtin(std::string_view name, const Overloads& overloads) {
  if (!is_new_builtin(name) || !math::is_builtin(name)) return;
  const std::vector<math::Signature> builtin = math::signatures(name);
  const bool clashes = std::ranges::any_of(overloads, [&](auto* function) {
    return std::ranges::any_of(builtin,
                               [&](auto& signature) { return same_arguments(*function, signature); });
  });
  if (!clashes) return;
  const std::string_view stem = distribution_stem(name);
  if (stem.empty()) {
    function_changes_[name] = {Reason::now_builtin, fresh("user_" + std::string(name))};
    return;
  }
  const std::string new_stem = "user_" + std::string(stem);
  distribution_changes_[stem] = {Reason::now_builtin, tree_.arena->copy(new_stem)};
  for (const auto& [sibling, unused] : functions_) {
    if (distribution_stem(sibling) != stem) continue;
    function_changes_[sibling] = {Reason::now_builtin,
                                  tree_.arena->copy(new_stem + std::string(sibling.substr(stem.size())))};
  }
}

std::string_view NamePlan::fresh(std::string name) {
  std::string candidate = name;
  for (int i = 2; names_.contains(candidate); ++i) candidate = name + std::to_string(i);
  const std::string_view kept = tree_.arena->copy(candidate);
  names_.insert(kept);
  return kept;
}

// ---- answers ----

NamePlan::Change NamePlan::find(const std::map<std::string_view, Change>& changes, std::string_view name) {
  const auto found = changes.find(name);
  return found == changes.end() ? Change{} : found->second;
}

bool NamePlan::is_user_density(std::string_view name) const {
  if (name.ends_with("_lupdf") || name.ends_with("_lupmf")) {
    std::string normal(name);
    normal.erase(normal.size() - 4, 1);
    return functions_.contains(normal);
  }
  return functions_.contains(name);
}

NamePlan::Change NamePlan::of_word(std::string_view name) const { return find(words_, name); }

NamePlan::Change NamePlan::of_distribution(std::string_view name) const {
  const Change word = of_word(name);
  return word.reason != Reason::none ? word : find(distribution_changes_, name);
}

NamePlan::Change NamePlan::of_function(std::string_view name) const {
  if (const Change word = of_word(name); word.reason != Reason::none) return word;
  if (const Change change = find(function_changes_, name); change.reason != Reason::none) return change;
  if (!name.ends_with("_lupdf") && !name.ends_with("_lupmf")) return {};
  const std::string_view stem = distribution_stem(name);
  const Change family = find(distribution_changes_, stem);
  if (family.reason == Reason::none) return {};
  const std::string whole = std::string(family.name).append(name.substr(stem.size()));
  return {family.reason, tree_.arena->copy(whole)};
}

}  // namespace kullback::lang
