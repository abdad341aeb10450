// The rows' program of data that are too many to be traced at once: some rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "lang/program.hpp"
#include "model/data.hpp"
#include "model/prepared.hpp"
#include "tape/rows/rows.hpp"

namespace kullback::model {

struct StanModelOptions;
struct RowData;

// The data of a program, some rows at a time.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual std::size_t count() const = 0;
  // All data as a file has them, with rows [first, first + count) alone and their size accordingly.
  virtual Data rows(std::size_t first, std::size_t count) = 0;
};

// Takes the constants of rows, in order.
class LineSink {
 public:
  virtual ~LineSink() = default;
  virtual void append(const std::vector<double>& lines) = 0;
  virtual void expect(std::size_t numbers) { (void)numbers; }  // in all
};

struct ChunkedRows {
  tape::RowProgram program;                  // its class has the constants of the first row only
  std::shared_ptr<const Prepared> prepared;  // of some rows
};

// Runs the program on some rows after another, as if these were all, and puts together what their terms are
// made of. The density must be a sum over rows whose terms have one form and know nothing of other rows or of
// their number, with no parameters of rows: throws Error where it is found not to be so. That rows know
// nothing of others is seen from some rows that are traced in different company.
ChunkedRows trace_in_chunks(const lang::Program& program, const SourceMap& sources, RowSource& source,
                            const StanModelOptions& options, LineSink& sink);

// The rows' program of data in memory, where there are so many rows that it is worth it; null where there are
// not, or trace_in_chunks() refuses: then all rows are to be traced at once.
std::shared_ptr<const tape::RowProgram> trace_many_rows(const Prepared& prepared, const RowData& rows,
                                                        const StanModelOptions& options);

}  // namespace kullback::model
