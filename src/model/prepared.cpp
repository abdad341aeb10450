#include "model/prepared.hpp"

#include <new>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/place.hpp"
#include "base/random.hpp"
#include "lang/visit.hpp"
#include "model/columns.hpp"
#include "model/memory_limit.hpp"
#include "model/values.hpp"

namespace kullback::model {

namespace {

constexpr std::uint32_t kTransformedDataPurpose = 1;  // of the random stream

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

// What was computed on the way to transformed data is left behind; copies of the builder share the rest.
void keep_values(const std::vector<tape::Value>& values, const tape::Builder& builder, Prepared& prepared) {
  for (const tape::Value& value : values)
    prepared.values.push_back(in_place(value, builder, prepared.builder));
  prepared.builder.share_constants();
}

}  // namespace

std::string rejection_text(const SourceMap& sources, const tape::Rejection& rejection) {
  return place_text(sources, rejection.span) + ": " + rejection.message;
}

std::shared_ptr<const Prepared> prepare(const lang::Program& program, const SourceMap& sources, Data data,
                                        std::uint64_t seed, const tape::Printer* printer) {
  CheckedData checked = checked_data(program, sources, std::move(data));
  auto prepared = std::make_shared<Prepared>(Prepared{program, sources, {}, {}, 0, {}, {}, 0});
  prepared->warnings = std::move(checked.diagnostics);
  Random random(seed, 0, kTransformedDataPurpose);
  tape::Builder builder;
  tape::Tracer tracer(program, sources, builder, {}, &random);
  std::optional<tape::PrintHook> hook;
  if (printer != nullptr) tracer.set_hook(&hook.emplace(tracer, *printer));
  for (const lang::Stmt* stmt : program.block(lang::BlockKind::data)) {
    const lang::Variable& variable = *stmt->as<lang::Declare>()->variable;
    tracer.set(variable, to_value(checked.values.take(variable), *variable.type, builder));
  }
  try {
    tracer.run(lang::BlockKind::transformed_data);
    prepared->layout = make_layout(tracer.free_blocks());
    prepared->dim = prepared->layout.supports.size();
    for (const lang::Variable* variable : declared_in(program, lang::BlockKind::parameters))
      prepared->parameter_columns += count_columns(tracer.unset(*variable->declared));
  } catch (const tape::Rejection& rejection) {
    throw Error(ErrorKind::bad_input, rejection_text(sources, rejection), rejection.hint);
  } catch (const std::bad_alloc&) {
    refuse_allocation(builder, sources);
  }
  keep_values(tracer.values(), builder, *prepared);
  return prepared;
}

void run_transformed_data(const Prepared& prepared, tape::Tracer& tracer, std::uint64_t seed,
                          const ChangeData& change) {
  Random random(seed, 0, kTransformedDataPurpose);
  tracer.set_random(&random);
  for (const lang::Stmt* stmt : prepared.program.block(lang::BlockKind::data)) {
    const lang::Variable& variable = *stmt->as<lang::Declare>()->variable;
    tracer.set(variable, change(variable, as_constants(prepared.values[variable.id], prepared.builder,
                                                       tracer.builder())));
  }
  try {
    tracer.run(lang::BlockKind::transformed_data);
  } catch (const tape::Rejection& rejection) {
    throw Error(ErrorKind::bad_input, rejection_text(prepared.sources, rejection), rejection.hint);
  }
  tracer.set_random(nullptr);
}

}  // namespace kullback::model
