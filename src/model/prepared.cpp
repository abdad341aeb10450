#include "model/prepared.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/place.hpp"
#include "base/random.hpp"
#include "lang/visit.hpp"

namespace kullback::model {

using math::Kind;
using math::Type;
using tape::Value;

namespace {

constexpr std::uint32_t kTransformedDataPurpose = 1;  // of the random stream

// Item i of an array with `count` items and `rank` dimensions; a tuple's slots come as arrays over all
// tuples.
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

CheckedData checked_data(const lang::Program& program, const SourceMap& sources, Data data) {
  const Evaluate evaluate = [&](const lang::Expr& expression, const BoundData& so_far) {
    tape::Builder builder;
    tape::Tracer tracer(program, sources, builder);
    lang::for_each_expr(expression, [&](const lang::Expr& e) {
      const auto* ref = e.as<lang::VariableRef>();
      const DataValue* known = ref != nullptr ? so_far.find(*ref->variable) : nullptr;
      if (known != nullptr) tracer.set(*ref->variable, to_value(*known, *ref->variable->type, builder));
    });
    try {
      return to_data(tracer.eval(expression), builder);
    } catch (const tape::Rejection& rejection) {
      throw Error(ErrorKind::bad_input, rejection.message);
    }
  };
  CheckedData checked = check_data(program, std::move(data), sources, evaluate);
  if (auto error = data_error(checked.diagnostics)) throw Error(*error);
  return checked;
}

Value copied(const Value& value, const tape::Builder& from, tape::Builder& to) {
  Value copy = value;
  if (value.ids) {
    for (tape::Id& id : tape::change_ids(copy)) id = to.constant(from.value(id));
  }
  if (value.parts) {
    for (Value& part : tape::change_parts(copy)) part = copied(part, from, to);
  }
  return copy;
}

}  // namespace

std::string rejection_text(const SourceMap& sources, const tape::Rejection& rejection) {
  return place_text(sources, rejection.span) + ": " + rejection.message;
}

std::shared_ptr<const Prepared> prepare(const lang::Program& program, const SourceMap& sources, Data data,
                                        std::uint64_t seed) {
  CheckedData checked = checked_data(program, sources, std::move(data));
  auto prepared = std::make_shared<Prepared>(Prepared{program, sources, {}, {}, 0, {}, {}});
  prepared->warnings = std::move(checked.diagnostics);
  Random random(seed, 0, kTransformedDataPurpose);
  tape::Tracer tracer(program, sources, prepared->builder, {}, &random);
  for (const lang::Stmt* stmt : program.block(lang::BlockKind::data)) {
    const lang::Variable& variable = *stmt->as<lang::Declare>()->variable;
    tracer.set(variable, to_value(*checked.values.find(variable), *variable.type, prepared->builder));
  }
  try {
    tracer.run(lang::BlockKind::transformed_data);
    prepared->layout = make_layout(tracer.free_blocks());
    prepared->dim = prepared->layout.supports.size();
  } catch (const tape::Rejection& rejection) {
    throw Error(ErrorKind::bad_input, rejection_text(sources, rejection));
  }
  prepared->values = tracer.values();
  return prepared;
}

void run_transformed_data(const Prepared& prepared, tape::Tracer& tracer, std::uint64_t seed,
                          const ChangeData& change) {
  Random random(seed, 0, kTransformedDataPurpose);
  tracer.set_random(&random);
  for (const lang::Stmt* stmt : prepared.program.block(lang::BlockKind::data)) {
    const lang::Variable& variable = *stmt->as<lang::Declare>()->variable;
    tracer.set(variable,
               change(variable, copied(prepared.values[variable.id], prepared.builder, tracer.builder())));
  }
  try {
    tracer.run(lang::BlockKind::transformed_data);
  } catch (const tape::Rejection& rejection) {
    throw Error(ErrorKind::bad_input, rejection_text(prepared.sources, rejection));
  }
  tracer.set_random(nullptr);
}

}  // namespace kullback::model
