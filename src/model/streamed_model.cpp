#include "model/streamed_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/memory.hpp"
#include "lang/visit.hpp"
#include "model/temporary_file.hpp"

namespace kullback::model {

using density::Status;

namespace {

constexpr std::size_t kBlock = 1024;  // rows that are evaluated together

class FileLines final : public LineSink, public tape::RowLines {
 public:
  FileLines() : file_(make_temporary_file()) {}

  void set_width(std::size_t width) { width_ = width; }
  void append(const std::vector<double>& lines) override { write_all(file_.get(), lines); }

  // Rows that follow each other are read at once.
  void read(std::span<const std::uint32_t> rows, double* constants) const override {
    const std::size_t bytes = width_ * sizeof(double);
    for (std::size_t at = 0; at < rows.size();) {
      std::size_t end = at + 1;
      while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
      read_at(file_.get(), reinterpret_cast<char*>(constants + at * width_), (end - at) * bytes,
              rows[at] * bytes, {});
      at = end;
    }
  }

 private:
  FileDescriptor file_;
  std::size_t width_ = 0;
};

// What is written for each draw must not depend on rows.
void check_outputs(const lang::Program& program, const RowData& rows, const SourceMap& sources) {
  for (const lang::BlockKind block :
       {lang::BlockKind::transformed_parameters, lang::BlockKind::generated_quantities}) {
    for (const lang::Stmt* stmt : program.block(block)) {
      lang::for_each_expr(*stmt, [&](const lang::Expr& expression) {
        const auto* ref = expression.as<lang::VariableRef>();
        if (ref == nullptr || !(ref->variable == rows.size || rows.contains(*ref->variable))) return;
        const Position p = sources.position(stmt->span.file, stmt->span.begin);
        throw Error(
            ErrorKind::bad_input,
            fmt::format("{}:{}:{}: '{}' is streamed, and what is written for each draw cannot depend on "
                        "it: {}",
                        sources.name(stmt->span.file), p.line, p.column, ref->variable->name,
                        sources.line(stmt->span.file, p.line)),
            "Move what only the likelihood needs to the model block.");
      });
    }
  }
}

std::size_t limit_of(const StanModelOptions& options) {
  return options.max_memory != 0 ? options.max_memory : available_memory();
}

}  // namespace

StreamedModel::~StreamedModel() = default;

StreamedModel::StreamedModel(const lang::Program& program, const SourceMap& sources, RowSource& source,
                             StanModelOptions options)
    : options_(std::move(options)) {
  auto lines = std::make_shared<FileLines>();
  ChunkedRows traced = trace_in_chunks(program, sources, source, options_, *lines);
  prepared_ = traced.prepared;
  lines->set_width(traced.program.classes.front().constant_varies.size());
  traced.program.lines = std::move(lines);
  RowData data = find_rows_of_size(program, prepared_->values, options_.row_size);
  data.count = source.count();
  check_outputs(program, data, sources);
  rows_ = std::make_unique<StanRows>(sources, std::move(data), dim(),
                                     std::make_shared<const tape::RowProgram>(std::move(traced.program)),
                                     [this] { return limit_of(options_); });
}

StreamedModel::StreamedModel(const StreamedModel& other)
    : LogDensity(other), options_(other.options_), prepared_(other.prepared_) {
  rows_ = std::make_unique<StanRows>(*other.rows_, StanRows::Record{}, [this] { return limit_of(options_); });
}

std::unique_ptr<density::LogDensity> StreamedModel::clone() const {
  return std::unique_ptr<StreamedModel>(new StreamedModel(*this));
}

std::size_t StreamedModel::dim() const { return prepared_->dim; }
std::span<const density::Block> StreamedModel::blocks() const { return prepared_->layout.blocks; }
std::span<const density::Support> StreamedModel::supports() const { return prepared_->layout.supports; }

// With the density f of a block as choose() has it, scaled to all rows: the sum of f times the block's share.
void StreamedModel::add_block(const density::Batch& batch, std::size_t first, std::size_t count) {
  block_.resize(count);
  std::iota(block_.begin(), block_.end(), static_cast<std::uint32_t>(first));
  rows_->choose(block_);
  const bool wants_gradient = batch.gradient != nullptr;
  value_.resize(batch.lanes);
  status_.resize(batch.lanes);
  gradient_.resize(wants_gradient ? dim() * batch.lanes : 0);
  std::string message;
  rows_->evaluate(
      {batch.lanes, batch.theta, value_.data(), wants_gradient ? gradient_.data() : nullptr, status_.data()},
      message);
  const double share = static_cast<double>(count) / static_cast<double>(rows_->count());
  for (std::size_t k = 0; k < batch.lanes; ++k) {
    batch.log_density[k] += share * value_[k];
    if (status_[k] == Status::ok || batch.status[k] != Status::ok) continue;
    batch.status[k] = status_[k];
    message_ = message;
  }
  for (std::size_t i = 0; i < gradient_.size(); ++i) batch.gradient[i] += share * gradient_[i];
}

void StreamedModel::evaluate(const density::Batch& batch) {
  message_.clear();
  if (rows_->is_chosen()) return rows_->evaluate(batch, message_);
  std::fill_n(batch.log_density, batch.lanes, 0.0);
  std::fill_n(batch.status, batch.lanes, Status::ok);
  if (batch.gradient != nullptr) std::fill_n(batch.gradient, dim() * batch.lanes, 0.0);
  const std::size_t count = rows_->count();
  for (std::size_t first = 0; first < count; first += kBlock)
    add_block(batch, first, std::min(kBlock, count - first));
  rows_->choose({});
}

}  // namespace kullback::model
