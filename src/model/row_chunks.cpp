#include "model/row_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/error.hpp"
#include "model/stan_model.hpp"
#include "model/values.hpp"

namespace kullback::model {

namespace {

using tape::RowClass;
using tape::RowProgram;

constexpr std::size_t kChunk = 512;  // rows

[[noreturn]] void refuse(const std::string& size, const std::string& why, const std::string& hint) {
  throw Error(ErrorKind::bad_input,
              fmt::format("the rows of '{}' cannot be taken some at a time: {}.", size, why), hint);
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_bits(const tape::Constants& a, const tape::Constants& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_bits(a[i], b[i])) return false;
  }
  return true;
}

bool same(const tape::RowReference& a, const tape::RowReference& b) {
  return a.kind == b.kind && a.at == b.at;
}

bool same(const math::Shape& a, const math::Shape& b) { return a == b; }
bool same(const tape::RawOperand& a, const tape::RawOperand& b) {
  return a.first == b.first && a.size == b.size;
}
bool same(const tape::TargetTerm& a, const tape::TargetTerm& b) {
  return a.id == b.id && a.weight == b.weight;
}
bool same(const RowClass::Term& a, const RowClass::Term& b) {
  return same(a.value, b.value) && a.weight == b.weight;
}
bool same(const tape::RawInstruction& a, const tape::RawInstruction& b) {
  return a.kind == b.kind && a.definition == b.definition && a.terms.normalized == b.terms.normalized &&
         a.terms.varying == b.terms.varying && a.operand_count == b.operand_count && a.count == b.count &&
         a.result_size == b.result_size;
}
bool same(const tape::RowInstruction& a, const tape::RowInstruction& b);

template <class T>
bool all_same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same(x, y); });
}

bool same(const tape::RowInstruction& a, const tape::RowInstruction& b) {
  return same(a.raw, b.raw) && a.operand_sizes == b.operand_sizes && all_same(a.references, b.references) &&
         all_same(a.shapes, b.shapes) && a.result == b.result;
}

bool same_form(const RowClass& a, const RowClass& b) {
  const std::size_t width = a.external_varies.size();
  return all_same(a.instructions, b.instructions) && all_same(a.terms, b.terms) &&
         a.constant_varies.size() == b.constant_varies.size() && width == b.external_varies.size() &&
         std::equal(a.externals.begin(), a.externals.begin() + static_cast<long>(width), b.externals.begin());
}

bool same_global(const RowProgram& a, const RowProgram& b) {
  const tape::Trace& s = a.global;
  const tape::Trace& t = b.global;
  return s.parameter_count == t.parameter_count && s.slot_count == t.slot_count &&
         all_same(s.instructions, t.instructions) && all_same(s.operands, t.operands) && s.pool == t.pool &&
         all_same(s.shapes, t.shapes) && same_bits(s.constants, t.constants) &&
         all_same(s.target, t.target) && same_bits(a.global_constant, b.global_constant);
}

// Some rows as a model of their own.
struct Chunk {
  std::unique_ptr<StanModel> model;
  const RowProgram* program = nullptr;
};

class ChunkTracer final {
 public:
  ChunkTracer(const lang::Program& program, const SourceMap& sources, RowSource& source,
              const StanModelOptions& options)
      : program_(program), sources_(sources), source_(source), options_(options) {}

  ChunkedRows run(LineSink& sink) {
    const std::size_t count = source_.count();
    const Chunk first = trace(0, std::min(kChunk, count));
    check_form(*first.program);
    check_company(*first.program);
    ChunkedRows result{begin_program(*first.program), first.model->prepared()};
    sink.expect(count * first.program->classes.front().constant_varies.size());
    append(*first.program, result.program, sink);
    for (std::size_t at = kChunk; at < count; at += kChunk) {
      const Chunk chunk = trace(at, std::min(kChunk, count - at));
      check_form(*chunk.program);
      check_same(*first.program, *chunk.program, at);
      append(*chunk.program, result.program, sink);
    }
    return result;
  }

