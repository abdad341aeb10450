#include "model/values.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kullback::model {

using math::Kind;
using math::Type;
using tape::Value;

namespace {

// From so many numbers on a variable's constants are a piece of memory of their own.
constexpr std::size_t kManyNumbers = 1024;

}  // namespace

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

Value to_value(DataValue data, const Type& type, tape::Builder& builder) {
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
        parts.push_back(to_value(std::move(data.slots[s]), (*type.elements)[s], builder));
    }
  } else if (type.is_int()) {
    std::vector<int>& ints = tape::change_ints(value);
    ints.reserve(data.numbers.size());
    for (const double number : data.numbers) ints.push_back(static_cast<int>(number));
  } else if (data.numbers.size() >= kManyNumbers) {
    tape::change_ids(value) = builder.shared_constants(std::move(data.numbers));
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

Value in_place(const Value& value, const tape::Builder& from, tape::Builder& to) {
  Value copy = value;
  if (value.ids && value.ids->size() >= kManyNumbers) {
    if (const auto first = to.share_constants_of(from, *value.ids)) {
      if (*first != value.ids->front()) {
        tape::Ids& ids = tape::change_ids(copy);
        std::iota(ids.begin(), ids.end(), *first);
      }
      return copy;
    }
    std::vector<double> numbers(value.ids->size());
    std::transform(value.ids->begin(), value.ids->end(), numbers.begin(),
                   [&](tape::Id id) { return from.value(id); });
    copy.ids = std::make_shared<tape::Ids>(to.shared_constants(std::move(numbers)));
  } else if (value.ids) {
    for (tape::Id& id : tape::change_ids(copy)) id = to.constant(from.value(id));
  }
  if (value.parts) {
    for (Value& part : tape::change_parts(copy)) part = in_place(part, from, to);
  }
  return copy;
}

namespace {

// Columns of matrices together, as on the tape, to rows together, as in a file; `unit` numbers make an
// element.
std::vector<double> by_rows(const std::vector<double>& numbers, std::size_t rows, std::size_t cols,
                            std::size_t unit) {
  const std::size_t per_item = rows * cols * unit;
  if (per_item == 0) return numbers;
  std::vector<double> result(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t element = i % per_item / unit;
    const std::size_t to = element % rows * cols + element / rows;
    result[i - i % per_item + to * unit + i % unit] = numbers[i];
  }
  return result;
}

void put_before(const tape::Dims& outer, DataValue& value) {
  value.dims.insert(value.dims.begin(), outer.begin(), outer.end());
  for (DataValue& slot : value.slots) put_before(outer, slot);
}

void append(const DataValue& more, DataValue& to) {
  to.numbers.insert(to.numbers.end(), more.numbers.begin(), more.numbers.end());
  for (std::size_t s = 0; s < more.slots.size(); ++s) append(more.slots[s], to.slots[s]);
}

DataValue tuple_to_file(const Value& value, const tape::Builder& builder) {
  DataValue data;
  data.kind = DataKind::tuple;
  if (value.type.array_rank == 0) {
    for (const Value& part : *value.parts) data.slots.push_back(to_file_value(part, builder));
    return data;
  }
  for (const Value& tuple : *value.parts) {
    DataValue one = tuple_to_file(tuple, builder);
    if (data.slots.empty()) {
      data.slots = std::move(one.slots);
    } else {
      append(one, data);
    }
  }
  if (value.parts->empty()) data.slots.resize(value.type.elements->size());
  put_before(value.dims, data);
  return data;
}

}  // namespace

DataValue to_file_value(const Value& value, const tape::Builder& builder) {
  if (value.type.kind == Kind::tuple) return tuple_to_file(value, builder);
  DataValue data = to_data(value, builder);
  const std::size_t rank = value.dims.size();
  const std::size_t unit = value.type.is_complex() ? 2 : 1;
  if (value.type.kind == Kind::matrix || value.type.kind == Kind::complex_matrix)
    data.numbers = by_rows(data.numbers, value.dims[rank - 2], value.dims[rank - 1], unit);
  if (unit == 2) data.dims.push_back(2);
  return data;
}

void copy_file_numbers(const Value& value, const tape::Builder& builder, std::size_t first,
                       std::span<double> to) {
  const std::size_t rank = value.dims.size();
  const std::size_t unit = value.type.is_complex() ? 2 : 1;
  const bool is_matrix = value.type.kind == Kind::matrix || value.type.kind == Kind::complex_matrix;
  const std::size_t rows = is_matrix ? value.dims[rank - 2] : 1;
  const std::size_t cols = is_matrix ? value.dims[rank - 1] : 1;
  const std::size_t per_item = rows * cols * unit;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t at = first + i;
    const std::size_t element = at % per_item / unit;
    const std::size_t place =
        at - at % per_item + (element % cols * rows + element / cols) * unit + at % unit;
    to[i] = value.ints ? static_cast<double>((*value.ints)[place]) : builder.value((*value.ids)[place]);
  }
}

}  // namespace kullback::model
