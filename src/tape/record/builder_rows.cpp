// Rows of numbers while a program is traced. What is computed belongs to the rows of what it is computed
// from. The tags of slots serve only comparisons, which decide control; the passes behind the trace find them
// anew, with more precision (rows/program.cpp).
#include <array>

#include "tape/record/builder.hpp"

namespace kullback::tape {

RowTag Builder::tag(Id id) const {
  if (!tracks_rows()) return {};
  return is_constant(id) ? constant_tags_[id & ~kConstantBit] : slot_tags_[id];
}

RowTag Builder::tag(std::span<const Id> ids) const {
  RowTag all;
  if (tracks_rows()) {
    for (const Id id : ids) all = join(all, tag(id));
  }
  return all;
}

RowTag Builder::normalized(RowTag tag) const {
  return row_count_ > 1 && tag.low == 0 && tag.high + 1 == row_count_ ? RowTag{} : tag;
}

Id Builder::constant(double value, RowTag tag) {
  const Id id = constant(value);
  if (tracks_rows()) join_tag(id, tag);
  return id;
}

Ids Builder::constants(std::span<const double> values) {
  Ids ids;
  ids.reserve(values.size());
  for (const double value : values) ids.push_back(constant(value));
  return ids;
}

void Builder::join_tag(Id id, RowTag tag) {
  if (is_constant(id)) {
    RowTag& own = constant_tags_[id & ~kConstantBit];
    own = normalized(join(own, tag));
  } else {
    slot_tags_[id] = join(slot_tags_[id], tag);
  }
}

void Builder::tag_elements(const OperandList& operands, const Ids& results) {
  if (!tracks_rows()) return;
  for (std::size_t i = 0; i < results.size(); ++i) {
    RowTag all;
    for (const std::span<const Id> operand : operands)
      all = join(all, tag(operand[operand.size() == 1 ? 0 : i]));
    join_tag(results[i], all);
  }
}

// A constant with a row for each row of the data, made from all of them (the orthogonal factor of a design
// matrix), keeps the rows apart.
void Builder::tag_all(const OperandList& operands, const Ids& results, const math::Shape& shape) {
  if (!tracks_rows()) return;
  RowTag all;
  for (const std::span<const Id> operand : operands) all = join(all, tag(operand));
  if (all.none()) return;
  const bool whole = normalized(all).none();
  for (std::size_t i = 0; i < results.size(); ++i) {
    RowTag own = all;
    if (whole && is_constant(results[i]) && shape.count == row_count_)
      own = RowTag::of(i / (shape.rows * shape.cols));
    if (whole && is_constant(results[i]) && shape.count == 1 && shape.rows == row_count_)
      own = RowTag::of(i % shape.rows);
    join_tag(results[i], own);
  }
}

Ids Builder::tagged(const Ids& ids, std::span<const RowTag> tags) {
  if (!tracks_rows() || tags.empty()) return ids;
  const auto tag_of = [&](std::size_t i) { return tags[tags.size() == 1 ? 0 : i]; };
  Ids out = ids;
  Ids moved;  // slots that get a new row: x + 0
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (tag_of(i).none() || tag(ids[i]) == tag_of(i)) continue;
    if (is_constant(ids[i])) {
      out[i] = constant(value(ids[i]), join(tag(ids[i]), tag_of(i)));
    } else {
      moved.push_back(ids[i]);
      places.push_back(i);
    }
  }
  if (moved.empty()) return out;
  const std::array<Ids, 2> operands{moved, Ids{constant(0)}};
  const Ids same = elementwise(*math::find_elementwise("add"), operands, moved.size());
  for (std::size_t m = 0; m < same.size(); ++m) {
    out[places[m]] = same[m];
    join_tag(same[m], tag_of(places[m]));
    pinned_tags_[same[m]] = join(pinned_tags_[same[m]], tag_of(places[m]));
  }
  return out;
}

void Builder::add_target(Id id) {
  if (!control_.none()) id = tagged({id}, {&control_, 1}).front();
  target_.push_back(id);
  target_spans_.push_back(span_);
}

}  // namespace kullback::tape
