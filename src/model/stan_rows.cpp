// A parameter belongs to rows, element by element, where its first size is the number of rows, some element
// meets the data of its own row, and none meets another's. Candidates are tried one after another; one that
// brings two rows together stays global, which is right for any parameter, only less sparse.
#include "model/stan_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "lang/transform_of.hpp"
#include "model/memory_limit.hpp"

namespace kullback::model {

using density::Batch;
using density::Status;
using tape::RowTag;

namespace {

constexpr std::size_t kMostReady = 64;  // tapes kept, by the number of rows of each form
constexpr int kMostPoints = 50;

const lang::Variable& variable_of(const lang::Stmt& stmt) { return *stmt.as<lang::Declare>()->variable; }

const lang::Variable* first_size(const lang::Variable& variable) {
  const lang::SizedType& type = *variable.declared;
  const lang::Expr* size = !type.array_sizes.empty() ? type.array_sizes.front()
                           : !type.sizes.empty()     ? type.sizes.front()
                                                     : nullptr;
  const auto* ref = size != nullptr ? size->as<lang::VariableRef>() : nullptr;
  return ref != nullptr ? ref->variable : nullptr;
}

// A hint.
std::string data_with_rows(const lang::Program& program, const std::vector<tape::Value>& data) {
  std::string names;
  for (const lang::Stmt* stmt : program.block(lang::BlockKind::data)) {
    const lang::Variable& variable = variable_of(*stmt);
    if (!data[variable.id].dims.empty())
      names += fmt::format("{}{}", names.empty() ? "" : ", ", variable.name);
  }
  return names.empty() ? "No data of this program have rows." : "Data with rows: " + names + ".";
}

const lang::Variable* find_data(const lang::Program& program, const std::string& name) {
  for (const lang::Stmt* stmt : program.block(lang::BlockKind::data)) {
    if (variable_of(*stmt).name == name) return &variable_of(*stmt);
  }
  return nullptr;
}

// A hint: the first sizes that data of the program have.
std::string sizes_of_data(const lang::Program& program) {
  std::vector<std::string> names;
  for (const lang::Stmt* stmt : program.block(lang::BlockKind::data)) {
    const lang::Variable* size = first_size(variable_of(*stmt));
    if (size == nullptr || std::find(names.begin(), names.end(), size->name) != names.end()) continue;
    names.emplace_back(size->name);
  }
  if (names.empty()) return "No data of this program have a variable as first size: it takes no minibatches.";
  return fmt::format("First sizes of data: {}.", fmt::join(names, ", "));
}

std::vector<const lang::Variable*> data_of_size(const lang::Program& program, const lang::Variable* size) {
  std::vector<const lang::Variable*> result;
  for (const lang::Stmt* stmt : program.block(lang::BlockKind::data)) {
    if (first_size(variable_of(*stmt)) == size) result.push_back(&variable_of(*stmt));
  }
  return result;
}

RowData named_rows(const lang::Program& program, const std::vector<tape::Value>& data,
                   const std::vector<std::string>& names) {
  RowData rows;
  for (const std::string& name : names) {
    const lang::Variable* found = find_data(program, name);
    if (found == nullptr)
      throw Error(ErrorKind::bad_input, fmt::format("rows: the program has no data named '{}'.", name),
                  data_with_rows(program, data));
    const tape::Value& value = data[found->id];
    if (value.dims.empty())
      throw Error(ErrorKind::bad_input,
                  fmt::format("rows: '{}' is one number; rows need a first index.", name),
                  data_with_rows(program, data));
    if (!rows.variables.empty() && value.dims.front() != rows.count) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("rows: '{}' has {} rows, but '{}' has {}; name data with the same first size.",
                              name, value.dims.front(), rows.variables.front()->name, rows.count));
    }
    rows.count = value.dims.front();
    rows.variables.push_back(found);
  }
  return rows;
}

RowData likely_rows(const lang::Program& program, const std::vector<tape::Value>& data) {
  std::map<const lang::Variable*, std::size_t> uses;
  const lang::Variable* most = nullptr;
  for (const lang::Stmt* stmt : program.block(lang::BlockKind::data)) {
    const lang::Variable* size = first_size(variable_of(*stmt));
    if (size == nullptr) continue;
    ++uses[size];
    if (most == nullptr || uses[size] > uses[most]) most = size;
  }
  RowData rows;
  if (most == nullptr) return rows;
  rows.variables = data_of_size(program, most);
  rows.count = data[rows.variables.front()->id].dims.front();
  return rows;
}

}  // namespace

