// Calls: which function is meant, whether it may stand here, and what it makes of its arguments.
#include <fmt/format.h>

#include "lang/check/checker.hpp"
#include "math/higher_order.hpp"

namespace kullback::lang {

// The name under which a function is known: normal_lupdf is normal_lpdf.
Name& Checker::function_entry(std::string_view name) {
  if (!is_unnormalized(name)) return environment_.name(name);
  return environment_.name(normalized(name));
}

std::span<const Found> Checker::found(std::span<const Value> arguments) {
  found_.clear();
  for (const Value& argument : arguments)
    found_.push_back({argument.type(), !is_autodiff(argument.level, argument.type())});
  return found_;
}

// ---- rules about where a function may be called ----

bool Checker::check_unnormalized(const ast::Name& name) {
  if (!is_unnormalized(name.text) || context_.block == BlockKind::model) return true;
  const Overload* function = context_.function;
  if (function && (function->suffix == Suffix::lpdf || function->suffix == Suffix::lpmf)) return true;
  error("unnormalized-outside-model", name.span,
        fmt::format(
            "{} leaves out constants, which is allowed only in the model block and in functions whose name "
            "ends in _lpdf or _lpmf.",
            quoted(name.text)),
        fmt::format("Write {}.", normalized(name.text)));
  return false;
}

// A call with one argument needs no bar, as there is nothing to stand behind it.
bool Checker::check_bar(const ast::Call& node) {
  const std::string_view name = node.function.text;
  if (node.bar && !takes_bar(name)) {
    error(
        "bar-not-allowed", node.function.span,
        fmt::format("The arguments of {} are separated by commas only.", quoted(name)),
        "A bar stands in calls of functions ending in _lpdf, _lpmf, _lupdf, _lupmf, _cdf, _lcdf and _lccdf.");
    return false;
  }
  if (!node.bar && takes_bar(name) && node.arguments.size() > 1) {
    error("bar-needed", node.function.span,
          fmt::format("{} needs a bar after its first argument.", quoted(name)),
          fmt::format("Write {}(x | ...).", name));
    return false;
  }
  return true;
}

void Checker::require_target(Span span, std::string_view what) {
  if (context_.block == BlockKind::model || (context_.function && context_.function->suffix == Suffix::lp))
    return;
  error("target-outside-model", span,
        fmt::format(
            "{} changes the log density, which is allowed only in the model block and in functions whose "
            "name ends in _lp.",
            what));
}

void Checker::require_jacobian(Span span, std::string_view what) {
  const bool in_function = context_.function && context_.function->suffix == Suffix::jacobian;
  if (context_.block == BlockKind::transformed_parameters || in_function) return;
  error("jacobian-outside-transformed-parameters", span,
        fmt::format(
            "{} is allowed only in transformed parameters and in functions whose name ends in _jacobian.",
            what));
}

void Checker::warn_idle_jacobian(const ast::Call& node, std::span<const Value> arguments) {
  for (const Value& argument : arguments) {
    if (is_autodiff(argument.level, argument.type())) return;
  }
  const std::string_view name = node.function.text;
  const std::string other = std::string(name.substr(0, name.size() - 9)) + "_constrain";
  warning("jacobian-of-data", node.function.span,
          fmt::format("{} adds a Jacobian although none of its arguments is a parameter.", quoted(name)),
          environment_.name(other).is_builtin ? fmt::format("Write {} for the value alone.", other) : "");
}

void Checker::check_call_place(const ast::Call& node, std::span<const Value> arguments) {
  const ast::Name& name = node.function;
  switch (suffix_of(name.text)) {
    case Suffix::lp:
      if (context_.block == BlockKind::transformed_parameters) {
        warning("lp-in-transformed-parameters", name.span,
                "Calling an _lp function in transformed parameters is deprecated and will be an error in "
                "Stan 2.40.",
                "Use a function whose name ends in _jacobian, with jacobian += instead of target +=.");
      } else {
        require_target(name.span, quoted(name.text));
      }
      break;
    case Suffix::jacobian: {
      const std::size_t before = diagnostics_.size();
      require_jacobian(name.span, quoted(name.text));
      if (diagnostics_.size() == before) warn_idle_jacobian(node, arguments);
      break;
    }
    case Suffix::rng: check_rng_place(name); break;
    case Suffix::lpdf:
    case Suffix::lpmf: check_unnormalized(name); break;
    case Suffix::plain: break;
  }
}

void Checker::check_rng_place(const ast::Name& name) {
  if (context_.in_size) {
    error("rng-in-size", name.span, "The sizes of a block's variables cannot be random.",
          "Assign the number to an int in transformed data first, then use that as the size.");
    return;
  }
  const bool in_function = context_.function && context_.function->suffix == Suffix::rng;
  if (in_function || context_.block == BlockKind::transformed_data ||
      context_.block == BlockKind::generated_quantities) {
    return;
  }
  error("rng-not-allowed", name.span,
        fmt::format(
            "{} draws random numbers, which is allowed only in transformed data, in generated quantities and "
            "in functions whose name ends in _rng.",
            quoted(name.text)));
}

// ---- calls ----

bool Checker::is_callable(const ast::Name& function, Name& entry) {
  Name& written = environment_.name(function.text);
  if (written.variable && !entry.is_builtin) {
    const Variable* variable = written.variable;
    Diagnostic& diagnostic = error(
        "not-a-function", function.span,
        variable->type
            ? fmt::format("{} is {}, not a function.", quoted(function.text), with_article(*variable->type))
            : fmt::format("{} is a variable, not a function.", quoted(function.text)),
        "Elements are taken with brackets: x[i].");
    diagnostic.note = {variable->span, quoted(function.text) + " is declared here."};
    return false;
  }
  if (!entry.overloads.empty() || entry.is_builtin) return true;
  report_undefined_function(function, written);
  return false;
}

// What is called inside a function matters to whoever differentiates it twice.
void Checker::note_callee(const Overload* user, std::string_view builtin) {
  if (!context_.function) return;
  Overload* caller = context_.function;
  if (user) {
    caller->callees.push_back(user);
  } else if (caller->first_order_only.empty() && math::lacks_second_derivatives(builtin)) {
    caller->first_order_only = builtin;
  }
}

Value Checker::call_value(Span span, const Type* type, std::span<const Value> arguments, Call node) {
  bool data_only = true;
  Level level;
  for (const Value& argument : arguments) {
    data_only = data_only && argument.expr->data_only;
    level.autodiff = level.autodiff || is_autodiff(argument.level, argument.type());
  }
  if (type->is_discrete()) level.autodiff = false;
  return make(span, type, level, data_only, node);
}

Value Checker::plain_call(Span span, const ast::Name& function, Name& entry,
                          std::span<const Value> arguments) {
  const Resolved& resolved = resolver_.function(entry, found(arguments));
  if (resolved.outcome == math::Resolution::Outcome::ambiguous) {
    report_ambiguous(function, resolved, arguments);
    return {};
  }
  if (!resolved.ok()) {
    report_mismatch(function, resolved, arguments);
    return {};
  }
  note_callee(resolved.user, entry.text);
  Exprs promoted(expr_pool_);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    promoted->push_back(promote(arguments[i].expr, resolved.parameters[i]));
  Call node{entry.text, resolved.user ? resolved.user->function : nullptr, arena_.copy(*promoted),
            is_unnormalized(function.text)};
  return call_value(span, resolved.result, arguments, node);
}

Value Checker::call(const ast::Expr& expr, const ast::Call& node) {
  Values arguments(value_pool_);
  const bool ok = check_all(node.arguments, *arguments);
  Name& entry = function_entry(node.function.text);
  if (!is_callable(node.function, entry)) return {};
  if (!ok) return {};
  const HigherCall higher{expr.span, node.function, entry, node.arguments, *arguments};
  const Value value = takes_functions(higher)   ? higher_order_call(higher)
                      : values_only(*arguments) ? plain_call(expr.span, node.function, entry, *arguments)
                                                : Value{};
  if (!value) return {};
  if (value.type() == void_) {
    error("call-returns-nothing", node.function.span,
          fmt::format("{} returns nothing, so it has no value to use here.", quoted(node.function.text)),
          "A function declared void is called as a statement.");
    return {};
  }
  if (check_bar(node)) check_call_place(node, *arguments);
  return value;
}

// A user may add overloads to a built-in that takes functions; what they cannot do is take functions.
bool Checker::takes_functions(const HigherCall& call) {
  if (!call.entry.is_higher_order) return false;
  return call.entry.overloads.empty() ||
         (!call.arguments.empty() && call.arguments.front().type()->kind == Kind::function);
}

bool Checker::values_only(std::span<const Value> values) {
  bool ok = true;
  for (const Value& value : values) ok = is_value(value) && ok;
  return ok;
}

Effect Checker::call_statement(const ast::Stmt& stmt, const ast::CallStmt& node) {
  const auto& call = *node.call->as<ast::Call>();
  Values arguments(value_pool_);
  const bool ok = check_all(call.arguments, *arguments);
  Name& entry = function_entry(call.function.text);
  if (!is_callable(call.function, entry) || !ok) return {};
  check_call_place(call, *arguments);
  if (takes_functions({node.call->span, call.function, entry, call.arguments, *arguments})) {
    report_unused_result(call);
    return {};
  }
  if (!values_only(*arguments)) return {};
  const Value value = plain_call(node.call->span, call.function, entry, *arguments);
  if (!value) return {};
  if (value.type() != void_) {
    report_unused_result(call);
    return {};
  }
  return {arena_.make(Stmt{stmt.span, CallStmt{value.expr}})};
}

void Checker::report_unused_result(const ast::Call& call) {
  std::string hint = "Assign its value to a variable.";
  const Suffix suffix = suffix_of(call.function.text);
  if (suffix == Suffix::lpdf || suffix == Suffix::lpmf) hint = "Write target += in front of it.";
  error("unused-result", call.function.span,
        fmt::format("{} returns a value, which is lost here.", quoted(call.function.text)), std::move(hint));
}

}  // namespace kullback::lang
