#include "tape/record/trace_size.hpp"

#include <map>
#include <utility>

namespace kullback::tape {

namespace {

std::size_t ids_of(const Builder& builder, const RawInstruction& r) {
  std::size_t ids = 0;
  for (std::uint32_t j = 0; j < r.operand_count; ++j) ids += builder.operands()[r.first_operand + j].size;
  return ids;
}

std::size_t bytes_of(const Builder& builder, const RawInstruction& r) {
  return sizeof r + r.operand_count * sizeof(RawOperand) + ids_of(builder, r) * sizeof(Id) +
         r.result_size * sizeof(double);
}

}  // namespace

TraceSize size_of(const Builder& builder) {
  TraceSize size;
  std::map<std::pair<FileId, std::uint32_t>, std::pair<std::size_t, Span>> statements;
  for (const RawInstruction& r : builder.instructions()) {
    auto& [bytes, span] = statements[{r.span.file, r.span.begin}];
    bytes += bytes_of(builder, r);
    span = r.span;
  }
  std::size_t most = 0;
  for (const auto& [place, statement] : statements) {
    size.bytes += statement.first;
    if (statement.first > most) {
      most = statement.first;
      size.largest = statement.second;
    }
  }
  if (size.bytes > 0) size.share_of_it = static_cast<double>(most) / static_cast<double>(size.bytes);
  size.bytes = builder.bytes();
  return size;
}

std::size_t estimated_bytes(const Builder& builder, std::size_t lanes) {
  std::size_t partials = 0;
  for (const RawInstruction& r : builder.instructions()) {
    if (r.kind == OpKind::density) partials += ids_of(builder, r);
  }
  const std::size_t per_lane = 2 * builder.values().size() + partials;
  return builder.bytes() + per_lane * lanes * sizeof(double);
}

}  // namespace kullback::tape