bool RowData::contains(const lang::Variable& variable) const {
  return std::find(variables.begin(), variables.end(), &variable) != variables.end();
}

RowData find_row_data(const lang::Program& program, const std::vector<tape::Value>& data,
                      const std::vector<std::string>& names) {
  RowData rows = names.empty() ? likely_rows(program, data) : named_rows(program, data, names);
  if (rows.count == 0) {
    throw Error(ErrorKind::bad_input, "minibatches need data with rows; this program has none.",
                "Rows are the first index of data such as vector[N] y; --rows names them.");
  }
  return rows;
}

RowData find_rows_of_size(const lang::Program& program, const std::vector<tape::Value>& data,
                          const std::string& size) {
  const lang::Variable* variable = find_data(program, size);
  if (variable == nullptr)
    throw Error(ErrorKind::bad_input, fmt::format("minibatches: the data block has no size '{}'.", size),
                sizes_of_data(program));
  RowData rows;
  rows.size = variable;
  rows.variables = data_of_size(program, variable);
  if (rows.variables.empty())
    throw Error(ErrorKind::bad_input,
                fmt::format("minibatches: '{}' is the first size of no data, so that it has no rows.", size),
                sizes_of_data(program));
  rows.count = data[rows.variables.front()->id].dims.front();
  if (rows.count == 0)
    throw Error(ErrorKind::bad_input, fmt::format("minibatches: '{}' is 0: the data have no rows.", size),
                "Minibatches need data.");
  return rows;
}

void set_strata(const lang::Program& program, const std::vector<tape::Value>& data, const std::string& name,
                RowData& rows) {
  const lang::Variable* variable = find_data(program, name);
  std::string fitting;
  for (const lang::Variable* one : rows.variables) {
    const tape::Value& value = data[one->id];
    if (value.ints != nullptr && value.dims.size() == 1)
      fitting += (fitting.empty() ? "" : ", ") + std::string(one->name);
  }
  if (variable == nullptr || data[variable->id].ints == nullptr ||
      data[variable->id].dims != tape::Dims{rows.count}) {
    throw Error(ErrorKind::bad_input,
                fmt::format("strata: '{}' is no integer data with a number for each of the {} rows.", name,
                            rows.count),
                fitting.empty() ? "This program has none; `--row-sampling uniform` needs none."
                                : fmt::format("Such data: {}.", fitting));
  }
  const std::vector<int>& numbers = *data[variable->id].ints;
  std::map<int, std::uint32_t> known;
  for (const int number : numbers) known.emplace(number, 0);
  std::uint32_t next = 0;
  for (auto& [number, stratum] : known) stratum = next++;
  rows.strata.reserve(numbers.size());
  for (const int number : numbers) rows.strata.push_back(known.at(number));
}

std::size_t row_of(const math::Type& type, const tape::Dims& dims, std::size_t at) {
  if (type.array_rank == 0 && dims.size() == 2) return at % dims.front();  // a matrix, by columns
  return at / (tape::product(dims) / dims.front());
}

// ---- the program's rows ----

struct StanRows::Ready {
  tape::RowTape tape;
  std::vector<std::unique_ptr<tape::Workspace>> workspaces;
};

struct StanRows::Own {
  tape::RowProgram program;
  std::vector<std::uint32_t> chosen = {};
  std::unique_ptr<tape::RowTape> tape = {};
  std::unique_ptr<tape::Workspace> workspace = {};
};

StanRows::~StanRows() = default;

StanRows::StanRows(const SourceMap& sources, RowData data, std::size_t dim, Record record,
                   MemoryLimit memory_limit)
    : sources_(sources),
      data_(std::move(data)),
      dim_(dim),
      record_(std::move(record)),
      memory_limit_(std::move(memory_limit)),
      parameter_tags_(dim) {
  // Not the origin first: there comparisons with 0 all come out alike.
  std::vector<double> theta(dim);
  Random random(0);
  std::string message;
  for (int i = 0; i < kMostPoints; ++i) {
    for (double& x : theta) x = i == 1 ? 0.0 : 2 * random.uniform() - 1;
    tape::Builder builder;
    Ranges ranges;
    if (record_(builder, {theta.data(), &data_, parameter_tags_}, ranges, message)) {
      find_latents(builder, ranges);
      list_own_coordinates();
      program_ = std::make_shared<const tape::RowProgram>(find_program(theta.data()));
      begin_choosing();
      return;
    }
  }
  throw Error(ErrorKind::bad_input,
              "minibatches: the program rejects every point that was tried. " + message);
}

