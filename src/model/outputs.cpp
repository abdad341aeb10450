// The interpreter is the Tracer with the parameters as constants: nothing is recorded, branches on parameters
// and random numbers are plain. Each draw forgets the numbers of the one before.
#include "model/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>

#include "base/random.hpp"
#include "lang/transform_of.hpp"
#include "lang/visit.hpp"
#include "model/columns.hpp"
#include "model/recorded_outputs.hpp"
#include "model/values.hpp"

namespace kullback::model {

using lang::BlockKind;
using math::Kind;
using tape::Dims;
using tape::Value;

namespace {

constexpr std::array kOutputBlocks = {BlockKind::parameters, BlockKind::transformed_parameters,
                                      BlockKind::generated_quantities};

}  // namespace

struct Outputs::Interpreter {
  explicit Interpreter(const Prepared& prepared)
      : builder(prepared.builder),
        tracer(prepared.program, prepared.sources, builder, {.jacobian = false}),
        constants(builder.constants().size()),
        from_theta(prepared, RecordedOutputs::Input::theta),
        from_params(prepared, RecordedOutputs::Input::params),
        params_only(prepared, RecordedOutputs::Input::theta, RecordedOutputs::Extent::parameters) {
    tracer.set_values(prepared.values);
    for (std::size_t b = 0; b < kOutputBlocks.size(); ++b)
      variables[b] = declared_in(prepared.program, kOutputBlocks[b]);
    for (const lang::Stmt* stmt : prepared.program.block(BlockKind::generated_quantities)) {
      lang::for_each_expr(*stmt, [&](const lang::Expr& expr) {
        if (const auto* ref = expr.as<lang::VariableRef>()) used_by_generated.insert(ref->variable);
      });
    }
  }

  tape::Builder builder;
  tape::Tracer tracer;
  std::size_t constants;  // of data and transformed data
  RecordedOutputs from_theta;
  RecordedOutputs from_params;
  RecordedOutputs params_only;
  std::array<std::vector<const lang::Variable*>, kOutputBlocks.size()> variables;
  std::unordered_set<const lang::Variable*> used_by_generated;
};

Outputs::~Outputs() = default;

Outputs::Outputs(std::shared_ptr<const Prepared> prepared)
    : prepared_(std::move(prepared)), interpreter_(std::make_unique<Interpreter>(*prepared_)) {
  for (std::size_t b = 0; b < kOutputBlocks.size(); ++b) {
    for (const lang::Variable* variable : interpreter_->variables[b])
      append_names(std::string(variable->name), interpreter_->tracer.unset(*variable->declared), names_);
    if (kOutputBlocks[b] == BlockKind::parameters) parameter_columns_ = names_.size();
    if (kOutputBlocks[b] == BlockKind::transformed_parameters) generated_columns_begin_ = names_.size();
  }
}

std::unique_ptr<OutputWriter> Outputs::clone() const { return std::make_unique<Outputs>(prepared_); }

bool Outputs::write(const double* theta, Random& random, double* row) {
  return write_by(interpreter_->from_theta, theta, random, row);
}

bool Outputs::write_params(const double* theta, double* row) {
  message_.clear();
  std::fill_n(row, parameter_columns_, std::numeric_limits<double>::quiet_NaN());
  Interpreter& i = *interpreter_;
  i.builder.start_afresh(i.constants);
  try {
    const bool is_repeated = i.params_only.repeat(theta);
    if (!is_repeated) {
      tape::Ids numbers(i.params_only.input_size());
      for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = i.builder.constant(theta[n]);
      i.params_only.set_parameters_of(i.tracer, numbers);
    }
    for (const lang::Variable* variable : i.variables.front()) {
      row = is_repeated ? append_numbers(i.params_only.get(*variable), i.params_only.builder(), row)
                        : append_numbers(i.tracer.get(*variable), i.builder, row);
    }
  } catch (const tape::Rejection& rejection) {
    message_ = rejection_text(prepared_->sources, rejection);
    return false;
  }
  return true;
}

bool Outputs::write_from_params(const double* params, Random& random, double* row) {
  return write_by(interpreter_->from_params, params, random, row);
}

bool Outputs::write_by(RecordedOutputs& recorded, const double* input, Random& random, double* row) {
  message_.clear();
  std::fill_n(row, names_.size(), std::numeric_limits<double>::quiet_NaN());
  interpreter_->builder.start_afresh(interpreter_->constants);
  interpreter_->tracer.set_random(&random);
  try {
    if (recorded.repeat(input)) {
      finish_recorded(recorded, row);
    } else {
      interpret(recorded, input, row);
    }
  } catch (const tape::Rejection& rejection) {
    message_ = rejection_text(prepared_->sources, rejection);
    return false;
  }
  return true;
}

void Outputs::interpret(const RecordedOutputs& recorded, const double* input, double* row) {
  Interpreter& i = *interpreter_;
  tape::Ids numbers(recorded.input_size());
  for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = i.builder.constant(input[n]);
  for (std::size_t b = 0; b < kOutputBlocks.size(); ++b) {
    if (kOutputBlocks[b] == BlockKind::parameters) {
      recorded.set_parameters_of(i.tracer, numbers);
    } else {
      i.tracer.run(kOutputBlocks[b]);
    }
    for (const lang::Variable* variable : i.variables[b])
      row = append_numbers(i.tracer.get(*variable), i.builder, row);
  }
}

// The record has the parameters, the transformed parameters and the first generated quantities; what needs
// random numbers is interpreted.
void Outputs::finish_recorded(const RecordedOutputs& recorded, double* row) {
  Interpreter& i = *interpreter_;
  const std::size_t first = recorded.recorded_statements();
  const bool complete = first == prepared_->program.block(BlockKind::generated_quantities).size();
  for (std::size_t b = 0; b < kOutputBlocks.size(); ++b) {
    if (kOutputBlocks[b] == BlockKind::generated_quantities && !complete) break;
    for (const lang::Variable* variable : i.variables[b])
      row = append_numbers(recorded.get(*variable), recorded.builder(), row);
  }
  if (complete) return;
  for (const auto& block : i.variables) {
    const bool generated = &block == &i.variables.back();
    for (const lang::Variable* variable : block) {
      const Value& value = recorded.get(*variable);
      if (value.is_set() && (generated || i.used_by_generated.contains(variable)))
        i.tracer.set(*variable, as_constants(value, recorded.builder(), i.builder));
    }
  }
  i.tracer.run_rest(BlockKind::generated_quantities, first);
  for (const lang::Variable* variable : i.variables.back())
    row = append_numbers(i.tracer.get(*variable), i.builder, row);
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