 private:
  Chunk trace(std::size_t first, std::size_t count) {
    Chunk chunk;
    chunk.model = std::make_unique<StanModel>(program_, sources_, source_.rows(first, count), options_);
    const auto& rows = dynamic_cast<const StanRows&>(*chunk.model->rows());
    if (!rows.coordinates(0).empty())
      refuse(options_.row_size, "a parameter has this size, with an element for each row",
             "Data that fit into memory need no --stream.");
    chunk.program = &rows.program();
    return chunk;
  }

  void check_form(const RowProgram& rows) const {
    const std::string& size = options_.row_size;
    if (rows.classes.size() != 1)
      refuse(size, "they have different forms, as where data decide a branch",
             "Write both cases as one expression; data that fit into memory need no --stream.");
    const RowClass& form = rows.classes.front();
    const bool varies = std::find(form.external_varies.begin(), form.external_varies.end(), true) !=
                        form.external_varies.end();
    if (varies)
      refuse(size, "data of rows decide which parameters they meet, as in a[item[n]]",
             "Data that fit into memory need no --stream.");
    if (!rows.global.guards.empty() || !form.guards.empty())
      refuse(size, "the program compares parameters", "Data that fit into memory need no --stream.");
    if (!rows.global.solvers.empty())
      refuse(size, "the program has a solver", "Data that fit into memory need no --stream.");
  }

  void check_same(const RowProgram& a, const RowProgram& b, std::size_t at) const {
    if (!same_form(a.classes.front(), b.classes.front()))
      refuse(options_.row_size, fmt::format("rows from {} on have another form than the first", at + 1),
             "Data that fit into memory need no --stream.");
    if (!same_global(a, b)) refuse_company();
  }

  [[noreturn]] void refuse_company() const {
    refuse(options_.row_size,
           fmt::format("what the program computes depends on {} itself or on several rows at once, or a "
                       "parameter has this size",
                       options_.row_size),
           "Sums and means of all rows, as for centring, are to be computed beforehand and given as data.");
  }

  // The last rows of the first chunk once more, fewer of them and with others.
  void check_company(const RowProgram& first) {
    const std::size_t rows = first.row_count;
    if (rows < 2) return;
    const std::size_t from = rows / 2 + rows / 8;
    const std::size_t size = std::min(source_.count() - from, rows - from + rows / 7 + 1);
    const Chunk other = trace(from, size);
    check_form(*other.program);
    check_same(first, *other.program, from);
    const std::size_t width = first.classes.front().constant_varies.size();
    for (std::size_t row = from; row < rows; ++row) {
      const double* a = first.classes.front().constants.data() + row * width;
      const double* b = other.program->classes.front().constants.data() + (row - from) * width;
      const bool equal = std::equal(a, a + width, b, [](double x, double y) { return same_bits(x, y); }) &&
                         same_bits(first.row_constants[row], other.program->row_constants[row - from]);
      if (!equal) refuse_company();
    }
  }

  RowProgram begin_program(const RowProgram& first) const {
    RowProgram result = first;
    const std::size_t count = source_.count();
    RowClass& form = result.classes.front();
    const std::size_t width = form.constant_varies.size();
    form.constants.resize(width);
    form.externals.resize(form.external_varies.size());
    form.constant_varies.assign(width, false);
    form.rows.resize(count);
    std::iota(form.rows.begin(), form.rows.end(), 0U);
    result.row_count = count;
    result.class_of.assign(count, 0);
    result.line_of = form.rows;
    result.row_constants.clear();
    result.row_constants.reserve(count);
    for (tape::StatementTerms& statement : result.statements)
      statement.of_rows = statement.of_rows / first.row_count * count;
    return result;
  }

  static void append(const RowProgram& chunk, RowProgram& into, LineSink& sink) {
    const RowClass& from = chunk.classes.front();
    RowClass& form = into.classes.front();
    const std::size_t width = form.constant_varies.size();
    for (std::size_t i = 0; i < from.constants.size(); ++i) {
      if (!same_bits(from.constants[i], form.constants[i % width])) form.constant_varies[i % width] = true;
    }
    into.row_constants.insert(into.row_constants.end(), chunk.row_constants.begin(),
                              chunk.row_constants.end());
    sink.append(from.constants);
  }