StanRows::StanRows(const SourceMap& sources, RowData data, std::size_t dim,
                   std::shared_ptr<const tape::RowProgram> program, MemoryLimit memory_limit)
    : sources_(sources),
      data_(std::move(data)),
      dim_(dim),
      memory_limit_(std::move(memory_limit)),
      parameter_tags_(dim),
      program_(std::move(program)) {
  begin_choosing();
}

StanRows::StanRows(const StanRows& other, Record record, MemoryLimit memory_limit)
    : sources_(other.sources_),
      data_(other.data_),
      dim_(other.dim_),
      record_(std::move(record)),
      memory_limit_(std::move(memory_limit)),
      parameter_tags_(other.parameter_tags_),
      own_coordinates_(other.own_coordinates_),
      first_own_(other.first_own_),
      latents_(other.latents_),
      globals_(other.globals_),
      program_(other.program_) {
  begin_choosing();
}

void StanRows::begin_choosing() {
  seen_.assign(data_.count, false);
  counts_.assign(program_->classes.size(), 0);
}

void StanRows::find_latents(const tape::Builder& builder, const Ranges& ranges) {
  const auto split_with = [&](const std::vector<RowTag>& tags) {
    return tape::split_rows(tape::copy_row_trace(builder, tags));
  };
  if (const auto conflict = tape::find_conflict(split_with(parameter_tags_))) refuse(*conflict);
  for (const tape::Tracer::ParameterRange& range : ranges) {
    const lang::Variable& variable = *range.variable;
    globals_.push_back(&variable);
    const bool sized = !range.dims.empty() && range.dims.front() == data_.count && range.size > 0 &&
                       range.size % data_.count == 0 && variable.type->kind != math::Kind::tuple;
    if (!sized) continue;
    const bool elementwise = lang::transform_of(*variable.declared).elementwise ||
                             lang::transform_of(*variable.declared).name == "identity";
    if (variable.type->array_rank == 0 && !elementwise) continue;
    std::vector<RowTag> tags = parameter_tags_;
    for (std::size_t i = 0; i < range.size; ++i) {
      const std::size_t row =
          elementwise ? row_of(*variable.type, range.dims, i) : i / (range.size / data_.count);
      tags[range.first + i] = RowTag::of(row);
    }
    const tape::RowTrace trace = split_with(tags);
    if (tape::find_conflict(trace) || !tape::meets_rows(trace, range.first, range.size)) continue;
    parameter_tags_ = std::move(tags);
    latents_.push_back(&variable);
    globals_.pop_back();
  }
}

void StanRows::list_own_coordinates() {
  if (latents_.empty()) return;
  first_own_.assign(data_.count + 1, 0);
  for (const RowTag& tag : parameter_tags_) {
    if (tag.single()) ++first_own_[tag.low + 1];
  }
  std::partial_sum(first_own_.begin(), first_own_.end(), first_own_.begin());
  own_coordinates_.resize(first_own_.back());
  std::vector<std::uint32_t> next(first_own_.begin(), first_own_.end() - 1);
  for (std::uint32_t i = 0; i < dim_; ++i) {
    if (parameter_tags_[i].single()) own_coordinates_[next[parameter_tags_[i].low]++] = i;
  }
}

std::span<const std::uint32_t> StanRows::coordinates(std::size_t row) const {
  if (own_coordinates_.empty()) return {};
  return std::span(own_coordinates_).subspan(first_own_[row], first_own_[row + 1] - first_own_[row]);
}

tape::RowProgram StanRows::find_program(const double* theta) {
  tape::Builder builder;
  Ranges ranges;
  std::string message;
  if (!record_(builder, {theta, &data_, parameter_tags_}, ranges, message))
    throw Error(ErrorKind::bad_input, message);
  const tape::RowTrace trace = tape::split_rows(tape::copy_row_trace(builder, parameter_tags_));
  if (const auto conflict = tape::find_conflict(trace)) refuse(*conflict);
  return tape::make_row_program(trace);
}

