// reduce_sum and map_rect say how work may be shared among threads. The tape already runs many elements at
// once, so the function is traced directly: over the whole slice, or shard by shard.
#include <fmt/format.h>

#include <stdexcept>

#include "tape/higher_order/functions.hpp"

namespace kullback::tape {

namespace {

Value item(const Value& array, std::size_t i) {
  const Selection one{true, {i}};
  return take(array, select(array, {&one, 1}));
}

void same_count(std::string_view name, std::size_t count, std::size_t needed) {
  if (count == needed) return;
  throw std::domain_error(
      fmt::format("map_rect: {} has {} elements, but there are {} shards of parameters; give one per shard.",
                  name, count, needed));
}

}  // namespace

// f(partial sum, slice, grain size, others...)
Value call_reduce_sum(const HigherOrderCall& call) {
  const Value& slice = call.values[0];
  if (static_cast<int>(call.number(call.values[1])) < 1) {
    throw std::domain_error(fmt::format("{}: grainsize is {}, but must be positive!", call.name,
                                        static_cast<int>(call.number(call.values[1]))));
  }
  const std::size_t count = slice.dims.front();
  if (count == 0) return real_value(call.builder().constant(0));
  std::vector<Value> arguments{slice, int_value(1), int_value(static_cast<int>(count))};
  arguments.insert(arguments.end(), call.values.begin() + 2, call.values.end());
  // As f(partial sum) of the whole slice, its ends and the others.
  const auto& node = *call.expr.as<lang::Call>();
  std::vector<const lang::Expr*> written{node.arguments[1], nullptr, nullptr};
  written.insert(written.end(), node.arguments.begin() + 3, node.arguments.end());
  return call.tracer.call_user(*call.functions[0], std::move(arguments), {written, node.drop_constants});
}

// f(shard function, phi, thetas, x_rs, x_is): the results one after another.
Value call_map_rect(const HigherOrderCall& call) {
  const std::span<const Value> values = call.values;
  const std::size_t shards = values[1].dims.front();
  same_count("x_r", values[2].dims.front(), shards);
  same_count("x_i", values[3].dims.front(), shards);
  Ids ids;
  for (std::size_t i = 0; i < shards; ++i) {
    const Ids more = call.tracer.reals(call.tracer.call_user(
        *call.functions[0], {values[0], item(values[1], i), item(values[2], i), item(values[3], i)}, {}));
    ids.insert(ids.end(), more.begin(), more.end());
  }
  Dims dims{ids.size()};
  return real_container(*call.expr.type, std::move(dims), std::move(ids));
}

}  // namespace kullback::tape
