// The first evaluation traces the program; later ones replay the tape. Where a comparison with parameters
// comes out differently than when it was traced, that draw is traced on its own: the tape never answers for
// another program.
#include "model/stan_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "base/random.hpp"
#include "lang/visit.hpp"
#include "tape/tracer.hpp"
#include "tape/workspace.hpp"

namespace kullback::model {

using density::Batch;
using density::Status;
using math::Kind;
using tape::Value;

namespace {

constexpr std::uint64_t kTransformedDataSeed = 0;

// Item k of `count` along the first `rank` dimensions.
DataValue item_of(const DataValue& values, std::size_t k, std::size_t count, std::size_t rank) {
  DataValue item;
  item.kind = values.kind;
  item.dims.assign(values.dims.begin() + static_cast<long>(rank), values.dims.end());
  const std::size_t width = values.numbers.size() / count;
  const auto first = values.numbers.begin() + static_cast<long>(k * width);
  item.numbers.assign(first, first + static_cast<long>(width));
  for (const DataValue& slot : values.slots) item.slots.push_back(item_of(slot, k, count, rank));
  return item;
}

Value to_value(const DataValue& data, const math::Type& type, tape::Builder& builder);

// Slots come as arrays over all tuples; a traced value is an array of tuples of slots.
Value tuples_to_value(const DataValue& data, const math::Type& type, tape::Builder& builder) {
  std::vector<Value> tuples;
  const std::size_t count = element_count(data.dims);
  for (std::size_t k = 0; k < count; ++k) {
    Value tuple;
    tuple.type = type;
    tuple.type.array_rank = 0;
    for (std::size_t i = 0; i < data.slots.size(); ++i) {
      const DataValue slot = item_of(data.slots[i], k, count, data.dims.size());
      tape::change_parts(tuple).push_back(to_value(slot, (*type.elements)[i], builder));
    }
    tuples.push_back(std::move(tuple));
  }
  if (type.array_rank == 0) return tuples.front();
  Value value;
  value.type = type;
  value.dims.assign(data.dims.begin(), data.dims.end());
  tape::change_parts(value) = std::move(tuples);
  return value;
}

Value to_value(const DataValue& data, const math::Type& type, tape::Builder& builder) {
  if (type.kind == Kind::tuple) return tuples_to_value(data, type, builder);
  Value value;
  value.type = type;
  value.dims.assign(data.dims.begin(), data.dims.end());
  if (type.is_int()) {
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

void set_data(tape::Tracer& tracer, const lang::Program& program, const BoundData& data) {
  for (const lang::Stmt* stmt : program.block(lang::BlockKind::data)) {
    const lang::Variable& variable = *stmt->as<lang::Declare>()->variable;
    tracer.set(variable, to_value(*data.find(variable), *variable.type, tracer.builder()));
  }
}

}  // namespace

struct StanModel::Lanes {
  std::size_t count = 0;
  tape::Workspace workspace;
};

StanModel::~StanModel() = default;

StanModel::StanModel(const lang::Program& program, const SourceMap& sources, Data data,
                     StanModelOptions options)
    : program_(program), sources_(sources), options_(options) {
  const Evaluate evaluate = [&](const lang::Expr& expression, const BoundData& so_far) {
    tape::Builder builder;
    tape::Tracer tracer(program, sources, builder);
    lang::for_each_expr(expression, [&](const lang::Expr& e) {
      const auto* ref = e.as<lang::VariableRef>();
      const DataValue* known = ref != nullptr ? so_far.find(*ref->variable) : nullptr;
      if (known != nullptr) tracer.set(*ref->variable, to_value(*known, *ref->variable->type, builder));
    });
    return to_data(tracer.eval(expression), builder);
  };
  CheckedData checked = check_data(program, std::move(data), sources, evaluate);
  if (auto error = data_error(checked.diagnostics)) throw Error(*error);
  data_ = std::move(checked.values);
  warnings_ = std::move(checked.diagnostics);
  tape::Builder builder;
  Random random(kTransformedDataSeed);
  tape::Tracer tracer(program, sources, builder, {}, &random);
  set_data(tracer, program, data_);
  try {
    tracer.run(lang::BlockKind::transformed_data);
    dim_ = tracer.count_free_parameters();
  } catch (const tape::Rejection& r) {
    const Position p = sources.position(r.span.file, r.span.begin);
    throw Error(ErrorKind::bad_input, std::string(sources.name(r.span.file)) + ":" + std::to_string(p.line) +
                                          ":" + std::to_string(p.column) + ": " + r.message);
  }
}

// False where the program rejects the point (message_ says why).
bool StanModel::trace(const double* theta, std::size_t lanes, std::size_t lane,
                      std::shared_ptr<const tape::Tape>& tape) {
  tape::Builder builder;
  tape::Ids free(dim_);
  for (std::size_t i = 0; i < dim_; ++i) free[i] = builder.add_parameter(theta[i * lanes + lane]);
  Random random(kTransformedDataSeed);
  tape::Tracer tracer(program_, sources_, builder, {options_.normalized, options_.jacobian}, &random);
  set_data(tracer, program_, data_);
  try {
    tracer.run(lang::BlockKind::transformed_data);
    tracer.declare_parameters(free);
    tracer.run(lang::BlockKind::transformed_parameters);
    tracer.run(lang::BlockKind::model);
  } catch (const tape::Rejection& r) {
    const Position p = sources_.position(r.span.file, r.span.begin);
    message_ = std::string(sources_.name(r.span.file)) + ":" + std::to_string(p.line) + ":" +
               std::to_string(p.column) + ": " + r.message;
    return false;
  }
  tape = tape::compile(builder);
  return true;
}

StanModel::Lanes& StanModel::workspace(std::size_t lanes) {
  for (const auto& known : workspaces_) {
    if (known->count == lanes) return *known;
  }
  workspaces_.push_back(std::unique_ptr<Lanes>(new Lanes{lanes, tape::Workspace(tape_, lanes)}));
  return *workspaces_.back();
}

namespace {

Status status_of(double log_density) { return std::isfinite(log_density) ? Status::ok : Status::not_finite; }

}  // namespace

void StanModel::evaluate_alone(const Batch& batch, std::size_t lane) {
  batch.log_density[lane] = -std::numeric_limits<double>::infinity();
  batch.status[lane] = Status::rejected;
  std::shared_ptr<const tape::Tape> own;
  if (!trace(batch.theta, batch.lanes, lane, own)) return;
  tape::Workspace workspace(own, 1);
  std::vector<double> theta(dim_);
  for (std::size_t i = 0; i < dim_; ++i) theta[i] = batch.theta[i * batch.lanes + lane];
  if (!workspace.forward(theta.data())) {
    message_ = workspace.message();
    return;
  }
  workspace.log_density(&batch.log_density[lane]);
  batch.status[lane] = status_of(batch.log_density[lane]);
  if (batch.gradient == nullptr) return;
  std::vector<double> gradient(dim_);
  workspace.backward(gradient.data());
  for (std::size_t i = 0; i < dim_; ++i) batch.gradient[i * batch.lanes + lane] = gradient[i];
}

void StanModel::evaluate(const Batch& batch) {
  message_.clear();
  if (!tape_) {
    for (std::size_t lane = 0; lane < batch.lanes && !tape_; ++lane)
      trace(batch.theta, batch.lanes, lane, tape_);
    if (!tape_) {
      std::fill_n(batch.log_density, batch.lanes, -std::numeric_limits<double>::infinity());
      std::fill_n(batch.status, batch.lanes, Status::rejected);
      return;
    }
  }
  tape::Workspace& all = workspace(batch.lanes).workspace;
  if (!all.forward(batch.theta)) {  // some lane was refused: each on its own
    for (std::size_t lane = 0; lane < batch.lanes; ++lane) evaluate_alone(batch, lane);
    return;
  }
  all.log_density(batch.log_density);
  if (batch.gradient != nullptr) all.backward(batch.gradient);
  for (std::size_t lane = 0; lane < batch.lanes; ++lane) {
    if (all.guards_hold(lane)) {
      batch.status[lane] = status_of(batch.log_density[lane]);
    } else {
      evaluate_alone(batch, lane);
    }
  }
}

}  // namespace kullback::model