void StanRows::refuse(const tape::RowConflict& conflict) const {
  const Position p = sources_.position(conflict.span.file, conflict.span.begin);
  std::string names;
  for (const lang::Variable* variable : data_.variables)
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", variable->name);
  throw Error(
      ErrorKind::bad_input,
      fmt::format(
          "{}:{}:{}: no minibatches: rows {} and {} of the data ({}) meet {}, so that its value belongs to "
          "no single row: {}",
          sources_.name(conflict.span.file), p.line, p.column, conflict.rows.low + 1, conflict.rows.high + 1,
          names, conflict.what, sources_.line(conflict.span.file, p.line)),
      data_.size == nullptr
          ? "name with --rows only data whose rows enter the density as separate terms"
          : fmt::format("A likelihood with one term for each index of {} would work, as in for (n in 1 : "
                        "{}) y[n] ~ ...; without --minibatch this program can be fitted as it is.",
                        data_.size->name, data_.size->name));
}

// ---- choosing ----

StanRows::Ready& StanRows::ready_for(const std::vector<std::uint32_t>& counts) {
  for (auto at = ready_.rbegin(); at != ready_.rend(); ++at) {
    if ((*at)->tape.counts() != counts) continue;
    std::rotate(at.base() - 1, at.base(), ready_.end());
    return *ready_.back();
  }
  check_row_tape_size(*program_, counts, memory_limit_());
  if (ready_.size() == kMostReady) ready_.erase(ready_.begin());
  ready_.push_back(std::unique_ptr<Ready>(new Ready{tape::RowTape(*program_, counts), {}}));
  return *ready_.back();
}

std::unique_ptr<tape::Workspace> StanRows::make_workspace(const tape::RowTape& tape,
                                                          std::size_t lanes) const {
  check_workspace_size(*tape.tape(), lanes, memory_limit_(), chosen_.size());
  return std::make_unique<tape::Workspace>(tape.tape(), lanes);
}

tape::Workspace& StanRows::workspace(std::size_t lanes) {
  Ready& ready = *ready_.back();
  for (const auto& known : ready.workspaces) {
    if (known->lanes() == lanes) return *known;
  }
  ready.workspaces.push_back(make_workspace(ready.tape, lanes));
  return *ready.workspaces.back();
}

void StanRows::choose(std::span<const std::uint32_t> rows) {
  std::string problem;
  for (const std::uint32_t row : rows) {
    if (row >= data_.count || seen_[row]) {
      problem = row >= data_.count ? fmt::format("row {} is not among the {} rows.", row, data_.count)
                                   : fmt::format("row {} is chosen twice.", row);
      break;
    }
    seen_[row] = true;
  }
  for (const std::uint32_t row : rows) {
    if (row < data_.count) seen_[row] = false;
  }
  if (!problem.empty()) throw Error(ErrorKind::bad_input, "minibatch: " + problem);
  if (rows.empty()) return chosen_.clear();
  std::fill(counts_.begin(), counts_.end(), 0U);
  for (const std::uint32_t row : rows) ++counts_[program_->class_of[row]];
  Ready& ready = ready_for(counts_);
  chosen_.assign(rows.begin(), rows.end());
  ready.tape.choose(rows);
  for (const auto& workspace : ready.workspaces) workspace->rebind();
}

// ---- evaluation ----

namespace {

Status status_of(double log_density) { return std::isfinite(log_density) ? Status::ok : Status::not_finite; }

}  // namespace

void StanRows::evaluate(const Batch& batch, std::string& message) {
  message.clear();
  tape::Workspace& all = workspace(batch.lanes);
  if (!all.forward(batch.theta)) {
    for (std::size_t lane = 0; lane < batch.lanes; ++lane) evaluate_alone(batch, lane, message);
    return;
  }
  all.log_density(batch.log_density);
  if (batch.gradient != nullptr) all.backward(batch.gradient);
  for (std::size_t lane = 0; lane < batch.lanes; ++lane) {
    if (all.guards_hold(lane)) {
      batch.status[lane] = status_of(batch.log_density[lane]);
    } else {
      evaluate_alone(batch, lane, message);
    }
  }
}

