// The first evaluation traces the program; later ones replay the tape. Where a comparison with parameters
// comes out differently than when it was traced, the draw is evaluated on the tape of its own way through the
// program, which is traced where no draw went it before: a tape never answers for another program. Which tape
// a draw gets depends on the main tape and the draw alone, so that its numbers do not depend on what this
// object evaluated before.
#include "model/stan_model.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <new>
#include <numeric>
#include <thread>
#include <utility>

#include "base/memory.hpp"
#include "base/place.hpp"
#include "base/try_thread.hpp"
#include "model/memory_limit.hpp"
#include "model/prepared.hpp"
#include "model/row_chunks.hpp"
#include "model/stan_rows.hpp"
#include "model/stan_terms.hpp"
#include "tape/record/not_finite.hpp"
#include "tape/record/trace_size.hpp"
#include "tape/run/width.hpp"
#include "tape/run/workspace.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::model {

using density::Batch;
using density::Status;

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
      main_{other.main_.tape, other.main_.width, other.main_.all_packed} {
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
    if (!rejection.hint.empty()) throw Error(ErrorKind::bad_input, message, rejection.hint);
    return false;
  } catch (const tape::TraceTooLarge&) {
    refuse_size(tracer.builder(), prepared_->sources, tracer.builder().bytes(), memory_limit());
  } catch (const std::bad_alloc&) {
    refuse_allocation(tracer.builder(), prepared_->sources);
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

StanModel::Branch StanModel::make_branch(tape::Builder builder, std::size_t lanes) const {
  Branch branch{compile(std::move(builder), lanes)};
  branch.width = tape::best_width(*branch.tape);
  // Draws go on together as far as there is memory for them.
  const std::size_t limit = memory_limit();
  while (branch.width > 1 && branch.width * tape::Workspace::bytes_per_lane(*branch.tape) > limit)
    branch.width /= 2;
  branch.all_packed = tape::is_all_packed(*branch.tape);
  return branch;
}

tape::Workspace& StanModel::workspace(Branch& branch, std::size_t lanes) const {
  for (const auto& known : branch.workspaces) {
    if (known->lanes() == lanes) return *known;
  }
  check_workspace_size(*branch.tape, lanes, memory_limit());
  branch.workspaces.push_back(std::make_unique<tape::Workspace>(branch.tape, lanes));
  return *branch.workspaces.back();
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
const StanModel::Explanation& StanModel::explain(Branch& branch, const std::vector<double>& theta,
                                                 std::uint64_t place, bool nan) {
  const auto known = branch.explanations.find({place, nan});
  if (known != branch.explanations.end()) return known->second;
  tape::Builder builder;
  Explanation explanation{Status::rejected, {}};  // kept once it is known: the trace may throw
  if (trace(theta.data(), builder)) {
    const tape::NotFinite found = tape::find_not_finite(builder);
    explanation.status = Status::not_finite;
    message_ = "statement at " + place_text(prepared_->sources, found.span) + ": " + found.what;
  }
  explanation.message = message_;
  return branch.explanations.emplace(std::pair(place, nan), std::move(explanation)).first->second;
}

// The status of a draw whose log density was computed on this branch.
void StanModel::judge(Branch& branch, const Batch& batch, std::size_t lane, There there) {
  const double value = batch.log_density[lane];
  batch.status[lane] = Status::ok;
  if (std::isfinite(value)) return;
  const std::uint64_t place = there.workspace.first_not_finite(there.lane);
  const Explanation& why = explain(branch, point_of(batch, lane), place, std::isnan(value));
  message_ = why.message;
  batch.status[lane] = why.status;
}

// A draw for which an operation of this branch refused its arguments, in the workspace of one lane.
void StanModel::refuse_on(Branch& branch, const Batch& batch, std::size_t lane) {
  const tape::Workspace& one = workspace(branch, 1);
  const Span span = one.failed_at();
  const std::uint64_t place = std::uint64_t{1} << 63 | std::uint64_t{span.file} << 32 | span.begin;
  const Explanation& why = explain(branch, point_of(batch, lane), place, false);
  message_ = why.status == Status::rejected ? why.message
                                            : place_text(prepared_->sources, span) + ": " + one.message();
  reject(batch, lane);
}

// ---- other branches than the main one ----

// Null where the program rejects the point (message_).
std::shared_ptr<StanModel::Branch> StanModel::branch_at(const double* theta) {
  if (auto known = branches_.find(theta)) return known;
  tape::Builder builder;
  if (!trace(theta, builder)) return nullptr;
  return branches_.find_or_add(builder, memory_limit() / kBranchShare, [&] {
    auto branch = std::make_shared<Branch>(make_branch(std::move(builder), 1));
    return std::pair(branch, bytes_of(*branch->tape, 1 + branch->width));
  });
}

// Draws that are on one branch are evaluated together, in the order of the batch.
void StanModel::evaluate_missed(const Batch& batch) {
  constexpr std::size_t kMostHeld = 64;  // tapes that are held here, whatever branches_ forgets
  std::vector<std::pair<std::shared_ptr<Branch>, std::vector<std::size_t>>> groups;
  const auto evaluate_groups = [&] {
    for (const auto& [branch, lanes] : groups) evaluate_group(*branch, batch, lanes);
    groups.clear();
  };
  for (const std::size_t lane : missed_) {
    reject(batch, lane);
    auto branch = branch_at(point_of(batch, lane).data());
    if (!branch) continue;
    const auto known =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == branch; });
    if (known != groups.end()) {
      known->second.push_back(lane);
    } else {
      if (groups.size() == kMostHeld) evaluate_groups();
      groups.push_back({std::move(branch), {lane}});
    }
  }
  evaluate_groups();
}

