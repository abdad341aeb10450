#include "model/memory_limit.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/place.hpp"
#include "tape/trace_size.hpp"

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

void check_workspace_size(const tape::Tape& tape, std::size_t lanes, std::size_t limit) {
  std::size_t per_lane = 2 * tape.slot_count;
  for (const tape::Instruction& i : tape.instructions) per_lane += i.scratch_size;
  const std::size_t bytes = per_lane * lanes * sizeof(double);
  if (bytes <= limit) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{} draws at once need about {} of memory, but {} can be used.", lanes,
                          bytes_text(static_cast<double>(bytes)), bytes_text(static_cast<double>(limit))),
              "Evaluate fewer draws at once, or raise the limit.");
}

}  // namespace kullback::model