// A comparison came out differently than at the trace point: the program at this point, for the same rows.
void StanRows::evaluate_alone(const Batch& batch, std::size_t lane, std::string& message) {
  batch.log_density[lane] = -std::numeric_limits<double>::infinity();
  batch.status[lane] = Status::rejected;
  std::vector<double> theta(dim_);
  for (std::size_t i = 0; i < dim_; ++i) theta[i] = batch.theta[i * batch.lanes + lane];
  if (!record_) return evaluate_on(workspace(1), theta, batch, lane, message);
  const std::shared_ptr<Own> own = own_program(theta.data(), message);
  if (!own) return;
  choose_for(*own);
  evaluate_on(*own->workspace, theta, batch, lane, message);
}

std::shared_ptr<StanRows::Own> StanRows::own_program(const double* theta, std::string& message) {
  if (auto known = branches_.find(theta)) return known;
  tape::Builder builder;
  Ranges ranges;
  if (!record_(builder, {theta, &data_, parameter_tags_}, ranges, message)) return nullptr;
  return branches_.find_or_add(builder, memory_limit_() / kBranchShare, [&] {
    const tape::RowTrace trace = tape::split_rows(tape::copy_row_trace(builder, parameter_tags_));
    if (const auto conflict = tape::find_conflict(trace)) refuse(*conflict);
    auto own = std::make_shared<Own>(Own{tape::make_row_program(trace)});
    return std::pair(own, 2 * builder.bytes());  // the program and the tape of some rows
  });
}

// The tape of the chosen rows.
void StanRows::choose_for(Own& own) const {
  if (own.chosen == chosen_) return;
  std::vector<std::uint32_t> counts(own.program.classes.size(), 0);
  for (const std::uint32_t row : chosen_) ++counts[own.program.class_of[row]];
  own.chosen.clear();  // until all is done
  if (!own.tape || own.tape->counts() != counts) {
    check_row_tape_size(own.program, counts, memory_limit_());
    own.workspace.reset();
    own.tape = std::make_unique<tape::RowTape>(own.program, counts);
  }
  own.tape->choose(chosen_);
  if (own.workspace) {
    own.workspace->rebind();
  } else {
    own.workspace = make_workspace(*own.tape, 1);
  }
  own.chosen = chosen_;
}

void StanRows::evaluate_on(tape::Workspace& workspace, const std::vector<double>& theta, const Batch& batch,
                           std::size_t lane, std::string& message) const {
  if (!workspace.forward(theta.data())) {
    message = workspace.message();
    return;
  }
  workspace.log_density(&batch.log_density[lane]);
  batch.status[lane] = status_of(batch.log_density[lane]);
  if (batch.gradient == nullptr) return;
  std::vector<double> gradient(dim_);
  workspace.backward(gradient.data());
  for (std::size_t i = 0; i < dim_; ++i) batch.gradient[i * batch.lanes + lane] = gradient[i];
}

// ---- for people ----

namespace {

std::string names_of(const std::vector<const lang::Variable*>& variables) {
  std::string names;
  for (const lang::Variable* variable : variables)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", variable->name);
  return names.empty() ? "none" : names;
}

}  // namespace

std::string StanRows::describe() const {
  std::string out = fmt::format("rows: {}, of the data {}\n", data_.count, names_of(data_.variables));
  out += fmt::format("parameters of rows: {}\n", names_of(latents_));
  out += fmt::format("other parameters: {}\n", names_of(globals_));
  for (const tape::StatementTerms& statement : program_->statements) {
    const Position p = sources_.position(statement.span.file, statement.span.begin);
    std::string_view text = sources_.text(statement.span);
    text = text.substr(0, text.find('\n'));
    const auto line = [&](std::string_view how, std::size_t terms) {
      out += fmt::format("{}:{}:{}: {} ({} term{}): {}\n", sources_.name(statement.span.file), p.line,
                         p.column, how, terms, terms == 1 ? "" : "s", text);
    };
    if (statement.of_rows > 0) line("scaled by N/B", statement.of_rows);
    if (statement.global > 0) line("not scaled", statement.global);
  }
  const std::size_t forms = program_->classes.size();
  if (forms == 1) {
    out += "all rows have one form: they are exchanged in place\n";
  } else {
    out += fmt::format("rows have {} forms (", forms);
    for (std::size_t c = 0; c < std::min<std::size_t>(forms, 8); ++c)
      out += fmt::format("{}{}", c == 0 ? "" : " + ", program_->classes[c].rows.size());
    out += fmt::format(
        "{} rows): exchanged in place where as many of each form were chosen before, else compiled\n",
        forms > 8 ? " + ..." : "");
  }
  return out;
}

}  // namespace kullback::model
