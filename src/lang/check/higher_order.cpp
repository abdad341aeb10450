// Calls that take functions: f(callback, controls..., forwarded...). The callback's own signature says what
// may be forwarded, so each of its overloads is tried, and the cheapest that fits is meant.
#include "math/higher_order.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lang/check/checker.hpp"

namespace kullback::lang {

using math::HigherOrder;

namespace {

std::string_view suffix_words(Suffix suffix) {
  switch (suffix) {
    case Suffix::rng: return "draws random numbers";
    case Suffix::lpdf: return "is a density";
    case Suffix::lpmf: return "is a mass function";
    case Suffix::lp: return "changes the log density";
    case Suffix::jacobian: return "adds a Jacobian";
    case Suffix::plain: break;
  }
  return "is a plain function";
}

// Why the callback cannot be used, or nothing. Its first parameters are exactly the required ones; a
// parameter that is declared data cannot take what may be a parameter.
std::string misfit(const HigherOrder& record, const Callback& callback) {
  const bool density = callback.suffix == Suffix::lpdf || callback.suffix == Suffix::lpmf;
  if (callback.suffix != Suffix::plain && !(record.takes_density && density))
    return fmt::format("it {}, but a plain function is needed", suffix_words(callback.suffix));
  const auto& needed = record.callback.arguments;
  const auto& has = callback.signature.arguments;
  const bool fixed = record.form == HigherOrder::Form::fixed;
  if (fixed ? has.size() != needed.size() : has.size() < needed.size()) {
    return fmt::format("it takes {}, but {}{} are needed", counted(has.size(), "argument"),
                       fixed ? "" : "at least ", needed.size());
  }
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (!(has[i].type == needed[i].type)) {
      return fmt::format("its {} argument is {}, but must be {}", ordinal(i + 1), with_article(has[i].type),
                         with_article(needed[i].type));
    }
    if (has[i].data_only && !needed[i].data_only)
      return fmt::format("its {} argument is declared data, but may depend on parameters here",
                         ordinal(i + 1));
  }
  if (!(callback.signature.result == record.callback.result)) {
    return fmt::format("it returns {}, but must return {}",
                       callback.signature.result.kind == math::Kind::void_
                           ? "nothing"
                           : with_article(callback.signature.result),
                       with_article(record.callback.result));
  }
  return {};
}

std::string form_of(const HigherOrder& record) {
  std::string text = fmt::format("  {}({}", record.name, math::to_string(record.callback));
  for (const math::Argument& control : record.calls.front().arguments)
    text += fmt::format(", {}{}", control.data_only ? "data " : "", math::to_string(control.type));
  if (record.form != HigherOrder::Form::fixed) text += ", ...";
  return text + ") => " + math::to_string(record.calls.front().result);
}

}  // namespace

std::vector<Callback> Checker::callbacks(const Value& value) {
  std::vector<Callback> found;
  const auto* reference = value.expr->as<FunctionRef>();
  if (!reference) return found;
  const Name& entry = environment_.name(reference->name);
  for (auto at = entry.overloads.rbegin(); at != entry.overloads.rend(); ++at)
    found.push_back({entry.text, *at, (*at)->signature, (*at)->suffix});
  if (entry.is_builtin && !entry.is_higher_order) {
    for (math::Signature& signature : math::signatures(entry.text))
      found.push_back({entry.text, nullptr, std::move(signature), suffix_of(entry.text)});
  }
  return found;
}

const Expr* Checker::callback_reference(const ast::Expr& expr, const Callback& callback) {
  note_callee(callback.user, callback.name);
  const Function* user = callback.user ? callback.user->function : nullptr;
  return arena_.make(Expr{expr.span, function_, true, FunctionRef{callback.name, user}});
}

// Fits found arguments to expected ones, with promotion. `bad` counts from the first of these.
Fit Checker::fit_arguments(std::span<const math::Argument> expected, std::span<const Value> found) {
  Fit fit{.expected = {expected.begin(), expected.end()}};
  if (expected.size() != found.size()) {
    fit.by_call = true;
    fit.bad = expected.size() > found.size() ? std::max<std::size_t>(found.size(), 1) - 1 : expected.size();
    return fit;
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::optional<int> cost = math::promotion_cost(*found[i].type(), expected[i].type);
    fit.bad = i;
    if (!cost) {
      fit.why = fmt::format("must be {}, but is {}", with_article(expected[i].type),
                            with_article(*found[i].type()));
      return fit;
    }
    if (expected[i].data_only && is_autodiff(found[i].level, found[i].type())) {
      fit.why =
          "must not depend on parameters (local variables and arguments not declared 'data' count as if they "
          "did)";
      return fit;
    }
    fit.cost += *cost;
  }
  fit.ok = true;
  return fit;
}

// All arguments of the call, the callback included.
Fit Checker::fit(const HigherOrder& record, const Callback& callback, std::span<const Value> arguments) {
  Fit best;
  best.why = misfit(record, callback);
  if (!best.why.empty()) return best;
  for (const math::Signature& controls : record.calls) {
    std::vector<math::Argument> expected = controls.arguments;
    const auto& parameters = callback.signature.arguments;
    for (std::size_t i = record.callback.arguments.size(); i < parameters.size(); ++i)
      expected.push_back(parameters[i]);
    Fit fit = fit_arguments(expected, arguments.subspan(1));
    fit.bad += 1;
    if (fit.by_call) {
      if (expected.size() + 1 > arguments.size()) fit.bad = arguments.size() - 1;
      fit.why = fmt::format("takes {} here, but got {}", counted(expected.size() + 1, "argument"),
                            arguments.size());
    }
    const bool better = best.expected.empty() || fit.ok || (best.by_call && !fit.by_call);
    if (better) best = std::move(fit);
    if (best.ok) return best;
  }
  return best;
}

