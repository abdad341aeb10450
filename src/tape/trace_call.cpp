// Calls: user functions, densities, elementwise functions, functions of arrays.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "math/array_op.hpp"
#include "math/distribution.hpp"
#include "math/elementwise.hpp"
#include "tape/tracer.hpp"

namespace kullback::tape {

using lang::Expr;
using math::Kind;
using math::Type;

namespace {

constexpr int kMaxCallDepth = 2000;
constexpr std::size_t kMaxParameters = 16;

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

}  // namespace

Value Tracer::call(const Expr& expr, const lang::Call& node) {
  std::vector<Value> arguments;
  for (const Expr* argument : node.arguments) {
    if (argument->as<lang::FunctionRef>() != nullptr) {
      cannot_run(expr, fmt::format("'{}' is not supported by this version's engine.", node.name));
    }
    arguments.push_back(eval(*argument));
  }
  if (node.user != nullptr) return call_user(*node.user, std::move(arguments));
  if (const Structural f = find_structural(node.name)) {
    Value moved = f(*this, arguments, *expr.type);
    if (builder_.tracks_rows()) tag_structural(node.name, arguments, moved);
    return moved;
  }
  Value result;
  if (expr.type->is_int() && call_on_ints(node.name, arguments, result)) {
    if (builder_.tracks_rows()) tag_structural(node.name, arguments, result);
    return result;
  }
  if (node.name.ends_with("_rng") && call_random(expr, node.name, arguments, result)) return result;
  const bool drop = node.drop_constants && !options_.normalized;
  if (call_density(expr, node.name, arguments, drop, result)) return result;
  const math::Elementwise* elementwise = math::find_elementwise(node.name);
  if (elementwise != nullptr && elementwise->arity == static_cast<int>(arguments.size()) &&
      !expr.type->is_int()) {
    return apply(*elementwise, arguments, *expr.type);
  }
  std::vector<Type> types;
  for (const Value& argument : arguments) types.push_back(argument.type);
  if (const math::ArrayOp* f = math::find_array_op(node.name, types)) return apply(*f, arguments, *expr.type);
  cannot_run(expr, fmt::format("'{}' is not supported by this version's engine.", node.name));
}

Value Tracer::call_user(const lang::Function& function, std::vector<Value> arguments) {
  if (++depth_ > kMaxCallDepth) refuse(fmt::format("'{}' calls itself too often.", function.name));
  std::unordered_map<std::uint32_t, Value> frame;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    frame[function.parameters[i]->id] = promote(arguments[i], *function.parameters[i]->type);
  }
  const Span span = builder_.span();
  const RowTag control = builder_.control();
  frames_.push_back(&frame);
  execute(*function.body);
  frames_.pop_back();
  builder_.set_span(span);
  builder_.set_control(control);
  --depth_;
  return std::exchange(returned_, Value{});
}

bool Tracer::call_density(const Expr& expr, std::string_view name, std::span<const Value> arguments,
                          bool drop, Value& result) {
  const std::optional<Suffixed> parts = split_suffix(name);
  if (!parts) return false;
  if (const math::Distribution* d = math::find_distribution(parts->family)) {
    const bool cumulative = parts->suffix.find("cdf") != std::string_view::npos;
    const math::Density& f = !cumulative                 ? d->log_density
                             : parts->suffix == "_lccdf" ? d->log_ccdf
                                                         : d->log_cdf;
    if (f.value == nullptr) return false;
    Id id = density_sum(f, arguments, drop && !cumulative);
    if (parts->suffix == "_cdf")
      id = builder_.elementwise(*math::find_elementwise("exp"), std::array<Id, 1>{id});
    result = real_value(id);
    return true;
  }
  std::vector<Type> types;
  for (const Value& argument : arguments) types.push_back(argument.type);
  const math::ArrayOp* f = math::find_array_op(name, types);
  if (f == nullptr) return false;
  (void)expr;
  math::Terms terms;
  terms.normalized = !drop;
  result = apply(*f, arguments, Type{Kind::real}, terms);
  return true;
}

// Draws of a univariate distribution, one for each element of its parameters.
bool Tracer::call_random(const Expr& expr, std::string_view name, std::span<const Value> parameters,
                         Value& result) {
  constexpr std::string_view kSuffix = "_rng";
  const math::Distribution* d = math::find_distribution(name.substr(0, name.size() - kSuffix.size()));
  if (d == nullptr || d->random == nullptr || random_ == nullptr) return false;
  std::size_t count = 1;
  Dims dims;
  std::vector<Ids> operands;
  for (const Value& parameter : parameters) {
    operands.push_back(reals(parameter));
    if (parameter.dims.empty()) continue;
    if (!dims.empty() && dims != parameter.dims)
      refuse(fmt::format("{}: the sizes of its arguments differ.", name));
    dims = parameter.dims;
    count = parameter.size();
  }
  std::array<double, kMaxParameters> x{};
  std::vector<double> draws(count);
  std::vector<RowTag> tags(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < operands.size(); ++j) {
      const Id id = operands[j][operands[j].size() == 1 ? 0 : i];
      x[j] = builder_.value(id);
      tags[i] = join(tags[i], builder_.tag(id));
    }
    draws[i] = d->random(*random_, x.data());
  }
  if (expr.type->is_int()) {
    result = int_container(*expr.type, dims, std::vector<int>(draws.begin(), draws.end()));
    if (builder_.tracks_rows()) change_tags(result) = tags;
  } else {
    Ids ids;
    for (const double draw : draws) ids.push_back(builder_.constant(draw));
    if (builder_.tracks_rows()) ids = builder_.tagged(ids, tags);
    result = real_container(*expr.type, dims, std::move(ids));
  }
  return true;
}

bool is_supported(std::string_view name) {
  if (const std::optional<Suffixed> parts = split_suffix(name)) {
    if (const math::Distribution* d = math::find_distribution(parts->family)) {
      const bool cumulative = parts->suffix.find("cdf") != std::string_view::npos;
      return (!cumulative                 ? d->log_density
              : parts->suffix == "_lccdf" ? d->log_ccdf
                                          : d->log_cdf)
                 .value != nullptr;
    }
  }
  if (name.ends_with("_rng")) {
    const math::Distribution* d = math::find_distribution(name.substr(0, name.size() - 4));
    return d != nullptr && d->random != nullptr;
  }
  if (name == "modulus" || find_structural(name) != nullptr || math::find_elementwise(name) != nullptr)
    return true;
  const std::vector<const math::ArrayOp*> ops = math::all_array_ops();
  return std::any_of(ops.begin(), ops.end(), [&](const math::ArrayOp* op) { return op->name == name; });
}

Id Tracer::density_sum(const math::Density& density, std::span<const Value> arguments, bool drop) {
  std::vector<Ids> operands;
  std::size_t count = 1;
  bool sized = false;
  for (const Value& argument : arguments) {
    operands.push_back(reals(argument));
    if (argument.dims.empty()) continue;
    if (sized && argument.size() != count) refuse("the sizes of the arguments of a distribution differ.");
    count = argument.size();
    sized = true;
  }
  math::Terms terms;
  terms.normalized = !drop;
  return builder_.density(density, terms, operands, count);
}

}  // namespace kullback::tape
