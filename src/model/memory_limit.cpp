#include "model/memory_limit.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/place.hpp"
#include "tape/record/trace_size.hpp"
#include "tape/run/workspace.hpp"

namespace kullback::model {

void refuse_size(const tape::Builder& builder, const SourceMap& sources, std::size_t bytes,
                 std::size_t limit) {
  const tape::TraceSize size = tape::size_of(builder);
  const bool finished = bytes > size.bytes;
  std::string message = fmt::format(
      "the program with these data needs {} {} of memory for {}{} operations, but {} can be used",
      finished ? "about" : "more than", bytes_text(static_cast<double>(bytes)), finished ? "" : "its first ",
      builder.instructions().size(), bytes_text(static_cast<double>(limit)));
  if (size.share_of_it > 0) {
    message += fmt::format("; {:.0f} % come from the statement at {}", 100 * size.share_of_it,
                           place_text(sources, size.largest));
  }
  throw Error(ErrorKind::bad_input, message + ".",
              "A vectorised statement takes less than a loop; --max-memory sets the limit.");
}

void refuse_allocation(const tape::Builder& builder, const SourceMap& sources) {
  throw Error(
      ErrorKind::bad_input,
      fmt::format("{}: out of memory: this statement wants more numbers than fit into the {} that are "
                  "free.",
                  place_text(sources, builder.span()), bytes_text(static_cast<double>(available_memory()))),
      "Check the sizes in the program, and those in the data.");
}

namespace {

[[noreturn]] void refuse_batch(const std::string& what, std::size_t bytes, std::size_t limit,
                               const std::string& hint) {
  throw Error(ErrorKind::bad_input,
              fmt::format("{} about {} of memory, but {} can be used.", what,
                          bytes_text(static_cast<double>(bytes)), bytes_text(static_cast<double>(limit))),
              hint + ", or raise the limit (--max-memory).");
}

std::string draws_text(std::size_t lanes) {
  return lanes == 1 ? "one draw needs" : fmt::format("{} draws at once need", lanes);
}

}  // namespace

void check_workspace_size(const tape::Tape& tape, std::size_t lanes, std::size_t limit, std::size_t rows) {
  const std::size_t bytes = tape::Workspace::bytes_per_lane(tape) * lanes;
  if (bytes <= limit) return;
  if (rows == 0) refuse_batch(draws_text(lanes), bytes, limit, "Evaluate fewer draws at once");
  refuse_batch(fmt::format("a minibatch of {} row{}: {}", rows, rows == 1 ? "" : "s", draws_text(lanes)),
               bytes, limit, "Choose fewer rows, or fewer draws at once");
}

void check_row_tape_size(const tape::RowProgram& program, std::span<const std::uint32_t> counts,
                         std::size_t limit) {
  std::size_t bytes = 0;
  std::size_t rows = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    std::size_t each = 0;  // an operation of the trace, its operands and its slots
    for (const tape::RowInstruction& r : program.classes[c].instructions) {
      each += sizeof(tape::RawInstruction) + r.operand_sizes.size() * sizeof(tape::RawOperand) +
              r.references.size() * sizeof(tape::Id) + r.raw.result_size * sizeof(double);
    }
    bytes += counts[c] * each;
    rows += counts[c];
  }
  if (bytes <= limit) return;
  refuse_batch(fmt::format("the tape of a minibatch of {} row{} needs", rows, rows == 1 ? "" : "s"), bytes,
               limit, "Choose fewer rows");
}

}  // namespace kullback::model