void Checker::report_misfit(const HigherCall& call, const HigherOrder& record, const Fit& fit) {
  const std::string name = quoted(call.function.text);
  // Solvers of old are functions like any other: their errors stand at the call.
  const bool fixed = record.form == HigherOrder::Form::fixed;
  const Span span = fixed || fit.bad >= call.exprs.size() ? call.function.span : call.exprs[fit.bad]->span;
  if (fit.bad == 0) {
    const auto* reference = call.arguments.empty() ? nullptr : call.arguments[0].expr->as<FunctionRef>();
    const std::string what = reference ? quoted(reference->name) : "This";
    error("callback-signature", span,
          fmt::format("{} cannot be the function that {} calls: {}.", what, name, fit.why),
          "It is called as\n" + form_of(record));
  } else if (fit.by_call) {
    error("no-matching-overload", span, fmt::format("{} {}.", name, fit.why),
          "It is called as\n" + form_of(record));
  } else {
    error("no-matching-overload", span,
          fmt::format("The {} argument of {} {}.", ordinal(fit.bad + 1), name, fit.why),
          "It is called as\n" + form_of(record));
  }
}

// The slice of reduce_sum is an array of numbers, vectors or matrices.
bool Checker::check_slice(const HigherCall& call) {
  if (call.arguments.size() < 2) return true;
  const Type* type = call.arguments[1].type();
  const std::span<const Kind> kinds = math::reduce_sum_slice_kinds();
  if (type->array_rank > 0 && std::find(kinds.begin(), kinds.end(), type->kind) != kinds.end()) return true;
  error(
      "slice-type", call.exprs[1]->span,
      fmt::format(
          "The second argument of {} must be an array of int, real, vector, row_vector or matrix, but is {}.",
          quoted(call.function.text), with_article(*type)));
  return false;
}

// The overload of the callback that is meant: the cheapest that fits, or else, for the error, the latest.
Choice Checker::choose(const HigherOrder& record, std::span<const Callback> candidates,
                       std::span<const Value> arguments) {
  Choice choice;
  choice.fit.why = "a function's name is needed";
  for (const Callback& candidate : candidates) {
    const bool sliced =
        record.form == HigherOrder::Form::reduce_sum && !candidate.signature.arguments.empty();
    const HigherOrder own =
        sliced ? math::reduce_sum_record(record.name, candidate.signature.arguments.front()) : record;
    Fit fit = this->fit(own, candidate, arguments);
    if (fit.ok && choice.fit.ok && fit.cost == choice.fit.cost) choice.ambiguous = true;
    const bool better = fit.ok ? !choice.fit.ok || fit.cost < choice.fit.cost
                               : !choice.fit.ok && &candidate == &candidates.front();
    if (!better) continue;
    choice = {&candidate, std::move(fit), false};
  }
  return choice;
}

void Checker::report_ambiguous_callback(const HigherCall& call, Span span, const Callback& callback) {
  error("ambiguous-call", span,
        fmt::format("Several overloads of {} fit this call of {} equally well.", quoted(callback.name),
                    quoted(call.function.text)),
        "Define one with exactly the types that are needed.");
}

Value Checker::callback_call(const HigherCall& call, const HigherOrder& record) {
  const std::span<const Value> arguments = call.arguments;
  const std::vector<Callback> candidates =
      arguments.empty() ? std::vector<Callback>() : callbacks(arguments[0]);
  const bool slices = record.form == HigherOrder::Form::reduce_sum;
  if (!candidates.empty() && slices && !check_slice(call)) return {};
  const Choice choice = choose(record, candidates, arguments);
  if (!choice.fit.ok) {
    report_misfit(call, record, choice.fit);
    return {};
  }
  if (choice.ambiguous) {
    report_ambiguous_callback(call, call.function.span, *choice.callback);
    return {};
  }
  Exprs promoted(expr_pool_);
  promoted->push_back(callback_reference(*call.exprs[0], *choice.callback));
  for (std::size_t i = 1; i < arguments.size(); ++i)
    promoted->push_back(promote(arguments[i].expr, types_.intern(choice.fit.expected[i - 1].type)));
  const Type* result = types_.intern(record.calls.front().result);
  const auto* written = call.exprs[0]->as<ast::Variable>();
  const bool drops = written != nullptr && is_unnormalized(written->name.text);
  return call_value(call.span, result, arguments,
                    Call{call.entry.text, nullptr, arena_.copy(*promoted), drops});
}

Value Checker::higher_order_call(const HigherCall& call) {
  note_callee(nullptr, call.entry.text);
  if (const auto record = math::find_higher_order(call.entry.text)) return callback_call(call, *record);
  if (const auto record = math::find_laplace(call.entry.text)) return laplace_call(call, *record);
  return {};
}

}  // namespace kullback::lang
