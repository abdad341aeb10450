// Declarations: sizes, values that are not set yet, and parameters from free numbers.
#include <fmt/format.h>

#include <stdexcept>

#include "lang/transform_of.hpp"
#include "tape/record/container_size.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::tape {

using lang::Expr;
using lang::SizedType;
using math::Kind;

Dims Tracer::sizes_of(const SizedType& type) {
  Dims dims;
  const auto add = [&](const Expr* size) {
    RowTag tag;
    const int n = eval_int(*size, &tag);
    sizes_are_tagged_ |= !tag.none();
    if (n < 0)
      refuse_always(fmt::format("a size is {}, but must not be negative.", n),
                    "Correct the size in the program, or the data that it comes from.");
    dims.push_back(static_cast<std::size_t>(n));
  };
  for (const Expr* size : type.array_sizes) add(size);
  for (const Expr* size : type.sizes) add(size);
  checked_count(dims);
  return dims;
}

Value Tracer::unset(const SizedType& type) {
  Value value;
  value.type = *type.type;
  value.dims = sizes_of(type);
  const std::size_t count = product(value.dims);
  if (type.type->kind == Kind::tuple) {
    Value one;
    one.type = *type.type;
    one.type.array_rank = 0;
    for (const SizedType* element : type.elements) change_parts(one).push_back(unset(*element));
    if (type.array_sizes.empty()) return one;
    change_parts(value).assign(count, one);
  } else if (type.type->is_int()) {
    change_ints(value).resize(count);
    for (std::size_t i = 0; i < count; ++i) set_gap(value, i);
  } else {
    change_ids(value).assign(count * (type.type->is_complex() ? 2 : 1), nan_);
  }
  return value;
}

void Tracer::declare(const lang::Declare& node) {
  const math::Type& type = *node.variable->type;
  if (node.value != nullptr && (type.is(Kind::real) || type.is(Kind::int_))) {
    Value value = eval(*node.value);
    value.type = type;
    place(*node.variable) = std::move(value);
    return;
  }
  Value initial = unset(*node.variable->declared);
  if (node.value != nullptr) {
    Value value = eval(*node.value);
    if (value.dims != initial.dims) {
      refuse_always(fmt::format("'{}' has {}, but the value it is given has {}.", node.variable->name,
                                dims_text(initial.dims), dims_text(value.dims)),
                    "Declare it with the size of its value.");
    }
    value.type = initial.type;
    initial = std::move(value);
  }
  place(*node.variable) = std::move(initial);
}

math::Shape Tracer::shape_of(const SizedType& type, const Dims& dims) const {
  math::Shape shape;
  const std::size_t arrays = type.array_sizes.size();
  for (std::size_t d = 0; d < arrays; ++d) shape.count *= dims[d];
  const std::size_t inner = dims.size() - arrays;
  if (inner == 2) {
    shape.rows = dims[arrays];
    shape.cols = dims[arrays + 1];
  } else if (inner == 1) {
    (type.type->kind == Kind::row_vector ? shape.cols : shape.rows) = dims[arrays];
  }
  if (type.type->is_complex()) shape.rows *= 2;  // a complex number is two
  return shape;
}

std::size_t Tracer::free_count(const SizedType& type) {
  const Dims dims = sizes_of(type);
  if (type.type->kind == Kind::tuple) {
    std::size_t count = 0;
    for (const SizedType* element : type.elements) count += free_count(*element);
    return count * product(dims);
  }
  return math::free_size(lang::transform_of(type), shape_of(type, dims));
}

std::size_t Tracer::count_free_parameters() {
  std::size_t count = 0;
  for (const lang::Stmt* stmt : program_.block(lang::BlockKind::parameters)) {
    count += free_count(*stmt->as<lang::Declare>()->variable->declared);
  }
  return count;
}

Value Tracer::constrain(const SizedType& type, const Ids& free, std::size_t& used) {
  Value value;
  value.type = *type.type;
  value.dims = sizes_of(type);
  if (type.type->kind == Kind::tuple) {
    std::vector<Value> tuples;
    for (std::size_t i = 0; i < product(value.dims); ++i) {
      Value one;
      one.type = *type.type;
      one.type.array_rank = 0;
      for (const SizedType* element : type.elements)
        change_parts(one).push_back(constrain(*element, free, used));
      tuples.push_back(std::move(one));
    }
    if (type.array_sizes.empty()) return tuples.front();
    change_parts(value) = std::move(tuples);
    return value;
  }
  const math::TransformDef& transform = lang::transform_of(type);
  const math::Shape shape = shape_of(type, value.dims);
  const std::size_t count = math::free_size(transform, shape);
  Ids own(free.begin() + static_cast<long>(used), free.begin() + static_cast<long>(used + count));
  used += count;
  if (transform.name == "identity" || shape.size() == 0) {
    change_ids(value) = std::move(own);
    return value;
  }
  std::vector<Ids> bounds;
  const std::vector<const Expr*> expressions = lang::transform_bounds(type);
  for (std::size_t b = 0; b < expressions.size(); ++b) {
    const double absent = transform.bound_names[b] == "multiplier" ? 1.0 : 0.0;
    bounds.push_back(expressions[b] != nullptr ? reals(eval(*expressions[b]))
                                               : Ids{builder_.constant(absent)});
  }
  if (constrain_elements(transform, own, bounds, change_ids(value))) return value;
  Id log_jacobian = 0;
  try {
    change_ids(value) = builder_.transform(transform, own, bounds, shape, &log_jacobian);
  } catch (const std::logic_error& e) {  // a lower bound above the upper, ...
    refuse(e.what());
  }
  if (options_.jacobian) builder_.add_target(log_jacobian);
  return value;
}

void Tracer::declare_parameter(const lang::Stmt& stmt, const Ids& free, std::size_t& used) {
  builder_.set_span(stmt.span);
  const lang::Variable& variable = *stmt.as<lang::Declare>()->variable;
  const std::size_t first = used;
  place(variable) = constrain(*variable.declared, free, used);
  parameter_ranges_.push_back({&variable, first, used - first, place(variable).dims});
}

void Tracer::declare_parameters(const Ids& free) {
  parameter_ranges_.clear();
  std::size_t used = 0;
  for (const lang::Stmt* stmt : program_.block(lang::BlockKind::parameters))
    declare_parameter(*stmt, free, used);
  builder_.end_declarations();
}

}  // namespace kullback::tape
