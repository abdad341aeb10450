// The interpreter is the Tracer with the parameters as constants: nothing is recorded, branches on parameters
// and random numbers are plain. Each draw forgets the numbers of the one before.
#include "model/outputs.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>

#include "base/random.hpp"
#include "lang/visit.hpp"
#include "model/columns.hpp"
#include "model/recorded_outputs.hpp"
#include "model/values.hpp"

namespace kullback::model {

using lang::BlockKind;
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
        params_only(prepared, RecordedOutputs::Input::theta, RecordedOutputs::Extent::parameters),
        without_generated(prepared, RecordedOutputs::Input::theta, RecordedOutputs::Extent::transformed) {
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
  RecordedOutputs without_generated;
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
  std::fill_n(row, parameter_columns_, std::numeric_limits<double>::quiet_NaN());
  return write_first_blocks(interpreter_->params_only, theta, row);
}

bool Outputs::write_transformed(const double* theta, double* row) {
  std::fill_n(row, generated_columns_begin_, std::numeric_limits<double>::quiet_NaN());
  return write_first_blocks(interpreter_->without_generated, theta, row);
}

bool Outputs::write_first_blocks(RecordedOutputs& recorded, const double* theta, double* row) {
  message_.clear();
  Interpreter& i = *interpreter_;
  i.builder.start_afresh(i.constants);
  i.tracer.set_random(nullptr);
  const std::size_t blocks = &recorded == &i.params_only ? 1 : 2;
  try {
    const bool is_repeated = recorded.repeat(theta);
    tape::Ids numbers(is_repeated ? 0 : recorded.input_size());
    for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = i.builder.constant(theta[n]);
    for (std::size_t b = 0; b < blocks; ++b) {
      if (!is_repeated) run_block(recorded, kOutputBlocks[b], numbers);
      for (const lang::Variable* variable : i.variables[b]) {
        row = is_repeated ? append_numbers(recorded.get(*variable), recorded.builder(), row)
                          : append_numbers(i.tracer.get(*variable), i.builder, row);
      }
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

void Outputs::run_block(const RecordedOutputs& recorded, BlockKind block, const tape::Ids& numbers) {
  if (block == BlockKind::parameters) {
    recorded.set_parameters_of(interpreter_->tracer, numbers);
  } else {
    interpreter_->tracer.run(block);
  }
}

void Outputs::interpret(const RecordedOutputs& recorded, const double* input, double* row) {
  Interpreter& i = *interpreter_;
  tape::Ids numbers(recorded.input_size());
  for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = i.builder.constant(input[n]);
  for (std::size_t b = 0; b < kOutputBlocks.size(); ++b) {
    run_block(recorded, kOutputBlocks[b], numbers);
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

}  // namespace kullback::model
