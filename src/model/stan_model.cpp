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
#include "model/stan_rows.hpp"
#include "model/stan_terms.hpp"
#include "tape/tracer.hpp"
#include "tape/workspace.hpp"

namespace kullback::model {

using density::Batch;
using density::Status;
using math::Kind;
using tape::Value;

namespace {

constexpr std::uint64_t kTransformedDataSeed = 0;

Value to_value(const DataValue& data, const math::Type& type, tape::Builder& builder) {
  Value value;
  value.type = type;
  value.dims.assign(data.dims.begin(), data.dims.end());
  if (type.kind == Kind::tuple) {
    // Slots come as arrays over all tuples; a traced value is a tuple of slots each.
    throw Error(ErrorKind::bad_input, "tuples in the data are not supported by this version's engine.");
  }
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

Value with_rows(Value value, tape::Builder& builder) {
  std::vector<tape::RowTag> tags(value.size());
  for (std::size_t i = 0; i < tags.size(); ++i) tags[i] = tape::RowTag::of(row_of(value.type, value.dims, i));
  if (value.ints) {
    tape::change_tags(value) = tags;
  } else {
    tape::change_ids(value) = builder.tagged(*value.ids, tags);
  }
  return value;
}

void set_data(tape::Tracer& tracer, const lang::Program& program, const BoundData& data,
              const RowData* rows = nullptr) {
  for (const lang::Stmt* stmt : program.block(lang::BlockKind::data)) {
    const lang::Variable& variable = *stmt->as<lang::Declare>()->variable;
    Value value = to_value(*data.find(variable), *variable.type, tracer.builder());
    if (rows != nullptr && rows->contains(variable)) value = with_rows(std::move(value), tracer.builder());
    tracer.set(variable, std::move(value));
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

struct StanModel::Following {
  const RowData* rows = nullptr;
  std::span<const tape::RowTag> parameter_tags;
  StanRows::Ranges* ranges = nullptr;
};

// False where the program rejects the point (the message says why).
bool StanModel::record(tape::Builder& builder, const Point& at, const Following* following,
                       std::string& message) {
  if (following != nullptr) builder.track_rows(following->rows->count);
  tape::Ids free(dim_);
  for (std::size_t i = 0; i < dim_; ++i) {
    free[i] = builder.add_parameter(at.theta[i * at.lanes + at.lane]);
    if (following != nullptr) builder.tag_parameter(free[i], following->parameter_tags[i]);
  }
  Random random(kTransformedDataSeed);
  tape::Tracer tracer(program_, sources_, builder, {options_.normalized, options_.jacobian}, &random);
  set_data(tracer, program_, data_, following != nullptr ? following->rows : nullptr);
  try {
    tracer.run(lang::BlockKind::transformed_data);
    tracer.declare_parameters(free);
    tracer.run(lang::BlockKind::transformed_parameters);
    tracer.run(lang::BlockKind::model);
  } catch (const tape::Rejection& r) {
    const Position p = sources_.position(r.span.file, r.span.begin);
    message = std::string(sources_.name(r.span.file)) + ":" + std::to_string(p.line) + ":" +
              std::to_string(p.column) + ": " + r.message;
    return false;
  }
  if (following != nullptr) *following->ranges = tracer.parameter_ranges();
  return true;
}

bool StanModel::trace(const double* theta, std::size_t lanes, std::size_t lane,
                      std::shared_ptr<const tape::Tape>& tape) {
  tape::Builder builder;
  if (!record(builder, {theta, lanes, lane}, nullptr, message_)) return false;
  tape = tape::compile(builder);
  return true;
}

StanRows& StanModel::stan_rows() {
  if (!rows_) {
    const auto record_rows = [this](tape::Builder& builder, const StanRows::Request& request,
                                    StanRows::Ranges& ranges, std::string& message) {
      const Following following{request.rows, request.parameter_tags, &ranges};
      return record(builder, {request.theta, 1, 0}, &following, message);
    };
    rows_ = std::make_unique<StanRows>(sources_, find_row_data(program_, data_, options_.rows), dim_,
                                       record_rows);
  }
  return *rows_;
}

density::Rows* StanModel::rows() { return &stan_rows(); }
std::string StanModel::describe_rows() { return stan_rows().describe(); }

density::Terms* StanModel::terms() {
  if (!terms_) {
    terms_ = std::make_unique<StanTerms>(
        dim_, [this](tape::Builder& builder, const double* theta, std::string& message) {
          return record(builder, {theta, 1, 0}, nullptr, message);
        });
  }
  return terms_.get();
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
  if (rows_ && rows_->is_chosen()) return rows_->evaluate(batch, message_);
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