void StanModel::evaluate_group(Branch& branch, const Batch& batch, std::span<const std::size_t> lanes) {
  while (!lanes.empty()) {
    const std::size_t size = piece_size(branch, lanes.size());
    evaluate_on(branch, batch, lanes.first(size));
    lanes = lanes.subspan(size);
  }
}

void StanModel::evaluate_on(Branch& branch, const Batch& batch, std::span<const std::size_t> lanes) {
  const std::size_t n = dim();
  const std::size_t size = lanes.size();
  piece_theta_.resize(n * size);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < size; ++k)
      piece_theta_[i * size + k] = batch.theta[i * batch.lanes + lanes[k]];
  }
  tape::Workspace& together = workspace(branch, size);
  if (!together.forward(piece_theta_.data())) {
    if (size == 1) return refuse_on(branch, batch, lanes[0]);
    for (std::size_t k = 0; k < size; ++k) evaluate_on(branch, batch, lanes.subspan(k, 1));
    return;
  }
  piece_values_.resize(size);
  together.log_density(piece_values_.data());
  for (std::size_t k = 0; k < size; ++k) batch.log_density[lanes[k]] = piece_values_[k];
  if (batch.gradient != nullptr) {
    piece_gradient_.resize(n * size);
    together.backward(piece_gradient_.data());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < size; ++k)
        batch.gradient[i * batch.lanes + lanes[k]] = piece_gradient_[i * size + k];
    }
  }
  for (std::size_t k = 0; k < size; ++k) judge(branch, batch, lanes[k], {together, k});
}

// ---- the main branch ----

// Replays a draw alone, after another draw of its batch, or this one, was refused.
void StanModel::evaluate_one(const Batch& batch, std::size_t lane) {
  const std::vector<double> theta = point_of(batch, lane);
  tape::Workspace& one = workspace(main_, 1);
  if (!one.forward(theta.data())) {
    if (main_.tape->guards.empty()) return refuse_on(main_, batch, lane);
    missed_.push_back(lane);  // what was refused may lie on a branch that this draw does not take
    return;
  }
  if (!one.guards_hold(0)) {
    missed_.push_back(lane);
    return;
  }
  one.log_density(&batch.log_density[lane]);
  if (batch.gradient != nullptr) {
    std::vector<double> gradient(dim());
    one.backward(gradient.data());
    for (std::size_t i = 0; i < gradient.size(); ++i) batch.gradient[i * batch.lanes + lane] = gradient[i];
  }
  judge(main_, batch, lane, {one, 0});
}

