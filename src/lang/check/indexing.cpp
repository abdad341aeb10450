// Indices. A single int takes one element away from the front of the type; anything else (an int array, a
// range, a colon) keeps it.
#include <fmt/format.h>

#include <algorithm>

#include "lang/check/checker.hpp"

namespace kullback::lang {

namespace {

std::size_t dimensions(const math::Type& type) {
  std::size_t inner = 0;
  switch (type.kind) {
    case math::Kind::matrix:
    case math::Kind::complex_matrix: inner = 2; break;
    case math::Kind::vector:
    case math::Kind::row_vector:
    case math::Kind::complex_vector:
    case math::Kind::complex_row_vector: inner = 1; break;
    default: break;
  }
  return type.array_rank + inner;
}

}  // namespace

bool Checker::is_multi(const Index& index) {
  return index.kind != ast::Index::Kind::single || index.low->type->array_rank > 0;
}

const Expr* Checker::index_value(const ast::Expr& expr) {
  const Value value = expression(expr);
  if (!value) return nullptr;
  if (value.type()->kind == Kind::int_ && value.type()->array_rank <= 1) return value.expr;
  if (!is_value(value)) return nullptr;
  const bool rounds = value.type() == real_;
  error("index-type", expr.span,
        fmt::format("An index must be int, array[] int or a range, but {}.", describe(expr, value.type())),
        rounds ? "to_int(x) makes an int of a real that is data." : "");
  return nullptr;
}

const Expr* Checker::range_bound(const ast::Expr& expr) {
  return typed(expr, Kind::int_, "The bound of a range", "index-type").expr;
}

bool Checker::indices(ast::List<ast::Index> list, std::vector<Index>& out, bool& data_only) {
  bool ok = true;
  for (const ast::Index& index : list) {
    Index checked{index.kind, nullptr, nullptr};
    const bool single = index.kind == ast::Index::Kind::single;
    if (index.low) checked.low = single ? index_value(*index.low) : range_bound(*index.low);
    if (index.high) checked.high = range_bound(*index.high);
    ok = ok && (!index.low || checked.low) && (!index.high || checked.high);
    data_only =
        data_only && (!checked.low || checked.low->data_only) && (!checked.high || checked.high->data_only);
    out.push_back(checked);
  }
  return ok;
}

// Null where there are more indices than dimensions.
const math::Type* Checker::indexed_type(const Type* type, std::span<const Index> indices) {
  if (indices.size() > dimensions(*type)) return nullptr;
  const std::size_t arrays = std::min<std::size_t>(type->array_rank, indices.size());
  int rank = type->array_rank - static_cast<int>(arrays);
  for (const Index& index : indices.first(arrays)) rank += is_multi(index) ? 1 : 0;
  Type result = *type;
  result.array_rank = static_cast<std::uint8_t>(rank);
  const std::span<const Index> inner = indices.subspan(arrays);
  if (inner.empty()) return types_.intern(result);
  const bool complex = type->is_complex();
  const Kind scalar = complex ? Kind::complex : Kind::real;
  const Kind vector = complex ? Kind::complex_vector : Kind::vector;
  const Kind row_vector = complex ? Kind::complex_row_vector : Kind::row_vector;
  const bool first_multi = is_multi(inner.front());
  if (type->kind != Kind::matrix && type->kind != Kind::complex_matrix) {
    if (!first_multi) result.kind = scalar;
  } else if (inner.size() == 1) {
    if (!first_multi) result.kind = row_vector;
  } else {
    const bool second_multi = is_multi(inner[1]);
    if (!first_multi)
      result.kind = second_multi ? row_vector : scalar;
    else if (!second_multi)
      result.kind = vector;
  }
  return types_.intern(result);
}

Value Checker::indexed(const ast::Expr& expr, const ast::Indexed& node, Value base) {
  ScratchPool<Index>::Vector list(index_pool_);
  bool data_only = true;
  if (!indices(node.indices, *list, data_only) || !base || !is_value(base)) return {};
  const Type* type = indexed_type(base.type(), *list);
  if (!type) {
    const std::size_t has = dimensions(*base.type());
    error("too-many-indices", expr.span,
          has == 0
              ? fmt::format("{} cannot be indexed.", base.type()->kind == Kind::tuple
                                                         ? "A tuple"
                                                         : "A scalar (" + math::to_string(*base.type()) + ")")
              : fmt::format("{} indices were given to {}, which has {}.", list->size(),
                            with_article(*base.type()), counted(has, "dimension")),
          base.type()->kind == Kind::tuple ? "Write x.1 for the first element of a tuple." : "");
    return {};
  }
  return make(expr.span, type, base.level, data_only && base.expr->data_only,
              Indexed{base.expr, arena_.copy(*list)});
}

Value Checker::tuple_get(const ast::Expr& expr, int slot, Value base) {
  if (!base || !is_value(base)) return {};
  const Type* type = base.type();
  if (!type->is(Kind::tuple)) {
    error("not-a-tuple", expr.span,
          fmt::format("A slot such as .1 belongs to a tuple, but this is {}.", with_article(*type)),
          type->kind == Kind::tuple ? "Take an element of the array first: x[1].1." : "");
    return {};
  }
  const std::size_t size = type->elements->size();
  if (slot < 1 || static_cast<std::size_t>(slot) > size) {
    error("tuple-slot", expr.span,
          fmt::format("There is no element {} in a tuple of {}.", slot, counted(size, "element")));
    return {};
  }
  const auto at = static_cast<std::size_t>(slot) - 1;
  return make(expr.span, types_.tuple_element(type, at), element_level(base.level, type, at),
              base.expr->data_only, TupleGet{base.expr, slot});
}

}  // namespace kullback::lang
