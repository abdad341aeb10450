// Calls: user functions, densities, elementwise functions, functions of arrays.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "math/array_op.hpp"
#include "math/distribution.hpp"
#include "math/elementwise.hpp"
#include "tape/calls/complex.hpp"
#include "tape/calls/special_calls.hpp"
#include "tape/higher_order/higher_order.hpp"
#include "tape/trace/real_operands.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::tape {

using lang::Expr;
using math::Kind;
using math::Type;

namespace {

constexpr std::size_t kMaxCallDepth = 2000;

std::string elements_text(std::size_t count) {
  return fmt::format("{} element{}", count, count == 1 ? "" : "s");
}

struct Suffixed {
  std::string_view family;
  std::string_view suffix;
};

std::optional<Suffixed> split_suffix(std::string_view name) {
  for (const std::string_view suffix : {"_lpdf", "_lpmf", "_lcdf", "_lccdf", "_cdf"}) {
    if (name.ends_with(suffix)) return Suffixed{name.substr(0, name.size() - suffix.size()), suffix};
  }
  return std::nullopt;
}

// A frame is left however the function ends, by a rejection too.
class Calling final {
 public:
  using Frame = std::unordered_map<std::uint32_t, Value>;
  using Scope = lang::CallScope*;
  Calling(std::vector<Frame*>& frames, Frame& frame, Scope& scope, lang::CallScope& own)
      : frames_(frames), scope_(scope), outer_(std::exchange(scope, &own)) {
    frames_.push_back(&frame);
  }
  ~Calling() {
    frames_.pop_back();
    scope_ = outer_;
  }
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;

