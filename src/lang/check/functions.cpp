// User functions: all are known before any body is looked at, so their order does not matter.
#include <fmt/format.h>

#include <unordered_set>

#include "lang/check/checker.hpp"
#include "math/higher_order.hpp"

namespace kullback::lang {

namespace {

bool same_arguments(const math::Signature& a, const math::Signature& b, bool with_data) {
  if (a.arguments.size() != b.arguments.size()) return false;
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    if (!(a.arguments[i].type == b.arguments[i].type)) return false;
    if (with_data && a.arguments[i].data_only != b.arguments[i].data_only) return false;
  }
  return true;
}

}  // namespace

void Checker::hoist_functions() {
  context_ = Context{.block = BlockKind::functions};
  for (const ast::Stmt* stmt : tree_.block(BlockKind::functions).statements) {
    if (const auto* function = stmt->as<ast::Function>()) hoist(*function);
  }
}

// A definition completes its forward declaration; otherwise overloads must differ in their arguments.
Overload* Checker::earlier_overload(const ast::Function& function, Name& entry,
                                    const math::Signature& signature, bool& clash) {
  clash = false;
  for (Overload* overload : entry.overloads) {
    if (!same_arguments(overload->signature, signature, false)) continue;
    const bool same_result = overload->signature.result == signature.result;
    const bool completes =
        !overload->defined && same_result && same_arguments(overload->signature, signature, true);
    if (completes && function.body) return overload;
    clash = true;
    overload->defined = true;  // in error already: nothing more about it
    std::string message =
        fmt::format("{} is already declared with these arguments.", quoted(function.name.text));
    if (!same_result)
      message = fmt::format("{} differs from an earlier function only in its result: {} against {}.",
                            quoted(function.name.text), math::to_string(signature.result),
                            math::to_string(overload->signature.result));
    Diagnostic& diagnostic = error("duplicate-function", function.name.span, std::move(message));
    diagnostic.note = {overload->function->span, "The other one is here."};
    return overload;
  }
  return nullptr;
}

bool Checker::clashes_with_builtin(const ast::Function& function, const Name& entry,
                                   const math::Signature& signature) {
  if (!entry.is_builtin) return false;
  const auto record = math::find_higher_order(entry.text);
  if (math::find_laplace(entry.text) || (record && record->form != math::HigherOrder::Form::fixed)) {
    error("builtin-redefined", function.name.span,
          fmt::format("{} is a built-in function that takes functions; it cannot have overloads.",
                      quoted(function.name.text)),
          "Choose another name.");
    return true;
  }
  if (record) return false;
  std::vector<math::Argument> exact = signature.arguments;
  for (math::Argument& argument : exact) argument.data_only = true;
  const math::Resolution resolution = math::resolve(entry.text, exact);
  if (resolution.outcome != math::Resolution::Outcome::unique) return false;
  if (!same_arguments(resolution.signature, signature, false)) return false;
  error("builtin-redefined", function.name.span,
        fmt::format("{} is a built-in function with the same arguments: {}.", quoted(function.name.text),
                    math::to_string(resolution.signature)),
        "Choose another name, or other argument types.");
  return true;
}

List<const Variable*> Checker::parameters_of(const ast::Function& function) {
  std::vector<const Variable*> parameters;
  for (const ast::Parameter& parameter : function.parameters) {
    Variable variable;
    variable.name = environment_.name(parameter.name.text).text;
    variable.span = parameter.name.span;
    variable.type = unsized_type(*parameter.type);
    variable.block = BlockKind::functions;
    variable.role = Variable::Role::argument;
    variable.data_only = parameter.data_only;
    variable.id = program_->variable_count++;
    parameters.push_back(arena_.make(variable));
  }
  return arena_.copy(parameters);
}

void Checker::hoist(const ast::Function& function) {
  math::Signature signature;
  signature.result = *unsized_type(*function.result);
  const List<const Variable*> parameters = parameters_of(function);
  for (const Variable* parameter : parameters)
    signature.arguments.push_back({*parameter->type, parameter->data_only});
  check_identifier(function.name);
  if (is_unnormalized(function.name.text)) {
    error("reserved-name", function.name.span,
          fmt::format("{} cannot be defined: Stan derives it from the normalised density.",
                      quoted(function.name.text)),
          fmt::format("Define {}.", normalized(function.name.text)));
  }
  Name& entry = environment_.name(function.name.text);
  bool clash = false;
  Overload* overload = earlier_overload(function, entry, signature, clash);
  if (!overload) {
    clashes_with_builtin(function, entry, signature);
    check_signature_rules(function, signature);
    overload = &environment_.add_overload(entry);
    overload->signature = signature;
    overload->suffix = suffix_of(entry.text);
    overload->function =
        arena_.make(Function{entry.text, function.name.span, types_.intern(signature.result), {}});
    program_->functions.push_back(overload->function);
  }
  if (clash) overload = detached_overload(entry, function, signature);
  overload->function->parameters = parameters;
  if (function.body) {
    overload->function->span = function.name.span;
    overload->defined = true;
  }
  hoisted_.push_back({&function, overload});
}

