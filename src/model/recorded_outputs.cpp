#include "model/recorded_outputs.hpp"

#include <algorithm>

#include "lang/visit.hpp"
#include "model/columns.hpp"

namespace kullback::model {

using lang::BlockKind;

namespace {

// A record takes about 100 bytes for each operation; a program that does more is interpreted.
constexpr std::size_t kMostInstructions = 2'000'000;
// After so many failures, and where a quarter of the draws fail, repeating does not pay.
constexpr std::size_t kFailuresAllowed = 16;
constexpr std::size_t kRecordsAllowed = 4;

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

bool RecordedOutputs::repeat(const double* input) {
  if (!tracer_) return records_ < kRecordsAllowed && record(input);
  if (failures_ > kFailuresAllowed && 4 * failures_ > draws_) return false;
  ++draws_;
  if (builder_.replay(input)) return true;
  ++failures_;
  return false;
}

void RecordedOutputs::record_other_blocks() {
  tracer_->run(BlockKind::transformed_parameters);
  if (extent_ == Extent::transformed) return;
  const auto& generated = prepared_.program.block(BlockKind::generated_quantities);
  if (recorded_statements_ == generated.size()) {
    tracer_->run(BlockKind::generated_quantities);
  } else {
    tracer_->run_statements(std::span(generated).first(recorded_statements_));
  }
}

bool RecordedOutputs::record(const double* input) {
  ++records_;
  builder_ = prepared_.builder;
  tracer_.emplace(prepared_.program, prepared_.sources, builder_, tape::TraceOptions{.jacobian = false});
  tracer_->set_values(prepared_.values);
  tape::Ids numbers(input_size_);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = builder_.add_parameter(input[i]);
  try {
    set_parameters_of(*tracer_, numbers);
    if (extent_ != Extent::parameters) record_other_blocks();
  } catch (const tape::Rejection&) {
    tracer_.reset();
    return false;
  }
  if (builder_.instructions().size() > kMostInstructions) {
    tracer_.reset();
    builder_ = {};
    records_ = kRecordsAllowed;
    return false;
  }
  return true;
}

}  // namespace kullback::model
