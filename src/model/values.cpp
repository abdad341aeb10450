#include "model/values.hpp"

namespace kullback::model {

using math::Kind;
using math::Type;
using tape::Value;

DataValue item_of(const DataValue& data, std::size_t rank, std::size_t i, std::size_t count) {
  DataValue item;
  item.kind = data.kind;
  item.dims.assign(data.dims.begin() + static_cast<std::ptrdiff_t>(rank), data.dims.end());
  const std::size_t size = data.numbers.size() / count;
  const auto first = data.numbers.begin() + static_cast<std::ptrdiff_t>(i * size);
  item.numbers.assign(first, first + static_cast<std::ptrdiff_t>(size));
  for (const DataValue& slot : data.slots) item.slots.push_back(item_of(slot, rank, i, count));
  return item;
}

Value to_value(const DataValue& data, const Type& type, tape::Builder& builder) {
  Value value;
  value.type = type;
  value.dims.assign(data.dims.begin(), data.dims.end());
  if (type.kind == Kind::tuple) {
    std::vector<Value>& parts = tape::change_parts(value);
    if (type.array_rank > 0) {
      const Type one = Type{type.kind, 0, type.elements};
      const std::size_t count = value.size();
      for (std::size_t i = 0; i < count; ++i)
        parts.push_back(to_value(item_of(data, type.array_rank, i, count), one, builder));
    } else {
      for (std::size_t s = 0; s < data.slots.size(); ++s)
        parts.push_back(to_value(data.slots[s], (*type.elements)[s], builder));
    }
  } else if (type.is_int()) {
    std::vector<int>& ints = tape::change_ints(value);
    for (const double number : data.numbers) ints.push_back(static_cast<int>(number));
  } else {
    tape::Ids& ids = tape::change_ids(value);
    ids.reserve(data.numbers.size());
    for (const double number : data.numbers) ids.push_back(builder.constant(number));
  }
  return value;
}

DataValue to_data(const Value& value, const tape::Builder& builder) {
  DataValue data;
  data.kind = value.ints ? DataKind::int_ : DataKind::real;
  data.dims.assign(value.dims.begin(), value.dims.end());
  if (value.ints) {
    data.numbers.assign(value.ints->begin(), value.ints->end());
  } else {
    for (const tape::Id id : *value.ids) data.numbers.push_back(builder.value(id));
  }
  return data;
}

Value as_constants(const Value& value, const tape::Builder& from, tape::Builder& to) {
  Value copy = value;
  if (value.ids) {
    for (tape::Id& id : tape::change_ids(copy)) id = to.constant(from.value(id));
  }
  if (value.parts) {
    for (Value& part : tape::change_parts(copy)) part = as_constants(part, from, to);
  }
  return copy;
}

}  // namespace kullback::model
