// Functions whose result is an int. Where an argument depends on parameters, the result holds on one side of
// a comparison only: a guard of the tape.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "math/array_op.hpp"
#include "math/elementwise.hpp"
#include "tape/calls/special_calls.hpp"

namespace kullback::tape {

using math::Type;

namespace {

using Arguments = std::span<const Value>;
using Relation = Guard::Relation;

int as_int(const Value& value) { return (*value.ints)[0]; }
Value truth(bool outcome) { return int_value(outcome ? 1 : 0); }

template <Relation relation, bool swapped, bool negated>
Value comparison(Tracer& t, Arguments a) {
  const Id left = t.reals(a[swapped ? 1 : 0])[0];
  const Id right = t.reals(a[swapped ? 0 : 1])[0];
  return truth(t.builder().compare(relation, left, right) != negated);
}

Value int_step(Tracer& t, Arguments a) {
  return truth(t.builder().compare(Relation::less, t.builder().constant(0), t.reals(a[0])[0]));
}

// How many elements are less than the one at the place asked for.
Value rank(Tracer& t, Arguments a) {
  const Ids x = t.reals(a[0]);
  const int place = as_int(a[1]);
  if (place < 1 || static_cast<std::size_t>(place) > x.size())
    t.refuse(fmt::format("rank: index {} is outside 1 to {}.", place, x.size()));
  int count = 0;
  for (const Id id : x)
    count += t.builder().compare(Relation::less, id, x[static_cast<std::size_t>(place - 1)]);
  return int_value(count);
}

Value one_hot(Tracer& t, Arguments a) {
  const int size = as_int(a[0]);
  const int place = as_int(a[1]);
  if (place < 1 || place > size)
    t.refuse(fmt::format("one_hot_int_array: index {} is outside 1 to {}.", place, size));
  std::vector<int> numbers(static_cast<std::size_t>(size), 0);
  numbers[static_cast<std::size_t>(place - 1)] = 1;
  return int_array(std::move(numbers));
}

template <lang::Op op>
Value divided(Tracer& t, Arguments a) {
  return int_value(t.int_operation(op, as_int(a[0]), as_int(a[1])));
}

using IntFunction = Value (*)(Tracer& t, Arguments a);

const std::unordered_map<std::string_view, IntFunction>& int_functions() {
  static const std::unordered_map<std::string_view, IntFunction> kFunctions = {
      {"logical_eq", comparison<Relation::equal, false, false>},
      {"logical_neq", comparison<Relation::equal, false, true>},
      {"logical_lt", comparison<Relation::less, false, false>},
      {"logical_lte", comparison<Relation::less_equal, false, false>},
      {"logical_gt", comparison<Relation::less, true, false>},
      {"logical_gte", comparison<Relation::less_equal, true, false>},
      {"logical_negation", [](Tracer&, Arguments a) { return truth(as_int(a[0]) == 0); }},
      {"logical_and", [](Tracer&, Arguments a) { return truth(as_int(a[0]) != 0 && as_int(a[1]) != 0); }},
      {"logical_or", [](Tracer&, Arguments a) { return truth(as_int(a[0]) != 0 || as_int(a[1]) != 0); }},
      {"int_step", int_step},
      {"rank", rank},
      {"one_hot_int_array", one_hot},
      {"divide", divided<lang::Op::divide>},
      {"modulus", divided<lang::Op::modulo>},
  };
  return kFunctions;
}

Value to_ints(Tracer& t, std::string_view name, const Value& numbers, const Type& type) {
  std::vector<int> ints;
  for (const Id id : *numbers.ids) {
    ints.push_back(t.checked_int(name, t.builder().value(id)));
  }
  return t.tagged_like(*numbers.ids, int_container(type, numbers.dims, std::move(ints)));
}

bool is_integer_valued(std::string_view name) {
  constexpr std::array kNames{"choose",   "rising_factorial", "falling_factorial", "add",
                              "subtract", "multiply",         "elt_multiply",      "plus",
                              "minus"};
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

bool is_int_function(std::string_view name) { return int_functions().contains(name); }

bool call_int_function(Tracer& t, std::string_view name, Arguments a, const Type& type, Value& result) {
  if (!type.is_int()) return false;
  if (const auto f = int_functions().find(name); f != int_functions().end()) {
    result = f->second(t, a);
    return true;
  }
  if (is_integer_valued(name)) {
    result = to_ints(t, name, t.apply(*math::find_elementwise(name), a, math::Type{math::Kind::real}), type);
    return true;
  }
  std::vector<Type> types;
  for (const Value& argument : a) types.push_back(argument.type);
  const math::ArrayOp* f = math::find_array_op(name, types);
  if (f == nullptr) return false;  // csr_extract_u, csr_extract_v
  result = to_ints(t, name, t.apply(*f, a, math::array_of(math::Type{math::Kind::real})), type);
  return true;
}

}  // namespace kullback::tape