// Vector registers want 4 draws or a multiple, scalar operations take 2; the rest of a batch is evaluated one
// by one.
std::size_t StanModel::piece_size(const Branch& branch, std::size_t lanes) {
  if (branch.width == 1) return 1;
  std::size_t size = branch.width;
  while (size > lanes) size /= 2;
  return size >= 4 || branch.all_packed ? size : 1;
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
  tape::Workspace& all = workspace(main_, size);
  if (!all.forward(batch.theta + first, batch.lanes, batch.gradient != nullptr)) {
    for (std::size_t lane = first; lane < first + size; ++lane) evaluate_one(batch, lane);
    return;
  }
  const std::size_t missed_before = missed_.size();
  for (std::size_t k = 0; k < size && !main_.tape->guards.empty(); ++k) {
    if (!all.guards_hold(k)) missed_.push_back(first + k);
  }
  if (missed_.size() - missed_before == size) return;
  all.log_density(batch.log_density + first);
  if (batch.gradient != nullptr) all.backward(batch.gradient + first, batch.lanes);
  if (missed_.size() == missed_before && all_finite(batch.log_density + first, size)) {
    std::fill_n(batch.status + first, size, Status::ok);
    return;
  }
  auto missed = missed_.begin() + static_cast<long>(missed_before);
  for (std::size_t k = 0; k < size; ++k) {
    if (missed != missed_.end() && *missed == first + k) {
      ++missed;
    } else {
      judge(main_, batch, first + k, {all, k});
    }
  }
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
    const std::size_t missed = missed_.size();
    evaluate_together(one, 0, 1);
    if (missed_.size() > missed) missed_.back() = first + k;
  }
  for (std::size_t i = 0; i < n && batch.gradient != nullptr; ++i) {
    for (std::size_t k = 0; k < size; ++k)
      batch.gradient[i * batch.lanes + first + k] = piece_gradient_[k * n + i];
  }
}

// Pieces of as many draws as evaluate() would take together, as it would take them one after another; returns
// how many draws they are. They pay for threads where a draw reads many numbers.
std::size_t StanModel::evaluate_on_threads(const Batch& batch) {
  constexpr std::size_t kExpensive = 1'000'000;  // numbers
  const tape::Tape& tape = *main_.tape;
  const std::size_t width = main_.width;
  const std::size_t pieces = batch.lanes / width;
  const std::size_t count = std::min(threads_, pieces);
  if (width < 4 || count < 2 || tape.constant_count() + tape.slot_count < kExpensive) return 0;
  while (helpers_.size() + 1 < count) helpers_.push_back(std::unique_ptr<StanModel>(new StanModel(*this)));
  std::vector<std::string> messages(pieces);
  std::vector<std::vector<std::size_t>> missed(pieces);  // lanes on other branches
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&](StanModel& model) {
    try {
      for (std::size_t piece = next++; piece < pieces; piece = next++) {
        model.message_.clear();
        model.missed_.clear();
        model.evaluate_together(batch, piece * width, width);
        messages[piece] = model.message_;
        missed[piece] = model.missed_;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      next = pieces;
    }
  };
  {
    std::vector<std::jthread> threads;
    while (threads.size() + 1 < count &&
           try_start(threads, [&, t = threads.size()] { work(*helpers_[t]); })) {
    }
    work(*this);
  }
  if (failure) std::rethrow_exception(failure);
  message_.clear();
  missed_.clear();
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    if (!messages[piece].empty()) message_ = messages[piece];
    missed_.insert(missed_.end(), missed[piece].begin(), missed[piece].end());
  }
  return pieces * width;
}

void StanModel::evaluate(const Batch& batch) {
  if (rows_ && rows_->is_chosen()) return rows_->evaluate(batch, message_);
  message_.clear();
  missed_.clear();
  for (std::size_t lane = 0; lane < batch.lanes && !main_.tape; ++lane) {
    tape::Builder builder;
    if (!trace(point_of(batch, lane).data(), builder)) continue;
    main_ = make_branch(std::move(builder), 1);
  }
  if (!main_.tape) {
    for (std::size_t lane = 0; lane < batch.lanes; ++lane) reject(batch, lane);
    return;
  }
  evaluate_on_main(batch);
  if (!missed_.empty()) evaluate_missed(batch);
}

// Lanes that are on another branch are left, and named in missed_.
void StanModel::evaluate_on_main(const Batch& batch) {
  if (batch.lanes == 1) return evaluate_together(batch, 0, 1);
  constexpr std::size_t kLine = 8;           // lanes whose numbers lie in one line of the cache
  constexpr std::size_t kFirstCache = 4096;  // numbers
  const bool is_small = dim() * batch.lanes <= kFirstCache;
  for (std::size_t first = threads_ > 1 ? evaluate_on_threads(batch) : 0; first < batch.lanes;) {
    const std::size_t size = piece_size(main_, batch.lanes - first);
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
