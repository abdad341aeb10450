// Overload resolution. Stan takes the overload whose total promotion cost is least and calls a tie
// ambiguous. The types an argument can be promoted to form a chain (int -> real -> complex), along which
// cost grows strictly, so within one class the cheapest member is unique, and choosing it argument by
// argument is the minimum over the whole product of classes: nothing is expanded. Only a linked type T
// couples arguments, and for T the chain of the argument that declares it gives at most three candidates.
#include "math/signatures.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "math/higher_order.hpp"
#include "math/signatures/expand.hpp"
#include "math/signatures/pattern.hpp"
#include "math/signatures/table.hpp"

namespace kullback::math {
namespace {

using pattern::Density;
using pattern::Distribution;
using pattern::distributions;
using pattern::find_record;
using pattern::FlatType;
using pattern::Pattern;
using pattern::Record;
using pattern::record_names;

// ---- matching ----

constexpr int kImpossible = INT_MAX / 2;

struct Choice {
  FlatType type;
  int cost = kImpossible;
};

int chain_cost(FlatType from, FlatType to) {
  if (from.rank != to.rank) return kImpossible;
  int cost = 0;
  for (std::optional<Kind> kind = from.kind; kind; kind = promoted(*kind), ++cost) {
    if (*kind == to.kind) return cost;
  }
  return kImpossible;
}

Choice cheapest(const pattern::Class& types, FlatType from) {
  int cost = 0;
  for (std::optional<Kind> kind = from.kind; kind; kind = promoted(*kind), ++cost) {
    if (types.has({*kind, from.rank})) return {{*kind, from.rank}, cost};
  }
  return {};
}

using Chosen = std::array<FlatType, pattern::kMaxArguments>;

// The overloads of least cost so far.
struct Best {
  struct Overload {
    const Pattern* pattern;
    Chosen chosen;
    FlatType t;
  };
  int cost = kImpossible;
  std::vector<Overload> overloads;

