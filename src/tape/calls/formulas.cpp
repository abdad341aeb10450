// Functions written as formulas of others that the tape has.
//
// hypergeometric_2F1(a1, a2, b, z): the series hypergeometric_pFq for 0 <= z < 1; for z < 0 Pfaff's
//   (1 - z)^-a1 2F1(a1, b - a2; b; z / (z - 1)), whose argument lies between 0 and 1; at z = 1 Gauss's
//   Gamma(b) Gamma(b - a1 - a2) / (Gamma(b - a1) Gamma(b - a2)), b > a1 + a2.  z > 1 is refused: the function
//   has a cut.
// student_t_qf(p, nu, mu, sigma) = mu + sigma z, with z < 0 for p < 1/2 and by symmetry above. In the tails
//   x = inv_inc_beta(nu/2, 1/2, 2 p), z = -sqrt(nu (1 - x) / x); in the middle, where 1 - x would cancel,
//   y = inv_inc_beta(1/2, nu/2, 1 - 2 p), z = -sqrt(nu y / (1 - y)). At p = 1/2 the root has no derivative
//   but z has: 1 / density(0) = sqrt(nu) B(nu/2, 1/2).
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "math/array_op.hpp"
#include "tape/calls/number.hpp"
#include "tape/calls/special_calls.hpp"

namespace kullback::tape {

using math::Kind;
using math::Type;

namespace {

using Relation = Guard::Relation;

Number apply_three(Builder& builder, std::string_view name, Number a, Number b, Number c) {
  return {builder,
          builder.elementwise(*math::find_elementwise(name), std::array<Id, 3>{a.id(), b.id(), c.id()})};
}

Number lgamma(Number x) { return x.apply("lgamma"); }

Number gauss_series(Tracer& t, const std::array<Number, 3>& parameters, Number z) {
  const auto& [a1, a2, b] = parameters;
  const Type vector{Kind::vector};
  const std::array<Value, 3> arguments{real_container(vector, {2}, {a1.id(), a2.id()}),
                                       real_container(vector, {1}, {b.id()}), real_value(z.id())};
  const std::array<Type, 3> types{vector, vector, Type{Kind::real}};
  const Value sum = t.apply(*math::find_array_op("hypergeometric_pFq", types), arguments, Type{Kind::real});
  return {t.builder(), (*sum.ids)[0]};
}

Number gauss_hypergeometric(Tracer& t, Number a1, Number a2, Number b, Number z) {
  Builder& builder = t.builder();
  if (builder.compare(Relation::less, builder.constant(1), z.id()))
    t.refuse(fmt::format("hypergeometric_2F1: z is {}, but must be at most 1.", z.value()));
  if (builder.compare(Relation::equal, z.id(), builder.constant(1))) {
    const Number left = b - a1 - a2;
    if (!(left.value() > 0)) t.refuse("hypergeometric_2F1: at z = 1, b must be greater than a1 + a2.");
    return exp(lgamma(b) + lgamma(left) - lgamma(b - a1) - lgamma(b - a2));
  }
  if (!builder.compare(Relation::less, z.id(), builder.constant(0))) return gauss_series(t, {a1, a2, b}, z);
  const Number rest = 1.0 - z;
  return exp(-(a1 * log(rest))) * gauss_series(t, {a1, b - a2, b}, -(z / rest));
}

Number standard_quantile(Builder& builder, Number p, Number nu) {
  const auto below = [&](double bound) {
    return builder.compare(Relation::less, p.id(), builder.constant(bound));
  };
  const Number half = nu * 0.5;
  if (builder.compare(Relation::equal, p.id(), builder.constant(0.5)))
    return (p - 0.5) * sqrt(nu) * half.apply("beta", p.like(0.5));
  const bool left = below(0.5);
  const Number tail = left ? p : 1.0 - p;
  Number z = p;
  if (below(0.25) || !below(0.75)) {
    const Number x = apply_three(builder, "inv_inc_beta", half, p.like(0.5), tail * 2);
    z = sqrt(nu * (1.0 - x) / x);
  } else {
    const Number y = apply_three(builder, "inv_inc_beta", p.like(0.5), half, 1.0 - tail * 2);
    z = sqrt(nu * y / (1.0 - y));
  }
  return left ? -z : z;
}

// Element by element over arguments that are numbers or sequences of one length.
template <class F>
Value over_sequences(Tracer& t, std::string_view name, std::span<const Value> a, const Type& type, F f) {
  std::size_t count = 1;
  std::vector<Ids> operands;
  for (const Value& argument : a) {
    operands.push_back(t.reals(argument));
    if (argument.dims.empty()) continue;
    if (count != 1 && count != argument.size())
      t.refuse(fmt::format("{}: the sizes of its arguments differ.", name));
    count = argument.size();
  }
  Ids ids;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Number> x;
    for (const Ids& own : operands) x.emplace_back(t.builder(), own[own.size() == 1 ? 0 : i]);
    ids.push_back(f(x).id());
  }
  return real_container(type, type.is(Kind::real) ? Dims{} : Dims{count}, std::move(ids));
}

Number student_t_quantile(Tracer& t, const std::vector<Number>& x) {
  const auto require = [&](bool holds, std::string_view what, double found, std::string_view needed) {
    if (!holds) t.refuse(fmt::format("student_t_qf: {} is {}, but must be {}.", what, found, needed));
  };
  require(x[0].value() >= 0 && x[0].value() <= 1, "the probability", x[0].value(), "from 0 to 1");
  require(x[1].value() > 0, "degrees of freedom", x[1].value(), "positive");
  require(x[3].value() > 0, "the scale", x[3].value(), "positive");
  return x[2] + x[3] * standard_quantile(t.builder(), x[0], x[1]);
}

}  // namespace

bool is_formula_function(std::string_view name) {
  return name == "hypergeometric_2F1" || name == "student_t_qf";
}

bool call_formula_function(Tracer& t, std::string_view name, std::span<const Value> a, const Type& type,
                           Value& result) {
  if (!is_formula_function(name)) return false;
  if (name == "student_t_qf") {
    result = over_sequences(t, name, a, type,
                            [&](const std::vector<Number>& x) { return student_t_quantile(t, x); });
  } else {
    result = over_sequences(t, name, a, type, [&](const std::vector<Number>& x) {
      return gauss_hypergeometric(t, x[0], x[1], x[2], x[3]);
    });
  }
  return true;
}

}  // namespace kullback::tape
