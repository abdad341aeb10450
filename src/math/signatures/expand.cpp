#include "math/signatures/expand.hpp"

#include <algorithm>
#include <array>

namespace kullback::math::pattern {
namespace {

Type to_type(FlatType t) { return Type{t.kind, t.rank, nullptr}; }

bool is_number(FlatType t) { return t.rank == 0 && (t.kind == Kind::int_ || t.kind == Kind::real); }

std::vector<FlatType> members(const Class& c) {
  std::vector<FlatType> all;
  for (int k = 0; k < kKinds; ++k) {
    for (int r = 0; r < 16; ++r) {
      const FlatType t{static_cast<Kind>(k), static_cast<std::uint8_t>(r)};
      if (c.has(t)) all.push_back(t);
    }
  }
  return all;
}

// Every choice for argument i and those after it, once T is known.
void expand_from(const Pattern& p, std::size_t i, std::array<FlatType, kMaxArguments>& chosen, FlatType t,
                 std::vector<Signature>& all) {
  if (i == p.count) {
    all.push_back(instantiate(p, chosen, t));
    return;
  }
  if (static_cast<int>(i) == p.pivot) {
    chosen[i] = t;
    expand_from(p, i + 1, chosen, t, all);
    return;
  }
  std::vector<FlatType> choices = members(p.arguments[i].types);
  if (p.arguments[i].map.of != Map::Of::none) choices.push_back(p.arguments[i].map(t));
  for (FlatType choice : choices) {
    chosen[i] = choice;
    expand_from(p, i + 1, chosen, t, all);
  }
}

int position(Kind kind) {
  switch (kind) {
    case Kind::vector: return static_cast<int>(Kind::complex);
    case Kind::complex: return static_cast<int>(Kind::vector);
    default: return static_cast<int>(kind);
  }
}

bool before(const Type& a, const Type& b) {
  return a.array_rank != b.array_rank ? a.array_rank < b.array_rank : position(a.kind) < position(b.kind);
}

}  // namespace

Signature instantiate(const Pattern& p, std::span<const FlatType> chosen, FlatType t) {
  Signature signature;
  signature.arguments.reserve(p.count);
  bool numbers = true;
  for (std::size_t i = 0; i < p.count; ++i) {
    signature.arguments.push_back({to_type(chosen[i]), p.arguments[i].data_only});
    numbers = numbers && is_number(chosen[i]);
  }
  const ResultSpec& r = p.result;
  switch (r.form) {
    case ResultSpec::Form::type: signature.result = to_type(r.types[0]); break;
    case ResultSpec::Form::of_t: signature.result = to_type(r.map(t)); break;
    case ResultSpec::Form::by_shape: signature.result = to_type(r.types[numbers ? 0 : 1]); break;
    case ResultSpec::Form::tuple: {
      std::vector<Type> elements;
      for (std::size_t i = 0; i < r.count; ++i) elements.push_back(to_type(r.types[i]));
      signature.result = tuple_of(std::move(elements));
      break;
    }
  }
  return signature;
}

void expand(const Pattern& p, std::vector<Signature>& all) {
  std::array<FlatType, kMaxArguments> chosen;
  if (p.pivot < 0) {
    expand_from(p, 0, chosen, {}, all);
    return;
  }
  for (FlatType t : members(p.arguments[static_cast<std::size_t>(p.pivot)].types)) {
    expand_from(p, 0, chosen, t, all);
  }
}

std::vector<Signature> expand(std::string_view line) {
  std::vector<Signature> all;
  Parser parser(line);
  Pattern p;
  while (parser.next(p)) expand(p, all);
  return all;
}

void sort_as_stanc(std::vector<Signature>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Signature& a, const Signature& b) {
    return std::lexicographical_compare(
        a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(),
        [](const Argument& x, const Argument& y) { return before(x.type, y.type); });
  });
}

}  // namespace kullback::math::pattern