  void offer(int total, const Pattern& p, const Chosen& chosen, FlatType t) {
    if (total > cost || total >= kImpossible) return;
    if (total < cost) overloads.clear();
    cost = total;
    overloads.push_back({&p, chosen, t});
  }
};

FlatType flat(const Argument& argument) { return {argument.type.kind, argument.type.array_rank}; }

void match(const Pattern& p, std::span<const Argument> arguments, Best& best) {
  if (p.count != arguments.size()) return;
  for (std::size_t i = 0; i < p.count; ++i) {
    if (p.arguments[i].data_only && !arguments[i].data_only) return;
  }
  Chosen chosen;
  const auto choose_others = [&](FlatType t, int total) {
    for (std::size_t i = 0; i < p.count && total < kImpossible; ++i) {
      if (static_cast<int>(i) == p.pivot) continue;
      Choice choice = cheapest(p.arguments[i].types, flat(arguments[i]));
      if (p.arguments[i].map.of != pattern::Map::Of::none) {
        const FlatType made = p.arguments[i].map(t);
        const int cost = chain_cost(flat(arguments[i]), made);
        if (cost < choice.cost) choice = {made, cost};
      }
      chosen[i] = choice.type;
      total = choice.cost >= kImpossible ? kImpossible : total + choice.cost;
    }
    best.offer(total, p, chosen, t);
  };
  if (p.pivot < 0) {
    choose_others({}, 0);
    return;
  }
  const auto pivot = static_cast<std::size_t>(p.pivot);
  FlatType t = flat(arguments[pivot]);
  int cost = 0;
  for (std::optional<Kind> kind = t.kind; kind; kind = promoted(*kind), ++cost) {
    t.kind = *kind;
    if (!p.arguments[pivot].types.has(t)) continue;
    chosen[pivot] = t;
    choose_others(t, cost);
  }
}

// ---- why nothing fits ----

struct Failure {
  int argument = -1;  // -1: a wrong count
  bool needs_data = false;
  int cost = kImpossible;  // of a success
};

Failure check(const Signature& signature, std::span<const Argument> arguments) {
  Failure failure;
  if (signature.arguments.size() != arguments.size()) return failure;
  int total = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto cost = promotion_cost(arguments[i].type, signature.arguments[i].type);
    const bool refused = signature.arguments[i].data_only && !arguments[i].data_only;
    if (!cost || refused) {
      failure.argument = static_cast<int>(i);
      failure.needs_data = cost.has_value();
      return failure;
    }
    total += *cost;
  }
  failure.cost = total;
  return failure;
}

// The nearer overload fails later, or for want of data rather than of a type, or expects a type with the
// dimensions or the scalar of the one it got; wrong counts come last, the closest of them first.
void explain(Resolution& resolution, std::vector<Signature> all, std::span<const Argument> arguments) {
  struct Candidate {
    std::array<int, 5> distance;
    std::size_t index;
    Failure failure;
  };
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Failure failure = check(all[i], arguments);
    std::array<int, 5> distance = {};
    if (failure.argument < 0) {
      distance[0] = 1;
      distance[1] = std::abs(static_cast<int>(all[i].arguments.size()) - static_cast<int>(arguments.size()));
    } else {
      const auto bad = static_cast<std::size_t>(failure.argument);
      const Type& found = arguments[bad].type;
      const Type& expected = all[i].arguments[bad].type;
      distance[1] = -failure.argument;
      distance[2] = failure.needs_data ? 0 : 1;
      distance[3] = found.array_rank + pattern::dimensions(found.kind) ==
                            expected.array_rank + pattern::dimensions(expected.kind)
                        ? 0
                        : 1;
      distance[4] =
          found.is_int() == expected.is_int() && found.is_complex() == expected.is_complex() ? 0 : 1;
    }
    candidates.push_back({distance, i, failure});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  if (candidates.size() > 5) candidates.resize(5);
  resolution.outcome = Resolution::Outcome::mismatch;
  if (!candidates.empty()) {
    resolution.bad_argument = candidates.front().failure.argument;
    resolution.needs_data = candidates.front().failure.needs_data;
  }
  for (const Candidate& candidate : candidates)
    resolution.candidates.push_back(std::move(all[candidate.index]));
}

std::vector<std::string_view> functions_of(std::string_view op, std::size_t arity) {
  struct Meaning {
    std::string_view op;
    std::size_t arity;
    std::string_view first, second;
  };
  static constexpr Meaning kMeanings[] = {
      {"+", 2, "add", {}},           {"-", 2, "subtract", {}},
      {"*", 2, "multiply", {}},      {"/", 2, "mdivide_right", "divide"},
      {"\\", 2, "mdivide_left", {}}, {"%", 2, "modulus", {}},
      {"%/%", 2, "divide", {}},      {".*", 2, "elt_multiply", {}},
      {"./", 2, "elt_divide", {}},   {"^", 2, "pow", {}},
      {".^", 2, "pow", {}},          {"||", 2, "logical_or", {}},
      {"&&", 2, "logical_and", {}},  {"==", 2, "logical_eq", {}},
      {"!=", 2, "logical_neq", {}},  {"<", 2, "logical_lt", {}},
      {"<=", 2, "logical_lte", {}},  {">", 2, "logical_gt", {}},
      {">=", 2, "logical_gte", {}},  {"+", 1, "plus", {}},
      {"-", 1, "minus", {}},         {"!", 1, "logical_negation", {}},
      {"'", 1, "transpose", {}},
  };
  for (const Meaning& m : kMeanings) {
    if (m.op != op || m.arity != arity) continue;
    if (m.second.empty()) return {m.first};
    return {m.first, m.second};
  }
  return {};
}

}  // namespace

bool operator==(const Argument& a, const Argument& b) {
  return a.type == b.type && a.data_only == b.data_only;
}
bool operator==(const Signature& a, const Signature& b) {
  return a.result == b.result && a.arguments == b.arguments;
}

std::string to_string(const Signature& signature) {
  std::string text = "(";
  for (const Argument& argument : signature.arguments) {
    if (text.size() > 1) text += ", ";
    if (argument.data_only) text += "data ";
    text += to_string(argument.type);
  }
  return text + ") => " + to_string(signature.result);
}

bool is_builtin(std::string_view name) { return find_record(name) != nullptr || is_higher_order(name); }

