#include "tape/constraint_check.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <stdexcept>

#include "base/error.hpp"
#include "math/transforms/records.hpp"

namespace kullback::tape {

namespace {

math::Shape one_number(std::span<const math::DenseArgument>) { return {}; }

template <const math::TransformDef& transform>
void check(const math::ArrayCall& call) {
  const math::DenseArgument& value = call.arguments.front();
  const auto violation =
      math::find_violation(transform, {value.shape, call.arguments.subspan(1), value.data});
  if (violation) throw std::domain_error(violation->what);
  call.result[0] = 0;
}

void no_adjoint(const math::ArrayCall&) {}

struct Entry {
  const math::TransformDef* transform;
  math::ArrayOp op;
};

template <const math::TransformDef& transform>
Entry entry(std::string_view name) {
  return {&transform, {name, {}, one_number, nullptr, check<transform>, no_adjoint}};
}

struct Range {
  std::string_view function;
  double low;
  double high;
};

// Functions that leave their range for no argument; NaN only comes from NaN.
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kRanges = {
    Range{"exp", 0, kInfinity},
    Range{"exp2", 0, kInfinity},
    Range{"square", 0, kInfinity},
    Range{"abs", 0, kInfinity},
    Range{"fabs", 0, kInfinity},
    Range{"inv_square", 0, kInfinity},
    Range{"log1p_exp", 0, kInfinity},
    Range{"inv_logit", 0, 1},
    Range{"Phi", 0, 1},
    Range{"Phi_approx", 0, 1},
    Range{"inv_cloglog", 0, 1},
    Range{"cosh", 1, kInfinity},
    Range{"tanh", -1, 1},
};

// The extreme number of a transform's bound; nothing where the bound depends on parameters.
template <class Extreme>
std::optional<double> bound_of(const Builder& builder, const RawInstruction& r, std::uint32_t which,
                               Extreme extreme) {
  const RawOperand& operand = builder.operands()[r.first_operand + which];
  std::optional<double> found;
  for (const Id id : std::span<const Id>(builder.pool()).subspan(operand.first, operand.size)) {
    if (!is_constant(id)) return {};
    found = found ? extreme(*found, builder.value(id)) : builder.value(id);
  }
  return found;
}

std::optional<Range> range_of(const Builder& builder, Id id, int depth);

// Of c + w inv_logit(y) and its like: sums, differences with data, products of what is not negative.
std::optional<Range> range_of_arithmetic(const Builder& builder, const RawInstruction& r, Id id, int depth) {
  const std::string_view name = static_cast<const math::Elementwise*>(r.definition)->name;
  if (name != "add" && name != "subtract" && name != "multiply") return {};
  const auto operand = [&](std::uint32_t j) {
    const RawOperand& o = builder.operands()[r.first_operand + j];
    return range_of(builder, builder.pool()[o.first + (o.size == 1 ? 0 : id - r.result)], depth + 1);
  };
  const std::optional<Range> a = operand(0);
  const std::optional<Range> b = operand(1);
  if (!a || !b) return {};
  if (name == "add") return Range{name, a->low + b->low, a->high + b->high};
  if (name == "subtract") return Range{name, a->low - b->high, a->high - b->low};
  if (a->low < 0 || b->low < 0 || a->high == kInfinity || b->high == kInfinity) return {};
  return Range{name, a->low * b->low, a->high * b->high};
}

std::optional<Range> range_of_transform(const Builder& builder, const RawInstruction& r) {
  const auto least = [](double a, double b) { return std::min(a, b); };
  const auto most = [](double a, double b) { return std::max(a, b); };
  const std::string_view name = static_cast<const math::TransformDef*>(r.definition)->name;
  if (name == "simplex") return Range{name, 0, 1};
  if (name == "positive_ordered") return Range{name, 0, kInfinity};
  const bool above = name == "lower" || name == "lower_upper";
  const bool below = name == "upper" || name == "lower_upper";
  if (!above && !below) return {};
  const std::optional<double> low = above ? bound_of(builder, r, 1, least) : -kInfinity;
  const std::optional<double> high = below ? bound_of(builder, r, above ? 2 : 1, most) : kInfinity;
  return low && high ? std::optional(Range{name, *low, *high}) : std::nullopt;
}

std::optional<Range> range_of(const Builder& builder, Id id, int depth) {
  constexpr int kDeepest = 4;
  if (is_constant(id)) return Range{{}, builder.value(id), builder.value(id)};
  const RawInstruction* r = builder.producer(id);
  if (r == nullptr || depth > kDeepest) return {};
  if (r->kind == OpKind::transform) return range_of_transform(builder, *r);
  if (r->kind != OpKind::elementwise) return {};
  const std::string_view name = static_cast<const math::Elementwise*>(r->definition)->name;
  const auto* known = std::find_if(kRanges.begin(), kRanges.end(),
                                   [&](const Range& range) { return range.function == name; });
  return known != kRanges.end() ? *known : range_of_arithmetic(builder, *r, id, depth);
}

bool is_within(const Builder& builder, Id id, double lower, double upper) {
  const std::optional<Range> range = range_of(builder, id, 0);
  return range && range->low >= lower && range->high <= upper;
}

}  // namespace

const math::ArrayOp& constraint_check(const math::TransformDef& transform) {
  static const std::array kChecks = {
#define KULLBACK_TRANSFORM(name) entry<math::transforms::name##_transform>("check_" #name),
#include "math/transforms/transforms.def"
#undef KULLBACK_TRANSFORM
  };
  for (const Entry& known : kChecks) {
    if (known.transform == &transform) return known.op;
  }
  throw Error(ErrorKind::internal, "a constraint has no check");
}

bool always_within(const Builder& builder, const Ids& ids, double lower, double upper) {
  return std::all_of(ids.begin(), ids.end(), [&](Id id) { return is_within(builder, id, lower, upper); });
}

}  // namespace kullback::tape
