// y ~ f(...) T[L, U]: the density is divided by its mass on [L, U] and is zero elsewhere.
//   T[L, ]: log mass = log ccdf(L),  T[ , U]: log cdf(U),  T[L, U]: log(cdf(U) - cdf(L))
// A discrete distribution includes L, so that L - 1 stands for it. Each element of y has a mass of its own,
// unless neither bounds nor parameters are containers. Which side of a bound y is on is fixed by a guard.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>

#include "math/distribution.hpp"
#include "math/elementwise.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::tape {

using lang::Expr;
using math::Type;

namespace {

Value element(Tracer& t, const Value& value, std::size_t i) {
  if (value.dims.empty()) return value;
  if (!value.ints) return real_value(t.reals(value)[i]);
  return t.int_result((*value.ints)[i], int_tag(value, i));
}

// The overload that costs least to call with these arguments.
const lang::Function* find_function(const lang::Program& program, const std::string& name,
                                    const std::vector<Value>& arguments) {
  const lang::Function* best = nullptr;
  int least = std::numeric_limits<int>::max();
  for (const lang::Function* f : program.functions) {
    if (f->name != name || f->parameters.size() != arguments.size() || f->body == nullptr) continue;
    int cost = 0;
    bool fits = true;
    for (std::size_t i = 0; i < arguments.size() && fits; ++i) {
      const std::optional<int> one = math::promotion_cost(arguments[i].type, *f->parameters[i]->type);
      fits = one.has_value();
      cost += one.value_or(0);
    }
    if (!fits || cost >= least) continue;
    best = f;
    least = cost;
  }
  return best;
}

bool is_discrete(const lang::Tilde& node) { return node.function.ends_with("_lpmf"); }

}  // namespace

Id Tracer::log_cumulative(const lang::Tilde& node, std::vector<Value> arguments, bool upper_tail) {
  const std::string name = std::string(node.distribution) + (upper_tail ? "_lccdf" : "_lcdf");
  if (node.user != nullptr) {
    if (const lang::Function* f = find_function(program_, name, arguments))
      return reals(call_user(*f, std::move(arguments), {}))[0];
  } else if (const math::Distribution* d = math::find_distribution(node.distribution)) {
    const math::Density& f = upper_tail ? d->log_ccdf : d->log_cdf;
    if (f.value != nullptr) return density_sum(*d, f, arguments, {});
  }
  const Expr at{builder_.span(), node.variate->type, false, lang::Target{}};
  cannot_run(at, fmt::format("truncation of '{}' needs '{}', which this version's engine does not run.",
                             node.distribution, name));
}

Id Tracer::log_mass(const lang::Tilde& node, const std::vector<Value>& arguments, const Value* lower,
                    const Value* upper) {
  const auto at = [&](Value bound, bool upper_tail) {
    std::vector<Value> changed = arguments;
    changed.front() = std::move(bound);
    return log_cumulative(node, std::move(changed), upper_tail);
  };
  if (lower == nullptr) return at(*upper, false);
  const Value below = is_discrete(node) ? combine_ints(lang::Op::minus, *lower, int_value(1)) : *lower;
  if (upper == nullptr) return at(below, true);
  return builder_.elementwise(*math::find_elementwise("log_diff_exp"),
                              std::array<Id, 2>{at(*upper, false), at(below, false)});
}

bool Tracer::is_outside(const Value& variate, const Value* lower, const Value* upper) {
  bool outside = false;
  const Ids x = reals(variate);
  const auto test = [&](const Value* bound, bool is_lower) {
    if (bound == nullptr) return;
    const Ids limits = reals(*bound);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Id limit = limits[limits.size() == 1 ? 0 : i];
      outside |= builder_.compare(Guard::Relation::less, is_lower ? x[i] : limit, is_lower ? limit : x[i]);
    }
  };
  test(lower, true);
  test(upper, false);
  return outside;
}

void Tracer::truncate(const lang::Tilde& node, const std::vector<Value>& arguments) {
  std::optional<Value> lower;
  std::optional<Value> upper;
  if (node.lower != nullptr) lower = eval(*node.lower);
  if (node.upper != nullptr) upper = eval(*node.upper);
  const auto pointer = [](std::optional<Value>& value) { return value ? &*value : nullptr; };
  if (is_outside(arguments.front(), pointer(lower), pointer(upper))) {
    RowTag row = tag_of(arguments.front());
    if (lower) row = join(row, tag_of(*lower));
    if (upper) row = join(row, tag_of(*upper));
    builder_.add_target(builder_.constant(-std::numeric_limits<double>::infinity(), row));
    return;
  }
  const std::size_t count = arguments.front().dims.empty() ? 1 : arguments.front().size();
  const auto is_container = [](const Value& value) { return !value.dims.empty(); };
  const bool one_mass = std::none_of(arguments.begin() + 1, arguments.end(), is_container) &&
                        !(lower && is_container(*lower)) && !(upper && is_container(*upper));
  const math::Elementwise& multiply = *math::find_elementwise("multiply");
  const auto add = [&](Id mass, double times, const Value& variate) {
    Id total = builder_.elementwise(multiply, std::array<Id, 2>{mass, builder_.constant(-times)});
    // The mass belongs to the row of the variate, also where the bounds do not.
    if (const RowTag row = tag_of(variate); row.single()) total = builder_.tagged({total}, {&row, 1}).front();
    builder_.add_target(total);
  };
  if (one_mass) {
    add(log_mass(node, arguments, pointer(lower), pointer(upper)), static_cast<double>(count),
        arguments.front());
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Value> own;
    for (const Value& argument : arguments) own.push_back(element(*this, argument, i));
    std::optional<Value> low;
    std::optional<Value> high;
    if (lower) low = element(*this, *lower, i);
    if (upper) high = element(*this, *upper, i);
    add(log_mass(node, own, pointer(low), pointer(high)), 1, own.front());
  }
}

}  // namespace kullback::tape
