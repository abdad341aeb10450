// The interpreter is the Tracer with the parameters as constants: nothing is recorded, branches on parameters
// and random numbers are plain. Each draw forgets the numbers of the one before.
#include "model/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/random.hpp"
#include "lang/transform_of.hpp"

namespace kullback::model {

using lang::BlockKind;
using math::Kind;
using tape::Dims;
using tape::Value;

namespace {

constexpr std::array kOutputBlocks = {BlockKind::parameters, BlockKind::transformed_parameters,
                                      BlockKind::generated_quantities};

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

std::vector<const lang::Variable*> declared_in(const lang::Program& program, BlockKind block) {
  std::vector<const lang::Variable*> variables;
  for (const lang::Stmt* stmt : program.block(block)) {
    if (const auto* declare = stmt->as<lang::Declare>()) variables.push_back(declare->variable);
  }
  return variables;
}

}  // namespace

struct Outputs::Interpreter {
  explicit Interpreter(const Prepared& prepared)
      : builder(prepared.builder),
        tracer(prepared.program, prepared.sources, builder, {.jacobian = false}),
        constants(builder.constants().size()) {
    tracer.set_values(prepared.values);
  }

  tape::Builder builder;
  tape::Tracer tracer;
  std::size_t constants;  // of data and transformed data
  tape::Ids free;
};

Outputs::~Outputs() = default;

Outputs::Outputs(std::shared_ptr<const Prepared> prepared)
    : prepared_(std::move(prepared)), interpreter_(std::make_unique<Interpreter>(*prepared_)) {
  for (const BlockKind block : kOutputBlocks) {
    for (const lang::Variable* variable : declared_in(prepared_->program, block)) {
      append_names(std::string(variable->name), interpreter_->tracer.unset(*variable->declared), names_);
    }
  }
}

bool Outputs::write(const double* theta, Random& random, double* row) {
  Interpreter& i = *interpreter_;
  message_.clear();
  std::fill_n(row, names_.size(), std::numeric_limits<double>::quiet_NaN());
  i.builder.start_afresh(i.constants);
  i.tracer.set_random(&random);
  i.free.resize(prepared_->dim);
  for (std::size_t n = 0; n < prepared_->dim; ++n) i.free[n] = i.builder.constant(theta[n]);
  try {
    for (const BlockKind block : kOutputBlocks) {
      if (block == BlockKind::parameters) {
        i.tracer.declare_parameters(i.free);
      } else {
        i.tracer.run(block);
      }
      for (const lang::Stmt* stmt : prepared_->program.block(block)) {
        if (const auto* declare = stmt->as<lang::Declare>())
          row = append_numbers(i.tracer.get(*declare->variable), i.builder, row);
      }
    }
  } catch (const tape::Rejection& rejection) {
    message_ = rejection_text(prepared_->sources, rejection);
    return false;
  }
  return true;
}

// ---- unconstrained coordinates ----

namespace {

std::string bracketed(const std::string& name, const Dims& index) {
  if (index.empty()) return name;
  std::string text;
  for (const std::size_t i : index) text += (text.empty() ? "[" : ", ") + std::to_string(i + 1);
  return name + text + "]";
}

Dims array_index(std::size_t item, std::span<const std::size_t> dims) {
  Dims index(dims.size());
  for (std::size_t d = dims.size(); d-- > 0;) {
    index[d] = item % dims[d];
    item /= dims[d];
  }
  return index;
}

void append_coordinates(const std::string& name, const lang::SizedType& type, const Value& value,
                        std::vector<std::string>& names) {
  if (type.type->kind == Kind::tuple) {
    if (value.type.array_rank > 0) {
      for (std::size_t i = 0; i < value.parts->size(); ++i)
        append_coordinates(bracketed(name, array_index(i, value.dims)), type, (*value.parts)[i], names);
    } else {
      for (std::size_t s = 0; s < type.elements.size(); ++s)
        append_coordinates(fmt::format("{}.{}", name, s + 1), *type.elements[s], (*value.parts)[s], names);
    }
    return;
  }
  const std::size_t rank = value.array_rank();
  const std::span<const std::size_t> arrays = std::span(value.dims).first(rank);
  const Dims inner(value.dims.begin() + static_cast<std::ptrdiff_t>(rank), value.dims.end());
  math::Shape shape;
  if (!inner.empty()) shape.rows = inner.front();
  if (inner.size() == 2) shape.cols = inner.back();
  const math::TransformDef& transform = lang::transform_of(type);
  const std::size_t free = math::free_size(transform, shape);
  std::size_t items = 1;
  for (const std::size_t dim : arrays) items *= dim;
  for (std::size_t item = 0; item < items; ++item) {
    for (std::size_t k = 0; k < free; ++k) {
      Dims index = array_index(item, arrays);
      if (inner.size() == 2 && transform.elementwise) {
        index.push_back(k % shape.rows);
        index.push_back(k / shape.rows);
      } else if (!inner.empty()) {
        index.push_back(k);
      }
      names.push_back(bracketed(name, index));
    }
  }
}

}  // namespace

std::vector<std::string> coordinate_names(const Prepared& prepared) {
  tape::Builder builder = prepared.builder;
  tape::Tracer tracer(prepared.program, prepared.sources, builder);
  tracer.set_values(prepared.values);
  std::vector<std::string> names;
  for (const lang::Variable* variable : declared_in(prepared.program, BlockKind::parameters)) {
    append_coordinates(std::string(variable->name), *variable->declared, tracer.unset(*variable->declared),
                       names);
  }
  return names;
}

}  // namespace kullback::model
