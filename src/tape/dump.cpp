#include "tape/dump.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/place.hpp"
#include "tape/packed/packed.hpp"
#include "tape/record/operation_name.hpp"
#include "tape/tape.hpp"

namespace kullback::tape {

namespace {

constexpr std::size_t kMostShown = 4;  // of operands that are no range

std::string_view relation_text(const Guard& guard) {
  switch (guard.relation) {
    case Guard::Relation::less: return guard.outcome ? "<" : "not <";
    case Guard::Relation::less_equal: return guard.outcome ? "<=" : "not <=";
    case Guard::Relation::equal: return guard.outcome ? "==" : "!=";
  }
  return "?";
}

std::string shape_text(const math::Shape& shape) {
  std::string text = fmt::format("{}x{}", shape.rows, shape.cols);
  if (shape.count != 1) text += fmt::format("x{}", shape.count);
  return text;
}

// "s3", "s3..s7"
std::string slots_text(std::size_t first, std::size_t count, std::size_t parameters) {
  const auto name = [&](std::size_t slot) {
    return fmt::format("{}{}", slot < parameters ? 'p' : 's', slot);
  };
  return count == 1 ? name(first) : fmt::format("{}..{}", name(first), name(first + count - 1));
}

// Everything about one line but the operands.
struct Line {
  std::string result;
  std::string function;
  std::vector<std::string> operands;
  std::size_t count = 1;
  Span span;
};

std::string line_text(const Line& line, const SourceMap& sources) {
  std::string text = fmt::format("{} = {}({})", line.result, line.function, fmt::join(line.operands, ", "));
  if (line.count > 1) text += fmt::format(" * {}", line.count);
  return fmt::format("{:<72} # {}\n", text, place_text(sources, line.span));
}

class TraceText final {
 public:
  TraceText(const Trace& trace, const SourceMap& sources) : trace_(trace), sources_(sources) {}

  std::string run() const {
    std::string text =
        fmt::format("{} parameters, {} operations, {} slots, {} constants\n", trace_.parameter_count,
                    trace_.instructions.size(), trace_.slot_count, trace_.constants.size());
    for (const RawInstruction& r : trace_.instructions) {
      Line line{slots_text(r.result, r.result_size, trace_.parameter_count),
                operation_name(r.kind, r.definition),
                {},
                r.count,
                r.span};
      for (std::uint32_t j = 0; j < r.operand_count; ++j) line.operands.push_back(operand(r, j));
      text += line_text(line, sources_);
    }
    for (const Guard& g : trace_.guards)
      text += fmt::format("guard {} {} {}\n", one(g.left), relation_text(g), one(g.right));
    text += "target";
    for (const TargetTerm& term : trace_.target) {
      text += term.weight == 1 ? " + " : fmt::format(" + {} * ", term.weight);
      text += one(term.id);
    }
    return text + "\n";
  }

 private:
  const Trace& trace_;
  const SourceMap& sources_;

  std::string one(Id id) const {
    return is_constant(id) ? fmt::format("{}", trace_.constant(id))
                           : slots_text(id, 1, trace_.parameter_count);
  }

  std::string operand(const RawInstruction& r, std::uint32_t j) const {
    const std::span<const Id> ids = trace_.operand(r, j);
    if (ids.size() == 1) return one(ids.front());
    bool range = !ids.empty() && !is_constant(ids.front());
    for (std::size_t i = 0; i < ids.size(); ++i) range = range && ids[i] == ids.front() + i;
    if (range) return slots_text(ids.front(), ids.size(), trace_.parameter_count);
    std::string text;
    for (std::size_t i = 0; i < std::min(ids.size(), kMostShown); ++i)
      text += (i > 0 ? " " : "") + one(ids[i]);
    if (ids.size() > kMostShown) text += fmt::format(" ... {} in all", ids.size());
    return "[" + text + "]";
  }
};

class TapeText final {
 public:
  TapeText(const Tape& tape, const SourceMap& sources) : tape_(tape), sources_(sources) {}

  std::string run() const {
    std::string text = fmt::format(
        "{} parameters, {} instructions of {} operations, {} slots, {} constants\n", tape_.parameter_count,
        tape_.instructions.size(), tape_.raw_instruction_count, tape_.slot_count, tape_.constant_count());
    for (const auto& [slot, value] : tape_.presets) text += fmt::format("{} = {}\n", slots(slot, 1), value);
    for (const Instruction& i : tape_.instructions) {
      if (i.kind == OpKind::packed) {
        text += packed_text(tape_.packed[i.first_shape]);
        continue;
      }
      Line line{slots(i.result, i.result_size), operation_name(i.kind, i.definition), {}, i.count, i.span};
      const bool dense = i.kind == OpKind::array;
      for (std::uint32_t j = 0; j < i.operand_count; ++j) {
        std::string operand = operand_text(tape_.operands[i.first_operand + j]);
        if (dense) operand += ":" + shape_text(tape_.shapes[i.first_shape + j]);
        line.operands.push_back(std::move(operand));
      }
      text += line_text(line, sources_);
    }
    for (const Guard& g : tape_.guards)
      text += fmt::format("guard {} {} {}\n", slots(g.left, 1), relation_text(g), slots(g.right, 1));
    text += fmt::format("target {}", tape_.target_constant);
    for (const TargetRange& range : tape_.target) {
      text += range.weight == 1 ? " + " : fmt::format(" + {} * ", range.weight);
      text += range.count == 1 ? slots(range.slot, 1) : "sum(" + slots(range.slot, range.count) + ")";
    }
    return text + "\n";
  }

 private:
  const Tape& tape_;
  const SourceMap& sources_;

  std::string slots(std::size_t first, std::size_t count) const {
    return slots_text(first, count, tape_.parameter_count);
  }

  std::string packed_text(const Packed& packed) const {
    std::string text = fmt::format("{} packed operations\n", packed.ops.size());
    for (const MicroOp& op : packed.ops) {
      const MicroReads reads = reads_of(packed, op);
      text += fmt::format("  {} = {}(", slots(op.result, reads.results), micro_name(packed, op));
      for (std::size_t j = 0; j < std::min(reads.slots.size(), kMostShown); ++j)
        text += (j > 0 ? ", " : "") + slots(reads.slots[j], 1);
      if (reads.slots.size() > kMostShown) text += fmt::format(", ... {} in all", reads.slots.size());
      text += ")\n";
    }
    return text;
  }

  std::string operand_text(const TapeOperand& o) const {
    const std::size_t stored = o.step == 0 ? 1 : o.size;
    if (!o.constant && !o.gathered) return slots(o.base, stored);
    std::string text;
    for (std::size_t i = 0; i < std::min(stored, kMostShown); ++i) {
      text += (i > 0 ? " " : "") + (o.constant ? fmt::format("{}", tape_.constants_of(o)[i])
                                               : slots(tape_.indices[o.base + i], 1));
    }
    if (stored > kMostShown) text += fmt::format(" ... {} in all", stored);
    return stored == 1 ? text : "[" + text + "]";
  }
};

}  // namespace

std::string dump(const Builder& builder, const SourceMap& sources) {
  return dump(make_trace(builder), sources);
}

std::string dump(const Trace& trace, const SourceMap& sources) { return TraceText(trace, sources).run(); }

std::string dump(const Tape& tape, const SourceMap& sources) { return TapeText(tape, sources).run(); }

}  // namespace kullback::tape
