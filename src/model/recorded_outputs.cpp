#include "model/recorded_outputs.hpp"

#include <algorithm>

#include "base/memory.hpp"
#include "lang/visit.hpp"
#include "model/columns.hpp"

namespace kullback::model {

using lang::BlockKind;

namespace {

// A record takes about 100 bytes for each operation; a program that does more is interpreted.
constexpr std::size_t kMostInstructions = 2'000'000;
// After so many draws that no record could repeat, and where they are a quarter of all, recording does not
// pay.
constexpr std::size_t kFailuresAllowed = 1000;

bool needs_random(const lang::Stmt& stmt) {
  bool found = false;
  lang::for_each_expr(stmt, [&](const lang::Expr& expr) {
    const auto* call = expr.as<lang::Call>();
    found = found || (call != nullptr && call->name.ends_with("_rng"));
  });
  return found;
}

}  // namespace

RecordedOutputs::RecordedOutputs(const Prepared& prepared, Input input, Extent extent)
    : prepared_(prepared),
      input_(input),
      extent_(extent),
      input_size_(input == Input::theta ? prepared.dim : prepared.parameter_columns) {
  const auto& statements = prepared.program.block(BlockKind::generated_quantities);
  const auto first = std::find_if(statements.begin(), statements.end(),
                                  [](const lang::Stmt* stmt) { return needs_random(*stmt); });
  recorded_statements_ = static_cast<std::size_t>(first - statements.begin());
}

void RecordedOutputs::set_parameters_of(tape::Tracer& tracer, const tape::Ids& input) const {
  if (input_ == Input::theta) {
    tracer.declare_parameters(input);
  } else {
    set_parameters(tracer, input);
  }
}

RecordedOutputs::Recorded::Recorded(const Prepared& prepared)
    : builder(prepared.builder),
      tracer(prepared.program, prepared.sources, builder, tape::TraceOptions{.jacobian = false}) {
  tracer.set_values(prepared.values);
}

bool RecordedOutputs::repeat(const double* input) {
  if (is_too_large_ || (failures_ > kFailuresAllowed && 4 * failures_ > draws_)) return false;
  ++draws_;
  if (auto known = records_.find(input)) {
    current_ = std::move(known);
    return current_->builder.replay(input);
  }
  ++failures_;
  return record(input);
}

void RecordedOutputs::record_other_blocks(tape::Tracer& tracer) const {
  tracer.run(BlockKind::transformed_parameters);
  if (extent_ == Extent::transformed) return;
  const auto& generated = prepared_.program.block(BlockKind::generated_quantities);
  if (recorded_statements_ == generated.size()) {
    tracer.run(BlockKind::generated_quantities);
  } else {
    tracer.run_statements(std::span(generated).first(recorded_statements_));
  }
}

bool RecordedOutputs::record(const double* input) {
  auto recorded = std::make_shared<Recorded>(prepared_);
  tape::Ids numbers(input_size_);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = recorded->builder.add_parameter(input[i]);
  try {
    set_parameters_of(recorded->tracer, numbers);
    if (extent_ != Extent::parameters) record_other_blocks(recorded->tracer);
  } catch (const tape::Rejection&) {
    return false;
  }
  is_too_large_ = recorded->builder.instructions().size() > kMostInstructions;
  if (is_too_large_) return false;
  current_ = records_.find_or_add(recorded->builder, available_memory() / kBranchShare,
                                  [&] { return std::pair(recorded, recorded->builder.bytes()); });
  return current_ == recorded || current_->builder.replay(input);
}

}  // namespace kullback::model
