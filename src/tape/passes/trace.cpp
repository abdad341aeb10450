#include "tape/passes/trace.hpp"

#include <algorithm>
#include <utility>

namespace kullback::tape {

bool all_constant(std::span<const Id> ids) { return std::all_of(ids.begin(), ids.end(), is_constant); }

Trace make_trace(Builder builder) {
  Trace trace;
  trace.parameter_count = builder.parameter_count_;
  trace.slot_count = static_cast<std::uint32_t>(builder.values_.size());
  trace.instructions = std::move(builder.instructions_);
  trace.operands = std::move(builder.operands_);
  trace.pool = std::move(builder.pool_);
  trace.shapes = std::move(builder.shapes_);
  trace.constants = std::move(builder.constants_);
  trace.guards = std::move(builder.guards_);
  trace.outputs = std::move(builder.outputs_);
  trace.solvers = std::move(builder.solvers_);
  trace.target.reserve(builder.target_.size());
  for (const Id id : builder.target_) trace.target.push_back({id, 1});
  return trace;
}

std::vector<std::uint32_t> find_producers(const Trace& trace) {
  std::vector<std::uint32_t> producer(trace.slot_count, Uses::kNone);
  for (std::uint32_t i = 0; i < trace.instructions.size(); ++i) {
    const RawInstruction& r = trace.instructions[i];
    std::fill_n(producer.begin() + r.result, r.result_size, i);
  }
  return producer;
}

Uses find_uses(const Trace& trace) {
  Uses uses;
  uses.producer.assign(trace.slot_count, Uses::kNone);
  uses.count.assign(trace.slot_count, 0);
  uses.target_count.assign(trace.slot_count, 0);
  const auto use = [&](Id id) {
    if (!is_constant(id)) ++uses.count[id];
  };
  for (std::uint32_t i = 0; i < trace.instructions.size(); ++i) {
    const RawInstruction& r = trace.instructions[i];
    std::fill_n(uses.producer.begin() + r.result, r.result_size, i);
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      for (const Id id : trace.operand(r, j)) use(id);
    }
  }
  for_each_root(trace, use);
  for (const TargetTerm& term : trace.target) {
    if (!is_constant(term.id)) ++uses.target_count[term.id];
  }
  return uses;
}

bool has_density(const Trace& trace, std::initializer_list<std::string_view> families) {
  std::vector<const void*> wanted;
  for (const std::string_view family : families)
    wanted.push_back(&math::find_distribution(family)->log_density);
  return std::any_of(trace.instructions.begin(), trace.instructions.end(), [&](const RawInstruction& r) {
    return r.kind == OpKind::density && std::find(wanted.begin(), wanted.end(), r.definition) != wanted.end();
  });
}

std::vector<std::uint32_t> find_levels(const Trace& trace) {
  std::vector<std::uint32_t> level(trace.slot_count, 0);
  for (const RawInstruction& r : trace.instructions) {
    std::uint32_t own = 0;
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      for (const Id id : trace.operand(r, j)) {
        if (!is_constant(id)) own = std::max(own, level[id]);
      }
    }
    std::fill_n(level.begin() + r.result, r.result_size, own + 1);
  }
  return level;
}

math::Terms terms_of_family(math::Terms glm, std::uint32_t design) {
  const unsigned before = glm.varying & ((1U << design) - 1U);
  const unsigned predictor = (glm.varying >> design & 0b111U) != 0 ? 1U << design : 0U;
  glm.varying = before | predictor | glm.varying >> (design + 3U) << (design + 1U);
  return glm;
}

}  // namespace kullback::tape
