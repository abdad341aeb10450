#include "model/columns.hpp"

#include <fmt/format.h>

namespace kullback::model {

using math::Kind;
using tape::Dims;
using tape::Value;

namespace {

// fn(index, position) for each element: the first index runs fastest; position is that in the value's
// numbers.
template <class Fn>
void for_each_by_columns(const Dims& dims, std::size_t array_rank, Fn&& fn) {
  const std::size_t rank = dims.size();
  Dims strides(rank, 1);
  std::size_t step = 1;
  for (std::size_t d = array_rank; d < rank; ++d) {  // matrices are stored by columns
    strides[d] = step;
    step *= dims[d];
  }
  for (std::size_t d = array_rank; d-- > 0;) {  // arrays with the last index fastest
    strides[d] = step;
    step *= dims[d];
  }
  Dims index(rank, 0);
  std::size_t position = 0;
  for (std::size_t n = tape::product(dims); n > 0; --n) {
    fn(index, position);
    for (std::size_t d = 0; d < rank; ++d) {
      position += strides[d];
      if (++index[d] < dims[d]) break;
      position -= dims[d] * strides[d];
      index[d] = 0;
    }
  }
}

std::string dotted(std::string name, const Dims& index) {
  for (const std::size_t i : index) name += "." + std::to_string(i + 1);
  return name;
}

}  // namespace

std::size_t count_columns(const Value& value) {
  if (!value.parts) return value.size() * (value.type.is_complex() ? 2 : 1);
  std::size_t count = 0;
  for (const Value& part : *value.parts) count += count_columns(part);
  return count;
}

void append_names(const std::string& name, const Value& value, std::vector<std::string>& names) {
  if (value.type.kind == Kind::tuple && value.type.array_rank == 0) {
    for (std::size_t s = 0; s < value.parts->size(); ++s)
      append_names(fmt::format("{}:{}", name, s + 1), (*value.parts)[s], names);
    return;
  }
  for_each_by_columns(value.dims, value.array_rank(), [&](const Dims& index, std::size_t position) {
    const std::string element = dotted(name, index);
    if (value.parts) {
      append_names(element, (*value.parts)[position], names);
    } else if (value.type.is_complex()) {
      names.push_back(element + ".real");
      names.push_back(element + ".imag");
    } else {
      names.push_back(element);
    }
  });
}

double* append_numbers(const Value& value, const tape::Builder& builder, double* to) {
  if (value.type.kind == Kind::tuple && value.type.array_rank == 0) {
    for (const Value& part : *value.parts) to = append_numbers(part, builder, to);
    return to;
  }
  for_each_by_columns(value.dims, value.array_rank(), [&](const Dims&, std::size_t position) {
    if (value.parts) {
      to = append_numbers((*value.parts)[position], builder, to);
    } else if (value.ints) {
      *to++ = (*value.ints)[position];
    } else if (value.type.is_complex()) {
      *to++ = builder.value((*value.ids)[2 * position]);
      *to++ = builder.value((*value.ids)[2 * position + 1]);
    } else {
      *to++ = builder.value((*value.ids)[position]);
    }
  });
  return to;
}

void fill_numbers(Value& value, std::span<const tape::Id> numbers, std::size_t& used) {
  if (value.type.kind == Kind::tuple && value.type.array_rank == 0) {
    for (Value& part : tape::change_parts(value)) fill_numbers(part, numbers, used);
    return;
  }
  for_each_by_columns(value.dims, value.array_rank(), [&](const Dims&, std::size_t position) {
    if (value.parts) {
      fill_numbers(tape::change_parts(value)[position], numbers, used);
    } else if (value.type.is_complex()) {
      tape::change_ids(value)[2 * position] = numbers[used++];
      tape::change_ids(value)[2 * position + 1] = numbers[used++];
    } else {
      tape::change_ids(value)[position] = numbers[used++];
    }
  });
}

std::vector<const lang::Variable*> declared_in(const lang::Program& program, lang::BlockKind block) {
  std::vector<const lang::Variable*> variables;
  for (const lang::Stmt* stmt : program.block(block)) {
    if (const auto* declare = stmt->as<lang::Declare>()) variables.push_back(declare->variable);
  }
  return variables;
}

void set_parameters(tape::Tracer& tracer, std::span<const tape::Id> columns) {
  std::size_t used = 0;
  for (const lang::Variable* variable : declared_in(tracer.program(), lang::BlockKind::parameters)) {
    Value value = tracer.unset(*variable->declared);
    fill_numbers(value, columns, used);
    tracer.set(*variable, std::move(value));
  }
}

}  // namespace kullback::model