// A duplicate is in error, but its body is checked all the same.
Overload* Checker::detached_overload(const Name& entry, const ast::Function& function,
                                     const math::Signature& signature) {
  Overload& overload = detached_.emplace_back();
  overload.signature = signature;
  overload.suffix = suffix_of(entry.text);
  overload.defined = true;
  overload.function =
      arena_.make(Function{entry.text, function.name.span, types_.intern(signature.result), {}});
  return &overload;
}

void Checker::check_signature_rules(const ast::Function& function, const math::Signature& signature) {
  const std::string_view name = function.name.text;
  const math::Type& result = signature.result;
  if (takes_bar(name) && !result.is(Kind::real)) {
    error(
        "density-result", function.name.span,
        fmt::format("The name {} says that this is a probability function, which must return a real, but it "
                    "returns {}.",
                    quoted(name), result.kind == Kind::void_ ? "nothing" : math::to_string(result)));
  }
  const Suffix suffix = suffix_of(name);
  if (suffix != Suffix::lpdf && suffix != Suffix::lpmf) return;
  const math::Type* variate = signature.arguments.empty() ? nullptr : &signature.arguments.front().type;
  if (variate && variate->is_discrete() == (suffix == Suffix::lpmf)) return;
  const std::string found = variate ? with_article(*variate) : "missing";
  if (suffix == Suffix::lpdf) {
    error("density-variate", function.name.span,
          fmt::format("The first argument of a density must be real, but is {}.", found),
          "The name of a function of an int variate ends in _lpmf.");
  } else {
    error("density-variate", function.name.span,
          fmt::format("The first argument of a mass function must be int, but is {}.", found),
          "The name of a function of a real variate ends in _lpdf.");
  }
}

void Checker::check_function(const ast::Function& function, Overload& overload) {
  context_ = Context{.block = BlockKind::functions, .function = &overload};
  Scope scope(environment_);
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const ast::Name& name = function.parameters[i].name;
    check_identifier(name);
    Name& entry = environment_.name(name.text);
    check_fresh(name, entry);
    environment_.declare(entry, overload.function->parameters[i]);
  }
  const Effect body = scoped(*function.body);
  overload.function->body = body.stmt;
  if (overload.function->result != void_ && body.flow != Flow::complete) {
    error("missing-return", function.name.span,
          fmt::format("{} must return {}, but can end without doing so.", quoted(function.name.text),
                      with_article(*overload.function->result)),
          "End it with a return statement on every path.");
  }
  environment_.clear_poison();
}

void Checker::check_all_defined() {
  if (options_.allow_undefined_functions) return;
  for (const auto& [function, overload] : hoisted_) {
    if (overload->defined || function->body) continue;
    error("undefined-function", function->name.span,
          fmt::format("{} is declared but not defined.", quoted(function->name.text)),
          "Write its body in Stan. One that is defined in C++ (stanc's --allow-undefined) cannot be called: "
          "Kullback runs programs without a compiler.");
  }
}

// A likelihood of the embedded Laplace approximation is differentiated twice, and so is all it calls.
void Checker::check_second_derivatives() {
  for (const auto& [span, root] : twice_differentiated_) {
    std::vector<const Overload*> pending = {root};
    std::unordered_set<const Overload*> seen;
    while (!pending.empty()) {
      const Overload* overload = pending.back();
      pending.pop_back();
      if (!overload || !seen.insert(overload).second) continue;
      if (!overload->first_order_only.empty()) {
        error(
            "no-second-derivatives", span,
            fmt::format(
                "{} calls {}, which has no second derivatives, and so cannot be the likelihood of a Laplace "
                "approximation.",
                quoted(root->function->name), quoted(overload->first_order_only)));
        break;
      }
      pending.insert(pending.end(), overload->callees.begin(), overload->callees.end());
    }
  }
}

}  // namespace kullback::lang