std::vector<std::string_view> builtin_names() {
  std::vector<std::string_view> names = record_names();
  const auto more = higher_order_names();
  names.insert(names.end(), more.begin(), more.end());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<Signature> signatures(std::string_view name) {
  std::vector<Signature> all;
  if (const Record* record = find_record(name)) {
    for (const Pattern& p : record->overloads) pattern::expand(p, all);
    pattern::sort_as_stanc(all);
  }
  return all;
}

Resolution resolve(std::string_view name, std::span<const Argument> arguments) {
  return resolve_overloaded(name, {}, arguments);
}

Resolution resolve_among(std::span<const Signature> overloads, std::span<const Argument> arguments) {
  Resolution resolution = resolve_overloaded({}, overloads, arguments);
  if (overloads.empty()) resolution.outcome = Resolution::Outcome::mismatch;
  return resolution;
}

Resolution resolve_overloaded(std::string_view name, std::span<const Signature> overloads,
                              std::span<const Argument> arguments) {
  Resolution resolution;
  const Record* record = name.empty() ? nullptr : find_record(name);
  if (!record && overloads.empty()) return resolution;

  Best best;
  if (record) {
    for (const Pattern& p : record->overloads) match(p, arguments, best);
  }
  int cost = best.cost;
  std::vector<std::size_t> given;
  for (std::size_t i = 0; i < overloads.size(); ++i) {
    const int own = check(overloads[i], arguments).cost;
    if (own > cost || own >= kImpossible) continue;
    if (own < cost) {
      given.clear();
      best.overloads.clear();
      cost = own;
    }
    given.push_back(i);
  }

  if (best.overloads.size() + given.size() == 1) {
    resolution.outcome = Resolution::Outcome::unique;
    if (given.empty()) {
      const auto& [p, chosen, t] = best.overloads.front();
      resolution.signature = pattern::instantiate(*p, chosen, t);
      resolution.function = record->name;
    } else {
      resolution.overload = static_cast<int>(given.front());
      resolution.signature = overloads[given.front()];
    }
  } else if (cost < kImpossible) {
    resolution.outcome = Resolution::Outcome::ambiguous;
    for (const auto& [p, chosen, t] : best.overloads) {
      resolution.candidates.push_back(pattern::instantiate(*p, chosen, t));
    }
    for (std::size_t i : given) resolution.candidates.push_back(overloads[i]);
  } else {
    std::vector<Signature> all(overloads.begin(), overloads.end());
    if (record) {
      auto built_in = signatures(record->name);
      all.insert(all.end(), std::make_move_iterator(built_in.begin()),
                 std::make_move_iterator(built_in.end()));
    }
    explain(resolution, std::move(all), arguments);
  }
  return resolution;
}

Resolution resolve_operator(std::string_view op, std::span<const Argument> arguments) {
  Resolution resolution;
  if (op == "%/%") {  // no promotion, and no real division
    const Argument an_int{Type{Kind::int_}};
    const Signature divide{an_int.type, {an_int, an_int}};
    resolution = resolve_among({&divide, 1}, arguments);
    resolution.overload = -1;
    if (resolution.outcome == Resolution::Outcome::unique) resolution.function = "divide";
    return resolution;
  }
  const auto functions = functions_of(op, arguments.size());
  if (functions.empty()) return resolution;
  bool ambiguous = false;
  for (std::string_view function : functions) {
    Resolution one = resolve(function, arguments);
    if (one.outcome == Resolution::Outcome::unique) return one;
    if (one.outcome == Resolution::Outcome::ambiguous && !ambiguous) {
      ambiguous = true;
      resolution = std::move(one);
    }
  }
  if (ambiguous) return resolution;
  std::vector<Signature> all;
  for (std::string_view function : functions) {
    auto more = signatures(function);
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  explain(resolution, std::move(all), arguments);
  return resolution;
}

Resolution resolve_assignment(std::string_view op, const Argument& lhs, const Argument& rhs) {
  const bool elementwise = op == ".*" || op == "./";
  if (!elementwise && op != "+" && op != "-" && op != "*" && op != "/") return {};
  const std::array<Argument, 2> arguments = {lhs, rhs};
  Resolution resolution = op == "/" ? resolve("divide", arguments) : resolve_operator(op, arguments);
  const bool scalar = lhs.type.is(Kind::int_) || lhs.type.is(Kind::real);
  if (resolution.outcome == Resolution::Outcome::unique &&
      (!(resolution.signature.result == lhs.type) || (elementwise && scalar))) {
    Resolution refused;
    refused.outcome = Resolution::Outcome::mismatch;
    refused.candidates.push_back(std::move(resolution.signature));
    refused.bad_argument = elementwise && scalar ? 0 : 1;
    return refused;
  }
  return resolution;
}

// ---- families ----

std::vector<Family> families() {
  std::vector<Family> all;
  for (const Distribution& d : distributions()) {
    all.push_back({.name = d.name,
                   .discrete = d.kind == Density::lpmf,
                   .has_cdf = d.cdfs.cdf,
                   .has_rng = d.has_rng,
                   .has_density = d.kind != Density::none,
                   .has_lcdf = d.cdfs.lcdf,
                   .has_lccdf = d.cdfs.lccdf});
  }
  std::sort(all.begin(), all.end(), [](const Family& a, const Family& b) { return a.name < b.name; });
  return all;
}

const Family* find_family(std::string_view name) {
  static const std::vector<Family> all = families();
  const auto at = std::lower_bound(all.begin(), all.end(), name,
                                   [](const Family& family, std::string_view n) { return family.name < n; });
  return at != all.end() && at->name == name ? &*at : nullptr;
}

}  // namespace kullback::math
