// What tape/compile.cpp asks when it packs: the code of a function, and recurrences instead of chains of
// steps.
#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tape/packed/packed.hpp"

namespace kullback::tape {

namespace {

struct Named {
  std::string_view name;
  MicroCode code;
};
constexpr Named kNamed[] = {
    {"add", MicroCode::add},
    {"subtract", MicroCode::subtract},
    {"multiply", MicroCode::multiply},
    {"divide", MicroCode::divide},
    {"minus", MicroCode::minus},
    {"square", MicroCode::square},
    {"sqrt", MicroCode::sqrt},
    {"inv", MicroCode::inv},
    {"exp", MicroCode::exp},
    {"log", MicroCode::log},
    {"log1p", MicroCode::log1p},
    {"log1m", MicroCode::log1m},
    {"inv_logit", MicroCode::inv_logit},
    {"log1p_exp", MicroCode::log1p_exp},
    {"tanh", MicroCode::tanh},
    {"log_sum_exp", MicroCode::log_sum_exp_2},
    {"fma", MicroCode::fma},
};

// One step of a recurrence: result = m * x + c.
struct Step {
  std::uint32_t x, m, c;
};

bool is_step(const Packed& packed, const MicroOp& op, std::uint32_t x, std::uint32_t one, Step& step) {
  if (op.code == MicroCode::add && op.a != op.b && (op.a == x || op.b == x)) {
    step = {x, one, op.a == x ? op.b : op.a};
    return true;
  }
  if (op.code != MicroCode::fma) return false;
  const std::uint32_t* slots = packed.pool.data() + op.a;
  if (slots[2] == x || slots[0] == slots[1] || (slots[0] != x && slots[1] != x)) return false;
  step = {x, slots[0] == x ? slots[1] : slots[0], slots[2]};
  return true;
}

// The start of a run: which operand is the number before cannot be read off one step, so it is the one that
// makes the second a step.
std::size_t run_length(const Packed& packed, std::size_t first, std::uint32_t one, std::vector<Step>& steps) {
  const std::vector<MicroOp>& ops = packed.ops;
  std::uint32_t candidates[2];
  const MicroOp& op = ops[first];
  if (op.code == MicroCode::add) {
    candidates[0] = op.a;
    candidates[1] = op.b;
  } else if (op.code == MicroCode::fma) {
    candidates[0] = packed.pool[op.a];
    candidates[1] = packed.pool[op.a + 1];
  } else {
    return 0;
  }
  steps.clear();
  std::size_t i = first + 1;
  Step step{};
  for (; i < ops.size() && ops[i].result == ops[i - 1].result + 1; ++i) {
    if (!is_step(packed, ops[i], ops[i - 1].result, one, step)) break;
    steps.push_back(step);
  }
  if (steps.empty()) return 0;
  // The first step: prefer the operand whose factor is that of the second.
  Step start{};
  if (!is_step(packed, op, candidates[1], one, start) && !is_step(packed, op, candidates[0], one, start))
    return 0;
  Step other{};
  if (is_step(packed, op, candidates[0], one, other) && other.m == steps.front().m) start = other;
  steps.insert(steps.begin(), start);
  return i - first;
}

constexpr std::size_t kShortestRun = 6;

bool share_factor(std::span<const Step> steps) {
  return std::all_of(steps.begin(), steps.end(), [&](const Step& step) { return step.m == steps.front().m; });
}

}  // namespace

void roll_recurrences(Packed& packed, std::uint32_t one) {
  std::vector<MicroOp> rolled;
  std::vector<Step> steps;
  rolled.reserve(packed.ops.size());
  for (std::size_t i = 0; i < packed.ops.size();) {
    const std::size_t length = run_length(packed, i, one, steps);
    if (length < kShortestRun) {
      const std::size_t kept = length > 1 ? length - 1 : 1;  // the last may begin another run
      rolled.insert(rolled.end(), packed.ops.begin() + static_cast<long>(i),
                    packed.ops.begin() + static_cast<long>(i + kept));
      i += kept;
      continue;
    }
    const bool shared = share_factor(steps);
    if (!shared && length > kShortestRun && share_factor({steps.begin() + 1, steps.end()})) {
      rolled.push_back(packed.ops[i++]);  // the steps after the first share theirs
      continue;
    }
    rolled.push_back({shared ? MicroCode::recurrence_shared : MicroCode::recurrence, 0, packed.ops[i].result,
                      static_cast<std::uint32_t>(packed.pool.size()), static_cast<std::uint32_t>(length)});
    packed.pool.push_back(steps.front().x);
    if (shared) packed.pool.push_back(steps.front().m);
    for (const Step& step : steps) {
      if (!shared) packed.pool.push_back(step.m);
      packed.pool.push_back(step.c);
    }
    i += length;
  }
  packed.ops = std::move(rolled);
}

MicroCode micro_code(const math::Elementwise& f) {
  for (const Named& named : kNamed) {
    if (named.name == f.name) return named.code;
  }
  return MicroCode::elementwise;
}

MicroCode many_code(MicroCode code) {
  switch (code) {
    case MicroCode::add: return MicroCode::add_many;
    case MicroCode::subtract: return MicroCode::subtract_many;
    case MicroCode::multiply: return MicroCode::multiply_many;
    case MicroCode::fma: return MicroCode::fma_many;
    default: return MicroCode::elementwise;
  }
}

}  // namespace kullback::tape
