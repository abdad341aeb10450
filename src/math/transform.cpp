// Goes through the items of arrays; the mathematics stands in transforms/*.cpp.
#include "math/transform.hpp"

#include <array>
#include <utility>

#include "math/transforms/records.hpp"

namespace kullback::math {

namespace {

constexpr std::array kTransforms = {
#define KULLBACK_TRANSFORM(name) &transforms::name##_transform,
#include "math/transforms/transforms.def"
#undef KULLBACK_TRANSFORM
};

Shape item_shape(const TransformDef& transform, Shape shape) {
  if (transform.elementwise) return {shape.size(), 1, 1};
  return {shape.rows, shape.cols, 1};
}

std::size_t item_count(const TransformDef& transform, Shape shape) {
  return transform.elementwise ? 1 : shape.count;
}

double* advance(double* numbers, std::size_t by) { return numbers == nullptr ? nullptr : numbers + by; }

template <class Visit>
void for_each_item(const TransformDef& transform, TransformCall call, Visit visit) {
  const std::size_t count = item_count(transform, call.shape);
  call.shape = item_shape(transform, call.shape);
  const std::size_t free = transform.free_size(call.shape);
  const std::size_t scratch = transform.scratch_size == nullptr ? 0 : transform.scratch_size(call.shape);
  for (std::size_t i = 0; i < count; ++i) {
    visit(call);
    call.free += free;
    call.value += call.shape.size();
    call.scratch = advance(call.scratch, scratch);
    if (call.value_adjoint != nullptr) call.value_adjoint += call.shape.size();
    call.free_adjoint = advance(call.free_adjoint, free);
  }
}

// An elementwise transform speaks of a column of all numbers: translates back to item, row and column.
void place(Violation& violation, Shape shape) {
  const std::size_t offset = violation.row;
  const std::size_t per_item = shape.rows * shape.cols;
  violation.item = offset / per_item;
  violation.row = offset % per_item % shape.rows;
  violation.col = offset % per_item / shape.rows;
}

using Check = std::optional<Violation> (*)(const ConstrainedValue&);

std::optional<Violation> first_violation(const TransformDef& transform, Check check, ConstrainedValue value) {
  const Shape shape = value.shape;
  const std::size_t count = item_count(transform, shape);
  value.shape = item_shape(transform, shape);
  std::optional<Violation> first;
  for (std::size_t i = 0; i < count; ++i, value.value += value.shape.size()) {
    std::optional<Violation> found = check(value);
    if (!found) continue;
    if (first) {
      ++first->count;
    } else {
      first = std::move(found);
      first->item = i;
    }
  }
  if (first && transform.elementwise) place(*first, shape);
  return first;
}

std::string place_in_item(const Violation& violation, Shape shape) {
  if (violation.whole || (shape.rows == 1 && shape.cols == 1)) return {};
  if (shape.cols == 1) return "[" + std::to_string(violation.row + 1) + "]";
  if (shape.rows == 1) return "[" + std::to_string(violation.col + 1) + "]";
  return "[" + std::to_string(violation.row + 1) + ", " + std::to_string(violation.col + 1) + "]";
}

}  // namespace

const TransformDef* find_transform(std::string_view name) {
  for (const TransformDef* transform : kTransforms) {
    if (transform->name == name) return transform;
  }
  return nullptr;
}

std::span<const TransformDef* const> all_transforms() { return kTransforms; }

std::size_t free_size(const TransformDef& transform, Shape shape) {
  return transform.free_size(item_shape(transform, shape)) * item_count(transform, shape);
}

std::size_t scratch_size(const TransformDef& transform, Shape shape) {
  if (transform.scratch_size == nullptr) return 0;
  return transform.scratch_size(item_shape(transform, shape)) * item_count(transform, shape);
}

void constrain(const TransformDef& transform, const TransformCall& call) {
  double ignored = 0;
  TransformCall with_jacobian = call;
  if (call.log_jacobian == nullptr) with_jacobian.log_jacobian = &ignored;
  for_each_item(transform, with_jacobian, [&](const TransformCall& item) { transform.forward(item); });
}

void constrain_backward(const TransformDef& transform, const TransformCall& call) {
  for_each_item(transform, call, [&](const TransformCall& item) { transform.backward(item); });
}

std::optional<Violation> unconstrain(const TransformDef& transform, const ConstrainedValue& value,
                                     double* free) {
  const Check check = transform.check_init != nullptr ? transform.check_init : transform.check;
  if (auto violation = first_violation(transform, check, value)) return violation;
  ConstrainedValue item = value;
  item.shape = item_shape(transform, value.shape);
  const std::size_t step = transform.free_size(item.shape);
  for (std::size_t i = 0; i < item_count(transform, value.shape); ++i) {
    if (std::optional<Violation> violation = transform.unconstrain(item, free)) {
      violation->item = i;
      if (transform.elementwise) place(*violation, value.shape);
      return violation;
    }
    item.value += item.shape.size();
    free += step;
  }
  return {};
}

std::optional<Violation> find_violation(const TransformDef& transform, const ConstrainedValue& value) {
  return first_violation(transform, transform.check, value);
}

std::string describe(const Violation& violation, Shape shape) {
  std::string subject = place_in_item(violation, shape);
  if (shape.count > 1) {
    subject = "item " + std::to_string(violation.item + 1) + (subject.empty() ? "" : " at " + subject);
  } else if (subject.empty()) {
    subject = "the value";
  }
  return subject + " " + violation.what;
}

}  // namespace kullback::math