 private:
  std::vector<Frame*>& frames_;
  Scope& scope_;
  Scope outer_;
};

// Decompositions that are one array function for each slot: these know the rows of their numbers.
bool keeps_rows(std::string_view name, std::span<const Value> arguments, const Type& result) {
  const bool decomposes = name == "qr" || name == "qr_thin" || name == "svd" || name == "eigendecompose_sym";
  return decomposes && !involves_complex(arguments, result);
}

// Functions of sizes, and those that take some of an array's ints as they are, set or not.
bool keeps_gaps(std::string_view name) {
  constexpr std::array kNames{"size", "num_elements", "dims", "head", "tail", "segment", "reverse"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// A number from containers: squared_distance(vector, vector) is not the function of two numbers of that name.
bool reduces(std::span<const Value> arguments, const Type& result) {
  const bool from_containers =
      std::any_of(arguments.begin(), arguments.end(), [](const Value& v) { return !v.dims.empty(); });
  return result.is(Kind::real) && from_containers;
}

}  // namespace

// A function of arrays that this call is known to be: what it is does not depend on numbers.
Value Tracer::call_array_op(const math::ArrayOp& f, const lang::Call& node, const Type& result) {
  std::vector<Value> arguments;
  arguments.reserve(node.arguments.size());
  for (const Expr* argument : node.arguments) {
    arguments.push_back(eval(*argument));
    check_set(arguments.back(), *argument);
  }
  return apply(f, arguments, result);
}

Value Tracer::call(const Expr& expr, const lang::Call& node) {
  if (const math::ArrayOp* known = quick(expr).array_op) return call_array_op(*known, node, *expr.type);
  if (node.user == nullptr && find_higher_order(node.name) != nullptr)
    return call_higher_order(*this, expr, node);
  std::vector<Value> arguments;
  for (const Expr* argument : node.arguments) {
    if (argument->as<lang::FunctionRef>() != nullptr) {
      cannot_run(expr, fmt::format("'{}' is not supported by this version's engine.", node.name));
    }
    arguments.push_back(eval(*argument));
  }
  if (node.user != nullptr) {
    // A function of the target does to its own statements what its caller does.
    const bool drops = node.drop_constants || node.name.ends_with("_lp");
    return call_user(*node.user, std::move(arguments), {node.arguments, drops});
  }
  Value result;
  if (call_special(*this, node.name, arguments, *expr.type, result)) {
    return keeps_rows(node.name, arguments, *expr.type) ? result
                                                        : of_one_row(node.name, arguments, std::move(result));
  }
  const Structural structural = find_structural(node.name);
  if (structural == nullptr || !keeps_gaps(node.name)) {
    for (std::size_t i = 0; i < arguments.size(); ++i) check_set(arguments[i], *node.arguments[i]);
  }
  if (structural != nullptr) result = structural(*this, arguments, *expr.type);
  if (structural != nullptr || (expr.type->is_int() && call_on_ints(*this, node.name, arguments, result)) ||
      call_int_function(*this, node.name, arguments, *expr.type, result)) {
    if (builder_.tracks_rows()) tag_structural(node.name, arguments, result);
    return result;
  }
  if (node.name.ends_with("_rng") && call_random(expr, node.name, arguments, result)) return result;
  if (call_density(node.name, arguments, terms_of(&node, node.arguments, node.drop_constants), result))
    return result;
  const math::Elementwise* elementwise = math::find_elementwise(node.name);
  if (elementwise != nullptr && elementwise->arity == static_cast<int>(arguments.size()) &&
      !expr.type->is_int() && !reduces(arguments, *expr.type)) {
    return apply(*elementwise, arguments, *expr.type);
  }
  std::vector<Type> types;
  for (const Value& argument : arguments) types.push_back(argument.type);
  if (const math::ArrayOp* f = math::find_array_op(node.name, types)) {
    if (!builder_.tracks_rows()) quick_[&expr].array_op = f;
    return apply(*f, arguments, *expr.type);
  }
  cannot_run(expr, fmt::format("'{}' is not supported by this version's engine.", node.name));
}

Value Tracer::call_user(const lang::Function& function, std::vector<Value> arguments, CallForm form) {
  if (frames_.size() >= kMaxCallDepth) refuse(fmt::format("'{}' calls itself too often.", function.name));
  std::unordered_map<std::uint32_t, Value> frame;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    frame[function.parameters[i]->id] = promote(arguments[i], *function.parameters[i]->type);
  }
  const Span span = builder_.span();
  const RowTag control = builder_.control();
  {
    lang::CallScope own(function, *scope_, form.written, form.drops);
    const Calling calling(frames_, frame, scope_, own);
    execute(*function.body);
  }
  builder_.set_span(span);
  builder_.set_control(control);
  return std::exchange(returned_, Value{});
}

math::Terms Tracer::terms_of(const void* key, std::span<const Expr* const> arguments, bool drops) const {
  math::Terms terms;
  terms.normalized = !drops || options_.normalized || !scope_->drops();
  if (!terms.normalized) terms.varying = scope_->mask(key, arguments);
  return terms;
}

bool Tracer::call_density(std::string_view name, std::span<const Value> arguments, math::Terms terms,
                          Value& result) {
  const std::optional<Suffixed> parts = split_suffix(name);
  if (!parts) return false;
  if (const math::Distribution* d = math::find_distribution(parts->family)) {
    const bool cumulative = parts->suffix.find("cdf") != std::string_view::npos;
    const math::Density& f = !cumulative                 ? d->log_density
                             : parts->suffix == "_lccdf" ? d->log_ccdf
                                                         : d->log_cdf;
    if (f.value == nullptr || arguments.size() != d->arguments.size())
      return false;  // wiener has more overloads
    Id id = density_sum(*d, f, arguments, cumulative ? math::Terms{} : terms);
    // A bad argument makes NaN; where the whole density is dropped nothing was computed.
    if (std::isnan(builder_.value(id)) || drops_all(terms))
      check_domain(*d, parts->suffix.substr(1), arguments);
    if (parts->suffix == "_cdf")
      id = builder_.elementwise(*math::find_elementwise("exp"), std::array<Id, 1>{id});
    result = real_value(id);
    return true;
  }
  std::vector<Type> types;
  for (const Value& argument : arguments) types.push_back(argument.type);
  const math::ArrayOp* f = math::find_array_op(name, types);
  if (f == nullptr) return false;
  result = apply(*f, arguments, Type{Kind::real}, terms);
  return true;
}

bool is_supported(std::string_view name) {
  if (find_higher_order(name) != nullptr) return true;
  if (const std::optional<Suffixed> parts = split_suffix(name)) {
    if (const math::Distribution* d = math::find_distribution(parts->family)) {
      const bool cumulative = parts->suffix.find("cdf") != std::string_view::npos;
      return (!cumulative                 ? d->log_density
              : parts->suffix == "_lccdf" ? d->log_ccdf
                                          : d->log_cdf)
                 .value != nullptr;
    }
  }
  if (name.ends_with("_rng")) return has_random(name);
  if (name == "modulus" || is_special(name) || find_structural(name) != nullptr ||
      math::find_elementwise(name) != nullptr)
    return true;
  const std::vector<const math::ArrayOp*> ops = math::all_array_ops();
  return std::any_of(ops.begin(), ops.end(), [&](const math::ArrayOp* op) { return op->name == name; });
}

Id Tracer::density_sum(const math::Distribution& of, const math::Density& density,
                       std::span<const Value> arguments, math::Terms terms) {
  std::size_t count = 1;
  std::size_t sized = arguments.size();  // the argument that has given the count
  for (std::size_t j = 0; j < arguments.size(); ++j) {
    if (arguments[j].dims.empty()) continue;
    if (sized < j && arguments[j].size() != count) {
      refuse_always(fmt::format("{}: the {} has {}, but the {} has {}, in '{}'.", of.name,
                                of.arguments[sized].name, elements_text(count), of.arguments[j].name,
                                elements_text(arguments[j].size()), statement_text()),
                    "Give them the same size; a single number goes with any.");
    }
    count = arguments[j].size();
    sized = j;
  }
  return builder_.density(density, terms, RealOperands(*this, arguments).list(), count);
}

}  // namespace kullback::tape
