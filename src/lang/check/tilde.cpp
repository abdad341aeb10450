// y ~ normal(mu, sigma): finds normal_lpmf or normal_lpdf with the variate as first argument, and for a
// truncation the distribution functions it needs.
#include <fmt/format.h>

#include "lang/check/checker.hpp"
#include "lang/check/suggest.hpp"
#include "math/higher_order.hpp"

namespace kullback::lang {

bool Checker::check_distribution_name(const ast::Tilde& node) {
  const std::string_view name = node.distribution.text;
  const Suffix suffix = suffix_of(name);
  if (suffix == Suffix::lpdf || suffix == Suffix::lpmf) {
    const std::string_view stem = name.substr(0, name.rfind('_'));
    error("tilde-suffix", node.distribution.span,
          fmt::format("After ~ stands the name of a distribution without its suffix, but found {}.",
                      quoted(name)),
          fmt::format("Write {}.", stem));
    return false;
  }
  if (name.ends_with("_cdf") || name.ends_with("_ccdf")) {
    error("tilde-suffix", node.distribution.span,
          fmt::format("{} is a distribution function; after ~ stands the name of a distribution.",
                      quoted(name)),
          "Write target += with the logarithm of the function.");
    return false;
  }
  return true;
}

const Expr* Checker::truncation_bound(const ast::Expr* expr) {
  if (!expr) return nullptr;
  const Value value = expression(*expr);
  if (!value || value.type() == int_ || value.type() == real_) return value.expr;
  error("truncation-bound-type", expr->span,
        fmt::format("The bound of a truncation must be int or real, but {}.", describe(*expr, value.type())));
  return nullptr;
}

bool Checker::has_cdfs(const ast::Tilde& node, const Expr* bound, std::span<const Value> arguments) {
  std::vector<Value> all = {{bound, {!bound->data_only}}};
  all.insert(all.end(), arguments.begin(), arguments.end());
  for (std::string_view ending : {"_lcdf", "_lccdf"}) {
    const Name& entry = environment_.name(std::string(node.distribution.text) + std::string(ending));
    if (!entry.is_builtin && entry.overloads.empty()) return false;
    const Resolved& resolved = resolver_.function(entry, found(all));
    if (!resolved.ok() || resolved.result != real_) return false;
  }
  return true;
}

void Checker::report_unknown_distribution(const ast::Name& name, const Value& variate) {
  const std::string wanted =
      std::string(name.text) + (variate.type()->kind == Kind::int_ ? "_lpmf" : "_lpdf");
  std::string hint;
  Name& entry = environment_.name(name.text);
  if (entry.poisoned) return;
  environment_.poison(entry);
  if (suggestions_left_-- > 0) {
    std::vector<std::string> names;
    for (const math::Family& family : math::families()) names.emplace_back(family.name);
    for (const Overload& overload : environment_.overloads()) {
      if (overload.suffix != Suffix::lpdf && overload.suffix != Suffix::lpmf) continue;
      names.emplace_back(overload.function->name.substr(0, overload.function->name.rfind('_')));
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string_view nearest = nearest_name(name.text, views);
    if (!nearest.empty()) hint = fmt::format("Did you mean {}?", quoted(nearest));
  }
  if (hint.empty() && (entry.is_builtin || !entry.overloads.empty()))
    hint = fmt::format("{} is a function; one named {} would be a distribution.", quoted(name.text),
                       quoted(wanted));
  if (hint.empty()) hint = fmt::format("Define {} in the functions block to make it one.", quoted(wanted));
  error("unknown-distribution", name.span, fmt::format("There is no distribution {}.", quoted(name.text)),
        std::move(hint));
}

// The density meant: null, and reported, where there is none. Stan looks for the mass function first.
const Resolved* Checker::density(const ast::Tilde& node, std::span<const Value> arguments, Name*& chosen) {
  const Resolved* nearest = nullptr;
  for (std::string_view ending : {"_lpmf", "_lpdf"}) {
    name_buffer_.assign(node.distribution.text);
    name_buffer_.append(ending);
    Name& entry = environment_.name(name_buffer_);
    if ((!entry.is_builtin && entry.overloads.empty()) || entry.is_higher_order) continue;
    const Resolved& resolved = resolver_.function(entry, found(arguments));
    const bool better =
        !nearest || (resolved.ok() && !nearest->ok()) ||
        (!nearest->ok() && resolved.outcome == math::Resolution::Outcome::ambiguous) ||
        (!nearest->ok() && resolved.resolution.candidates.size() > nearest->resolution.candidates.size());
    if (!better) continue;
    nearest = &resolved;
    chosen = &entry;
  }
  if (!nearest) {
    report_unknown_distribution(node.distribution, arguments.front());
    return nullptr;
  }
  if (nearest->ok()) return nearest;
  const ast::Name shown{chosen->text, node.distribution.span};
  if (nearest->outcome == math::Resolution::Outcome::ambiguous) {
    report_ambiguous(shown, *nearest, arguments);
  } else {
    report_mismatch(shown, *nearest, arguments);
  }
  return nullptr;
}

Effect Checker::tilde(const ast::Stmt& stmt, const ast::Tilde& node) {
  Values values(value_pool_);
  values->push_back(expression(*node.variate));
  bool ok = bool(values->front());
  for (const ast::Expr* argument : node.arguments) {
    values->push_back(expression(*argument));
    ok = ok && values->back();
  }
  const Expr* lower = truncation_bound(node.truncation.lower);
  const Expr* upper = truncation_bound(node.truncation.upper);
  ok = check_distribution_name(node) && ok;
  require_target(stmt.span, "~");
  if (!ok) return {};
  Tilde made{};
  made.distribution = environment_.name(node.distribution.text).text;
  made.truncated = lower || upper;
  made.lower = lower;
  made.upper = upper;
  Name& laplace = environment_.name(std::string(node.distribution.text) + "_lpmf");
  if (laplace.is_higher_order) return laplace_tilde(stmt, node, *values, laplace, made);
  if (!values_only(*values)) return {};
  Name* entry = nullptr;
  const Resolved* resolved = density(node, *values, entry);
  if (!resolved) return {};
  Exprs promoted(expr_pool_);
  for (std::size_t i = 0; i < values->size(); ++i) {
    (*values)[i].expr = promote((*values)[i].expr, resolved->parameters[i]);
    if (i > 0) promoted->push_back((*values)[i].expr);
  }
  for (const Expr* bound : {lower, upper}) {
    if (!bound || has_cdfs(node, bound, std::span<const Value>(*values).subspan(1))) continue;
    error("no-truncation", stmt.span,
          fmt::format("{} cannot be truncated: there is no {}_lcdf and {}_lccdf for these arguments.",
                      quoted(node.distribution.text), node.distribution.text, node.distribution.text));
    break;
  }
  made.variate = values->front().expr;
  made.function = entry->text;
  made.user = resolved->user ? resolved->user->function : nullptr;
  made.arguments = arena_.copy(*promoted);
  note_callee(resolved->user, entry->text);
  return {arena_.make(Stmt{stmt.span, made})};
}

// y ~ laplace_marginal_poisson_log(...)
Effect Checker::laplace_tilde(const ast::Stmt& stmt, const ast::Tilde& node, std::span<const Value> values,
                              Name& entry, Tilde made) {
  std::vector<ast::Expr*> exprs = {node.variate};
  exprs.insert(exprs.end(), node.arguments.begin(), node.arguments.end());
  const ast::Name function{entry.text, node.distribution.span};
  const Value value = higher_order_call({stmt.span, function, entry, exprs, values});
  if (!value) return {};
  const auto& call = *value.expr->as<Call>();
  made.variate = call.arguments.front();
  made.function = entry.text;
  made.arguments = call.arguments.subspan(1);
  return {arena_.make(Stmt{stmt.span, made})};
}

}  // namespace kullback::lang