  const lang::Program& program_;
  const SourceMap& sources_;
  RowSource& source_;
  const StanModelOptions& options_;
};

// ---- data in memory ----

constexpr std::size_t kManyRows = 20000;

// The same type, with rows [first, first + count) alone.
tape::Value some_rows(const tape::Value& value, std::size_t first, std::size_t count) {
  const std::size_t rows = value.dims.front();
  const std::size_t width = value.size() / rows;
  const bool by_columns = value.type.array_rank == 0 && value.dims.size() == 2;
  const auto pick = [&](const auto& from, auto& into) {
    into.reserve(count * width);
    if (!by_columns) {
      into.assign(from.begin() + static_cast<long>(first * width),
                  from.begin() + static_cast<long>((first + count) * width));
      return;
    }
    for (std::size_t column = 0; column < width; ++column) {
      const auto at = from.begin() + static_cast<long>(column * rows + first);
      into.insert(into.end(), at, at + static_cast<long>(count));
    }
  };
  tape::Value result;
  result.type = value.type;
  result.dims = value.dims;
  result.dims.front() = count;
  if (value.ints) pick(*value.ints, *(result.ints = std::make_shared<std::vector<int>>()));
  if (value.ids) pick(*value.ids, *(result.ids = std::make_shared<tape::Ids>()));
  return result;
}

class PreparedRows final : public RowSource {
 public:
  PreparedRows(const Prepared& prepared, const RowData& rows) : prepared_(prepared), rows_(rows) {}

  std::size_t count() const override { return rows_.count; }

  Data rows(std::size_t first, std::size_t count) override {
    Data data("data");
    for (const lang::Stmt* stmt : prepared_.program.block(lang::BlockKind::data)) {
      const lang::Variable& variable = *stmt->as<lang::Declare>()->variable;
      const tape::Value& value = prepared_.values[variable.id];
      const tape::Value chosen = &variable == rows_.size    ? tape::int_value(static_cast<int>(count))
                                 : rows_.contains(variable) ? some_rows(value, first, count)
                                                            : value;
      data.add(std::string(variable.name), to_file_value(chosen, prepared_.builder));
    }
    return data;
  }

 private:
  const Prepared& prepared_;
  const RowData& rows_;
};

class MemoryLines final : public LineSink {
 public:
  void append(const std::vector<double>& lines) override {
    all.insert(all.end(), lines.begin(), lines.end());
  }
  void expect(std::size_t numbers) override { all.reserve(numbers); }
  std::vector<double> all;
};

bool can_be_parted(const Prepared& prepared, const RowData& rows) {
  if (rows.size == nullptr || rows.count < kManyRows) return false;
  for (const lang::Stmt* stmt : prepared.program.block(lang::BlockKind::data)) {
    const lang::Variable& variable = *stmt->as<lang::Declare>()->variable;
    const tape::Value& value = prepared.values[variable.id];
    const bool is_plain = value.ints || (value.ids && value.type.kind != math::Kind::tuple);
    if (!is_plain) return false;
  }
  return true;
}

}  // namespace

std::shared_ptr<const tape::RowProgram> trace_many_rows(const Prepared& prepared, const RowData& rows,
                                                        const StanModelOptions& options) {
  if (!can_be_parted(prepared, rows)) return nullptr;
  PreparedRows source(prepared, rows);
  MemoryLines lines;
  StanModelOptions own = options;
  own.strata.clear();
  try {
    ChunkedRows traced = trace_in_chunks(prepared.program, prepared.sources, source, own, lines);
    if (traced.program.global.parameter_count != prepared.dim) return nullptr;
    traced.program.classes.front().constants = std::move(lines.all);
    return std::make_shared<const tape::RowProgram>(std::move(traced.program));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    return nullptr;
  }
}

ChunkedRows trace_in_chunks(const lang::Program& program, const SourceMap& sources, RowSource& source,
                            const StanModelOptions& options, LineSink& sink) {
  return ChunkTracer(program, sources, source, options).run(sink);
}

}  // namespace kullback::model
