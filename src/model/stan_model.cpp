// The first evaluation traces the program; later ones replay the tape. Where a comparison with parameters
// comes out differently than when it was traced, that draw is traced on its own: the tape never answers for
// another program.
#include "model/stan_model.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "base/memory.hpp"
#include "base/place.hpp"
#include "model/memory_limit.hpp"
#include "model/prepared.hpp"
#include "model/row_chunks.hpp"
#include "model/stan_rows.hpp"
#include "model/stan_terms.hpp"
#include "tape/lane_kernels.hpp"
#include "tape/not_finite.hpp"
#include "tape/trace_size.hpp"
#include "tape/tracer.hpp"
#include "tape/workspace.hpp"

namespace kullback::model {

using density::Batch;
using density::Status;

struct StanModel::Lanes {
  std::size_t count = 0;
  tape::Workspace workspace;
};

StanModel::~StanModel() = default;

StanModel::StanModel(const lang::Program& program, const SourceMap& sources, Data data,
                     StanModelOptions options)
    : prepared_(prepare(program, sources, std::move(data), options.seed)), options_(options) {}

StanModel::StanModel(std::shared_ptr<const Prepared> prepared, StanModelOptions options)
    : prepared_(std::move(prepared)), options_(std::move(options)) {}

StanModel::StanModel(const StanModel& other)
    : LogDensity(other),
      prepared_(other.prepared_),
      options_(other.options_),
      tape_(other.tape_),
      width_(other.width_),
      all_packed_(other.all_packed_) {
  if (other.rows_)
    rows_ = std::make_unique<StanRows>(*other.rows_, row_record(), [this] { return memory_limit(); });
}

std::unique_ptr<density::LogDensity> StanModel::clone() const {
  return std::unique_ptr<StanModel>(new StanModel(*this));
}

std::size_t StanModel::dim() const { return prepared_->dim; }
std::span<const density::Block> StanModel::blocks() const { return prepared_->layout.blocks; }
std::span<const density::Support> StanModel::supports() const { return prepared_->layout.supports; }
const Diagnostics& StanModel::data_warnings() const { return prepared_->warnings; }

bool StanModel::trace(const double* theta, tape::Builder& builder) { return trace(theta, builder, message_); }

bool StanModel::trace(const double* theta, tape::Builder& builder, std::string& message) const {
  builder = prepared_->builder;
  builder.set_limit(memory_limit());
  tape::Ids free(dim());
  for (std::size_t i = 0; i < dim(); ++i) free[i] = builder.add_parameter(theta[i]);
  tape::Tracer tracer(prepared_->program, prepared_->sources, builder,
                      {options_.normalized, options_.jacobian});
  tracer.set_values(prepared_->values);
  return run_model(tracer, free, message);
}

bool StanModel::run_model(tape::Tracer& tracer, const tape::Ids& free, std::string& message) const {
  try {
    tracer.declare_parameters(free);
    tracer.run(lang::BlockKind::transformed_parameters);
    tracer.run(lang::BlockKind::model);
  } catch (const tape::Rejection& rejection) {
    message = rejection_text(prepared_->sources, rejection);
    return false;
  } catch (const tape::TraceTooLarge&) {
    refuse_size(tracer.builder(), prepared_->sources, tracer.builder().bytes(), memory_limit());
  }
  return true;
}

std::size_t StanModel::memory_limit() const {
  return options_.max_memory != 0 ? options_.max_memory : available_memory();
}

std::shared_ptr<const tape::Tape> StanModel::compile(tape::Builder builder, std::size_t lanes) const {
  const std::size_t bytes = tape::estimated_bytes(builder, lanes);
  const std::size_t limit = memory_limit();
  if (bytes > limit) refuse_size(builder, prepared_->sources, bytes, limit);
  return tape::compile(std::move(builder));
}

// ---- minibatches and terms ----

// Transformed data are computed again, with the rows of what they are made from.
bool StanModel::trace_rows(const StanRows::Request& request, tape::Builder& builder, StanRows::Ranges& ranges,
                           std::string& message) const {
  builder.set_limit(memory_limit());
  builder.track_rows(request.rows->count);
  tape::Ids free(dim());
  for (std::size_t i = 0; i < dim(); ++i) {
    free[i] = builder.add_parameter(request.theta[i]);
    builder.tag_parameter(free[i], request.parameter_tags[i]);
  }
  tape::Tracer tracer(prepared_->program, prepared_->sources, builder,
                      {options_.normalized, options_.jacobian});
  const auto with_rows = [&](const lang::Variable& variable, tape::Value value) {
    if (!request.rows->contains(variable)) return value;
    std::vector<tape::RowTag> tags(value.size());
    for (std::size_t i = 0; i < tags.size(); ++i)
      tags[i] = tape::RowTag::of(row_of(value.type, value.dims, i));
    return tracer.tagged(std::move(value), tags);
  };
  run_transformed_data(*prepared_, tracer, options_.seed, with_rows);
  if (!run_model(tracer, free, message)) return false;
  ranges = tracer.parameter_ranges();
  return true;
}

StanRows::Record StanModel::row_record() {
  return [this](tape::Builder& builder, const StanRows::Request& request, StanRows::Ranges& ranges,
                std::string& message) { return trace_rows(request, builder, ranges, message); };
}

// What chunks of rows say of all of them, at a point: a program that looks at their number is found out.
bool StanModel::adds_up(StanRows& rows) {
  constexpr std::size_t kBlock = 1024;
  constexpr double kTolerance = 1e-9;
  std::vector<double> theta(dim());
  for (std::size_t i = 0; i < dim(); ++i) theta[i] = 0.1 * std::sin(1.0 + static_cast<double>(i));
  double full = 0;
  Status status = Status::ok;
  evaluate({1, theta.data(), &full, nullptr, &status});
  if (status != Status::ok) return false;
  double sum = 0;
  std::vector<std::uint32_t> block;
  for (std::size_t first = 0; first < rows.count() && status == Status::ok; first += kBlock) {
    block.resize(std::min(kBlock, rows.count() - first));
    std::iota(block.begin(), block.end(), static_cast<std::uint32_t>(first));
    rows.choose(block);
    double value = 0;
    rows.evaluate({1, theta.data(), &value, nullptr, &status}, message_);
    sum += value * static_cast<double>(block.size()) / static_cast<double>(rows.count());
  }
  rows.choose({});
  return status == Status::ok && std::abs(sum - full) <= kTolerance * (1 + std::abs(full));
}

StanRows& StanModel::stan_rows() {
  if (!rows_) {
    RowData data = options_.row_size.empty()
                       ? find_row_data(prepared_->program, prepared_->values, options_.rows)
                       : find_rows_of_size(prepared_->program, prepared_->values, options_.row_size);
    if (!options_.strata.empty()) set_strata(prepared_->program, prepared_->values, options_.strata, data);
    const auto limit = [this] { return memory_limit(); };
    if (auto program = trace_many_rows(*prepared_, data, options_))
      rows_ =
          std::make_unique<StanRows>(prepared_->sources, std::move(data), dim(), std::move(program), limit);
    else
      rows_ = std::make_unique<StanRows>(prepared_->sources, std::move(data), dim(), row_record(), limit);
  }
  return *rows_;
}

density::Rows* StanModel::rows() { return &stan_rows(); }
std::string StanModel::describe_rows() { return stan_rows().describe(); }

std::unique_ptr<StanTerms> StanModel::make_terms(tape::TermSplit split) {
  const auto record = [this](tape::Builder& builder, const double* theta, std::string& message) {
    return trace(theta, builder, message);
  };
  return std::make_unique<StanTerms>(dim(), record, split);
}

density::Terms* StanModel::terms() {
  if (!terms_) terms_ = make_terms(tape::TermSplit::coordinates);
  return terms_.get();
}

density::Terms* StanModel::factors() {
  if (!factors_) factors_ = make_terms(tape::TermSplit::elements);
  return factors_.get();
}

StanModel::Lanes& StanModel::workspace(std::size_t lanes) {
  for (const auto& known : workspaces_) {
    if (known->count == lanes) return *known;
  }
  check_workspace_size(*tape_, lanes, memory_limit());
  workspaces_.push_back(std::unique_ptr<Lanes>(new Lanes{lanes, tape::Workspace(tape_, lanes)}));
  return *workspaces_.back();
}

std::vector<double> StanModel::point_of(const Batch& batch, std::size_t lane) const {
  std::vector<double> theta(dim());
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = batch.theta[i * batch.lanes + lane];
  return theta;
}

void StanModel::reject(const Batch& batch, std::size_t lane) const {
  batch.log_density[lane] = -std::numeric_limits<double>::infinity();
  batch.status[lane] = Status::rejected;
  if (batch.gradient == nullptr) return;
  for (std::size_t i = 0; i < dim(); ++i)
    batch.gradient[i * batch.lanes + lane] = std::numeric_limits<double>::quiet_NaN();
}

// Why the program fails at theta: traced once for each place of the tape where draws fail.
const StanModel::Explanation& StanModel::explain(const std::vector<double>& theta, std::uint64_t place,
                                                 bool nan) {
  const auto [known, is_new] = explanations_.try_emplace({place, nan});
  Explanation& explanation = known->second;
  if (!is_new) return explanation;
  tape::Builder builder;
  explanation.status = Status::rejected;
  if (trace(theta.data(), builder)) {
    const tape::NotFinite found = tape::find_not_finite(builder);
    explanation.status = Status::not_finite;
    message_ = "statement at " + place_text(prepared_->sources, found.span) + ": " + found.what;
  }
  explanation.message = message_;
  return explanation;
}

// A draw on a tape of its own.
void StanModel::evaluate_anew(const Batch& batch, std::size_t lane) {
  const std::vector<double> theta = point_of(batch, lane);
  tape::Builder builder;
  reject(batch, lane);
  if (!trace(theta.data(), builder)) return;
  tape::Workspace workspace(compile(builder, 1), 1);
  if (!workspace.forward(theta.data())) {
    message_ = place_text(prepared_->sources, workspace.failed_at()) + ": " + workspace.message();
    return;
  }
  workspace.log_density(&batch.log_density[lane]);
  batch.status[lane] = Status::ok;
  if (!std::isfinite(batch.log_density[lane])) {
    const tape::NotFinite found = tape::find_not_finite(builder);
    message_ = "statement at " + place_text(prepared_->sources, found.span) + ": " + found.what;
    batch.status[lane] = Status::not_finite;
  }
  if (batch.gradient == nullptr) return;
  std::vector<double> gradient(dim());
  workspace.backward(gradient.data());
  for (std::size_t i = 0; i < gradient.size(); ++i) batch.gradient[i * batch.lanes + lane] = gradient[i];
}

// Lane `lane` of the batch has been evaluated in lane `lane_there` of the workspace.
void StanModel::finish_lane(const Batch& batch, std::size_t lane, const Lanes& lanes,
                            std::size_t lane_there) {
  if (!tape_->guards.empty() && !lanes.workspace.guards_hold(lane_there)) {
    evaluate_anew(batch, lane);
    return;
  }
  const double value = batch.log_density[lane];
  batch.status[lane] = Status::ok;
  if (std::isfinite(value)) return;
  const Explanation& why =
      explain(point_of(batch, lane), lanes.workspace.first_not_finite(lane_there), std::isnan(value));
  message_ = why.message;
  batch.status[lane] = why.status;
}

// Replays a draw alone, after another draw of its batch, or this one, was refused.
void StanModel::evaluate_one(const Batch& batch, std::size_t lane) {
  const std::vector<double> theta = point_of(batch, lane);
  Lanes& one = workspace(1);
  if (!one.workspace.forward(theta.data())) {
    if (!tape_->guards.empty()) {  // what was refused may lie on a branch that this draw does not take
      evaluate_anew(batch, lane);
      return;
    }
    const Span span = one.workspace.failed_at();
    const std::uint64_t place = std::uint64_t{1} << 63 | std::uint64_t{span.file} << 32 | span.begin;
    const Explanation& why = explain(theta, place, false);
    message_ = why.status == Status::rejected
                   ? why.message
                   : place_text(prepared_->sources, span) + ": " + one.workspace.message();
    reject(batch, lane);
    return;
  }
  one.workspace.log_density(&batch.log_density[lane]);
  if (batch.gradient != nullptr) {
    std::vector<double> gradient(dim());
    one.workspace.backward(gradient.data());
    for (std::size_t i = 0; i < gradient.size(); ++i) batch.gradient[i * batch.lanes + lane] = gradient[i];
  }
  finish_lane(batch, lane, one, 0);
}

// Vector registers want 4 draws or a multiple, scalar operations take 2; the rest of a batch is evaluated one
// by one.
std::size_t StanModel::piece_size(std::size_t lanes) const {
  if (width_ == 1) return 1;
  std::size_t size = width_;
  while (size > lanes) size /= 2;
  return size >= 4 || all_packed_ ? size : 1;
}

namespace {

bool all_finite(const double* x, std::size_t n) {
  double zero = 0;
  for (std::size_t i = 0; i < n; ++i) zero += x[i] - x[i];
  return zero == 0;
}

}  // namespace

// Lanes from `first` on, `size` of them in one workspace.
void StanModel::evaluate_together(const Batch& batch, std::size_t first, std::size_t size) {
  Lanes& all = workspace(size);
  if (!all.workspace.forward(batch.theta + first, batch.lanes, batch.gradient != nullptr)) {
    for (std::size_t lane = first; lane < first + size; ++lane) evaluate_one(batch, lane);
    return;
  }
  all.workspace.log_density(batch.log_density + first);
  if (batch.gradient != nullptr) all.workspace.backward(batch.gradient + first, batch.lanes);
  if (tape_->guards.empty() && all_finite(batch.log_density + first, size)) {
    std::fill_n(batch.status + first, size, Status::ok);
    return;
  }
  for (std::size_t k = 0; k < size; ++k) finish_lane(batch, first + k, all, k);
}

// Lanes from `first` on, one by one: their numbers are brought together first, so that a line of the cache is
// read once for all of them.
void StanModel::evaluate_apart(const Batch& batch, std::size_t first, std::size_t size) {
  const std::size_t n = dim();
  piece_theta_.resize(n * size);
  piece_gradient_.resize(batch.gradient != nullptr ? n * size : 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < size; ++k) piece_theta_[k * n + i] = batch.theta[i * batch.lanes + first + k];
  }
  for (std::size_t k = 0; k < size; ++k) {
    double* gradient = batch.gradient != nullptr ? piece_gradient_.data() + k * n : nullptr;
    const Batch one{1, piece_theta_.data() + k * n, batch.log_density + first + k, gradient,
                    batch.status + first + k};
    evaluate_together(one, 0, 1);
  }
  for (std::size_t i = 0; i < n && batch.gradient != nullptr; ++i) {
    for (std::size_t k = 0; k < size; ++k)
      batch.gradient[i * batch.lanes + first + k] = piece_gradient_[k * n + i];
  }
}

