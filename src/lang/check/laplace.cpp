// The embedded Laplace approximation:
//   f(likelihood, (forwarded...), hessian_block_size, covariance, (forwarded...)[, (controls...)])
// where a helper has the arguments of a built-in likelihood in place of the first two.
#include <fmt/format.h>

#include <algorithm>

#include "lang/check/checker.hpp"
#include "math/higher_order.hpp"

namespace kullback::lang {

using math::Laplace;

void Checker::report_laplace_form(const HigherCall& call, const Laplace& record) {
  std::string form = fmt::format("  {}(", record.name);
  if (record.likelihood) {
    form += "(vector, ...) => real, tuple(...)";
  } else {
    for (const math::Argument& argument : record.likelihood_arguments)
      form += (form.ends_with('(') ? "" : ", ") + math::to_string(argument.type);
  }
  form += ", data int, (...) => matrix, tuple(...)";
  if (!record.controls.empty()) form += ", tuple(vector, data real, data int, data int, data int, data int)";
  error("no-matching-overload", call.function.span,
        fmt::format("{} cannot be called with {}.", quoted(call.function.text), listed(call.arguments)),
        "It is called as\n" + form + ") => " + math::to_string(record.result));
}

// laplace_latent_solve has no derivatives: what it forwards must be data.
bool Checker::is_data_tuple(const HigherCall& call, std::size_t at) {
  const Value& value = call.arguments[at];
  if (!is_autodiff(value.level, value.type())) return true;
  Span span = call.exprs[at]->span;
  const auto* literal = value.expr->as<TupleLiteral>();
  for (std::size_t i = 0; literal && i < literal->elements.size(); ++i) {
    const Expr* element = literal->elements[i];
    if (!is_autodiff(element_level(value.level, value.type(), i), element->type)) continue;
    span = element->span;
    break;
  }
  error("needs-data", span,
        fmt::format("{} has no derivatives: its arguments must not depend on parameters.",
                    quoted(call.function.text)),
        "Call it in generated quantities.");
  return false;
}

void Checker::report_forwarding(const HigherCall& call, std::size_t at, const math::Signature& required,
                                const Fit& fit) {
  const auto* reference = call.arguments[at].expr->as<FunctionRef>();
  const std::string name = reference ? quoted(reference->name) : "This";
  const Span tuple = call.exprs[at + 1]->span;
  const std::size_t found = call.arguments[at + 1].type()->elements->size();
  if (fit.by_call) {
    error("forwarded-arguments", tuple,
          fmt::format("{} takes {}{}, but the tuple has {}.", name, counted(fit.expected.size(), "argument"),
                      required.arguments.empty() ? "" : " after the first", found));
  } else if (fit.bad == 0) {
    error("callback-signature", call.exprs[at]->span,
          fmt::format("{} cannot be the function that {} calls: {}.", name, quoted(call.function.text),
                      fit.why));
  } else {
    error(
        "forwarded-arguments", tuple,
        fmt::format("The {} element of this tuple, an argument of {}, {}.", ordinal(fit.bad), name, fit.why));
  }
}

// The function at `at` and the tuple after it.
bool Checker::laplace_function(const HigherCall& call, std::size_t at, const math::Signature& required,
                               std::vector<const Expr*>& out) {
  const std::string caller = quoted(call.function.text);
  const Value& tuple = call.arguments[at + 1];
  if (!tuple.type()->is(Kind::tuple)) {
    error("not-a-tuple", call.exprs[at + 1]->span,
          fmt::format("What {} forwards to its function must be a tuple, but this is {}.", caller,
                      with_article(*tuple.type())),
          "Write (x, y), or (x,) for one argument.");
    return false;
  }
  std::vector<Value> forwarded;
  for (std::size_t i = 0; i < tuple.type()->elements->size(); ++i) {
    const Type* type = types_.tuple_element(tuple.type(), i);
    forwarded.push_back(
        {arena_.make(Expr{tuple.expr->span, type, tuple.expr->data_only, TupleGet{tuple.expr, 0}}),
         element_level(tuple.level, tuple.type(), i)});
  }
  math::HigherOrder record;
  record.name = call.entry.text;
  record.form = math::HigherOrder::Form::variadic;
  record.callback = required;
  record.calls = {math::Signature{}};
  forwarded.insert(forwarded.begin(), call.arguments[at]);
  const std::vector<Callback> candidates = callbacks(call.arguments[at]);
  const Choice choice = choose(record, candidates, forwarded);
  const Fit& fit = choice.fit;
  if (!fit.ok) {
    report_forwarding(call, at, required, fit);
    return false;
  }
  if (choice.ambiguous) {
    report_ambiguous_callback(call, call.exprs[at]->span, *choice.callback);
    return false;
  }
  if (!required.arguments.empty())
    twice_differentiated_.push_back({call.exprs[at]->span, choice.callback->user});
  std::vector<const Type*> types;
  for (const math::Argument& argument : fit.expected) types.push_back(types_.intern(argument.type));
  out.push_back(callback_reference(*call.exprs[at], *choice.callback));
  out.push_back(promote(tuple.expr, types_.tuple_of(types)));
  return true;
}

bool Checker::laplace_likelihood(const HigherCall& call, const Laplace& record,
                                 std::vector<const Expr*>& out) {
  if (record.likelihood) {
    if (call.arguments.size() < 2 || !call.exprs[0]->as<ast::Variable>()) {
      report_laplace_form(call, record);
      return false;
    }
    if (record.forwards_data_only && !is_data_tuple(call, 1)) return false;
    return laplace_function(call, 0, *record.likelihood, out);
  }
  const std::size_t n = std::min(record.likelihood_arguments.size(), call.arguments.size());
  const Fit fit = fit_arguments(record.likelihood_arguments, call.arguments.first(n));
  if (!fit.ok) {
    const Span span = fit.bad < call.exprs.size() ? call.exprs[fit.bad]->span : call.function.span;
    error("no-matching-overload", span,
          fit.by_call ? fmt::format("{} begins with {}, but got {}.", quoted(call.function.text),
                                    counted(record.likelihood_arguments.size(), "argument"), n)
                      : fmt::format("The {} argument of {} {}.", ordinal(fit.bad + 1),
                                    quoted(call.function.text), fit.why));
    return false;
  }
  for (std::size_t i = 0; i < n; ++i)
    out.push_back(promote(call.arguments[i].expr, types_.intern(record.likelihood_arguments[i].type)));
  return true;
}

bool Checker::laplace_block_size(const HigherCall& call, std::size_t at) {
  if (at >= call.arguments.size()) {
    const Span last = at == 0 ? call.function.span : call.exprs[at - 1]->span;
    error("no-matching-overload", {last.file, last.end, last.end},
          fmt::format("{} needs the block size of the Hessian, a data int, after its {} argument.",
                      quoted(call.function.text), ordinal(at)));
    return false;
  }
  const Value& value = call.arguments[at];
  if (value.type() == int_ && !is_autodiff(value.level, value.type())) return true;
  error(
      "no-matching-overload", call.exprs[at]->span,
      fmt::format("The {} argument of {} is the block size of the Hessian and must be a data int, but is {}.",
                  ordinal(at + 1), quoted(call.function.text), with_article(*value.type())));
  return false;
}

bool Checker::laplace_controls(const HigherCall& call, std::size_t at, const Laplace& record,
                               std::vector<const Expr*>& out) {
  const std::string name = quoted(call.function.text);
  const std::size_t wanted = record.controls.empty() ? 0 : 1;
  if (call.arguments.size() > at + wanted) {
    const std::size_t extra = call.arguments.size() - at - wanted;
    error("no-matching-overload", call.exprs[at + wanted]->span,
          fmt::format("{} has {} too many.", name, counted(extra, "argument")));
    return false;
  }
  if (wanted == 0) return true;
  if (call.arguments.size() == at) {
    error("no-matching-overload", call.function.span,
          fmt::format("{} needs a tuple of {} as its last argument.", name,
                      counted(record.controls.size(), "control")));
    return false;
  }
  const Value& tuple = call.arguments[at];
  const Span span = call.exprs[at]->span;
  if (!tuple.type()->is(Kind::tuple)) {
    error("not-a-tuple", span,
          fmt::format("The controls of {} must be a tuple, but this is {}.", name,
                      with_article(*tuple.type())));
    return false;
  }
  const auto* literal = tuple.expr->as<TupleLiteral>();
  std::vector<Value> elements;
  for (std::size_t i = 0; i < tuple.type()->elements->size(); ++i) {
    const Type* type = types_.tuple_element(tuple.type(), i);
    const Expr* element = literal ? literal->elements[i]
                                  : arena_.make(Expr{span, type, tuple.expr->data_only,
                                                     TupleGet{tuple.expr, static_cast<int>(i) + 1}});
    elements.push_back({element, element_level(tuple.level, tuple.type(), i)});
  }
  const Fit fit = fit_arguments(record.controls, elements);
  if (!fit.ok) {
    const Span where = literal && fit.bad < elements.size() ? elements[fit.bad].expr->span : span;
    error("no-matching-overload", where,
          fit.by_call ? fmt::format("{} takes a tuple of {}, but this one has {}.", name,
                                    counted(record.controls.size(), "control"), elements.size())
                      : fmt::format("The {} control of {} {}.", ordinal(fit.bad + 1), name, fit.why));
    return false;
  }
  std::vector<const Type*> types;
  for (const math::Argument& control : record.controls) types.push_back(types_.intern(control.type));
  out.push_back(promote(tuple.expr, types_.tuple_of(types)));
  return true;
}

Value Checker::laplace_call(const HigherCall& call, const Laplace& record) {
  std::vector<const Expr*> checked;
  if (!laplace_likelihood(call, record, checked)) return {};
  const std::size_t block_size = checked.size();
  if (!laplace_block_size(call, block_size)) return {};
  checked.push_back(call.arguments[block_size].expr);
  const std::size_t covariance = block_size + 1;
  const bool has_tuple = covariance + 1 < call.arguments.size();
  if (has_tuple && record.forwards_data_only && !is_data_tuple(call, covariance + 1)) return {};
  if (!has_tuple || !call.exprs[covariance]->as<ast::Variable>()) {
    report_laplace_form(call, record);
    return {};
  }
  if (!laplace_function(call, covariance, record.covariance, checked)) return {};
  if (!laplace_controls(call, covariance + 2, record, checked)) return {};
  return call_value(
      call.span, types_.intern(record.result), call.arguments,
      Call{call.entry.text, nullptr, arena_.copy(checked), is_unnormalized(call.function.text)});
}

}  // namespace kullback::lang
