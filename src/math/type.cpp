#include "math/type.hpp"

#include <algorithm>
#include <utility>

namespace kullback::math {
namespace {

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::void_: return "void";
    case Kind::int_: return "int";
    case Kind::real: return "real";
    case Kind::complex: return "complex";
    case Kind::vector: return "vector";
    case Kind::row_vector: return "row_vector";
    case Kind::matrix: return "matrix";
    case Kind::complex_vector: return "complex_vector";
    case Kind::complex_row_vector: return "complex_row_vector";
    case Kind::complex_matrix: return "complex_matrix";
    case Kind::tuple: return "tuple";
    case Kind::function: return "function";
  }
  return "?";
}

bool same_size(const Type& a, const Type& b) {
  return a.elements && b.elements && a.elements->size() == b.elements->size();
}

}  // namespace

bool Type::operator==(const Type& other) const {
  if (kind != other.kind || array_rank != other.array_rank) return false;
  if (kind != Kind::tuple || elements == other.elements) return true;
  return elements && other.elements && *elements == *other.elements;
}

bool Type::is_discrete() const {
  if (kind == Kind::tuple) {
    return elements &&
           std::all_of(elements->begin(), elements->end(), [](const Type& e) { return e.is_discrete(); });
  }
  return kind == Kind::int_;
}

bool Type::is_complex() const {
  return kind == Kind::complex || kind == Kind::complex_vector || kind == Kind::complex_row_vector ||
         kind == Kind::complex_matrix;
}

bool Type::contains_int() const {
  if (kind == Kind::tuple) {
    return elements &&
           std::any_of(elements->begin(), elements->end(), [](const Type& e) { return e.contains_int(); });
  }
  return kind == Kind::int_;
}

Type array_of(Type element, int rank) {
  element.array_rank = static_cast<std::uint8_t>(element.array_rank + rank);
  return element;
}

Type element_of(const Type& array) {
  Type element = array;
  if (element.array_rank > 0) --element.array_rank;
  return element;
}

Type tuple_of(std::vector<Type> elements) {
  return Type{Kind::tuple, 0, std::make_shared<const std::vector<Type>>(std::move(elements))};
}

std::string to_string(const Type& type) {
  std::string text;
  if (type.array_rank > 0) {
    text = "array[" + std::string(static_cast<std::size_t>(type.array_rank) - 1, ',') + "] ";
  }
  text += kind_name(type.kind);
  if (type.kind != Kind::tuple) return text;
  text += '(';
  if (type.elements) {
    for (std::size_t i = 0; i < type.elements->size(); ++i) {
      if (i > 0) text += ", ";
      text += to_string((*type.elements)[i]);
    }
    if (type.elements->size() == 1) text += ',';
  }
  return text + ')';
}

std::optional<Kind> promoted(Kind kind) {
  switch (kind) {
    case Kind::int_: return Kind::real;
    case Kind::real: return Kind::complex;
    case Kind::vector: return Kind::complex_vector;
    case Kind::row_vector: return Kind::complex_row_vector;
    case Kind::matrix: return Kind::complex_matrix;
    default: return std::nullopt;
  }
}

std::optional<int> promotion_cost(const Type& from, const Type& to) {
  if (from.array_rank != to.array_rank) return std::nullopt;
  if (from.kind == Kind::tuple && to.kind == Kind::tuple) {
    if (from.elements == to.elements) return 0;
    if (!same_size(from, to)) return std::nullopt;
    int total = 0;
    for (std::size_t i = 0; i < from.elements->size(); ++i) {
      const auto cost = promotion_cost((*from.elements)[i], (*to.elements)[i]);
      if (!cost) return std::nullopt;
      total += *cost;
    }
    return total;
  }
  int cost = 0;
  for (std::optional<Kind> kind = from.kind; kind; kind = promoted(*kind), ++cost) {
    if (*kind == to.kind) return cost;
  }
  return std::nullopt;
}

std::optional<Type> common_type(const Type& a, const Type& b) {
  if (a.kind == Kind::tuple && b.kind == Kind::tuple) {
    if (a == b) return a;
    if (a.array_rank != b.array_rank || !same_size(a, b)) return std::nullopt;
    std::vector<Type> elements;
    for (std::size_t i = 0; i < a.elements->size(); ++i) {
      auto element = common_type((*a.elements)[i], (*b.elements)[i]);
      if (!element) return std::nullopt;
      elements.push_back(std::move(*element));
    }
    return array_of(tuple_of(std::move(elements)), a.array_rank);
  }
  // Promotions form chains, so that one of the two types is the least upper bound if there is one.
  if (promotion_cost(a, b)) return b;
  if (promotion_cost(b, a)) return a;
  return std::nullopt;
}

}  // namespace kullback::math