// Pieces of width_ draws, as evaluate() would take them one after another; returns how many draws they are.
// They pay for threads where a draw reads many numbers.
std::size_t StanModel::evaluate_on_threads(const Batch& batch) {
  constexpr std::size_t kExpensive = 1'000'000;  // numbers
  const std::size_t pieces = batch.lanes / width_;
  const std::size_t count = std::min(threads_, pieces);
  if (width_ < 4 || count < 2 || tape_->constant_count() + tape_->slot_count < kExpensive) return 0;
  while (helpers_.size() + 1 < count) helpers_.push_back(std::unique_ptr<StanModel>(new StanModel(*this)));
  std::vector<std::string> messages(pieces);
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&](StanModel& model) {
    try {
      for (std::size_t piece = next++; piece < pieces; piece = next++) {
        model.message_.clear();
        model.evaluate_together(batch, piece * width_, width_);
        messages[piece] = model.message_;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      next = pieces;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t + 1 < count; ++t) threads.emplace_back(work, std::ref(*helpers_[t]));
    work(*this);
  }
  if (failure) std::rethrow_exception(failure);
  message_.clear();
  for (const std::string& message : messages) {
    if (!message.empty()) message_ = message;
  }
  return pieces * width_;
}

void StanModel::evaluate(const Batch& batch) {
  if (rows_ && rows_->is_chosen()) return rows_->evaluate(batch, message_);
  message_.clear();
  for (std::size_t lane = 0; lane < batch.lanes && !tape_; ++lane) {
    tape::Builder builder;
    if (!trace(point_of(batch, lane).data(), builder)) continue;
    tape_ = compile(std::move(builder), 1);
    width_ = tape::best_width(*tape_);
    // Draws go on together as far as there is memory for them.
    const std::size_t limit = memory_limit();
    while (width_ > 1 && width_ * tape::Workspace::bytes_per_lane(*tape_) > limit) width_ /= 2;
    all_packed_ = tape::is_all_packed(*tape_);
  }
  if (!tape_) {
    for (std::size_t lane = 0; lane < batch.lanes; ++lane) reject(batch, lane);
    return;
  }
  if (batch.lanes == 1) return evaluate_together(batch, 0, 1);
  constexpr std::size_t kLine = 8;           // lanes whose numbers lie in one line of the cache
  constexpr std::size_t kFirstCache = 4096;  // numbers
  const bool is_small = dim() * batch.lanes <= kFirstCache;
  for (std::size_t first = threads_ > 1 ? evaluate_on_threads(batch) : 0; first < batch.lanes;) {
    const std::size_t size = piece_size(batch.lanes - first);
    if (size > 1 || is_small) {
      evaluate_together(batch, first, size);
      first += size;
    } else {
      const std::size_t apart = std::min(kLine, batch.lanes - first);
      evaluate_apart(batch, first, apart);
      first += apart;
    }
  }
}

}  // namespace kullback::model
