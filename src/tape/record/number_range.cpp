#include "tape/record/number_range.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace kullback::tape {

namespace {

using Range = std::optional<NumberRange>;

constexpr int kDeepest = 4;  // operations between a number and what bounds it
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct FunctionRange {
  std::string_view function;
  NumberRange range;
};

// Functions that leave their range for no argument.
constexpr std::array kRanges = {
    FunctionRange{"exp", {0, kInfinity}},
    FunctionRange{"exp2", {0, kInfinity}},
    FunctionRange{"square", {0, kInfinity}},
    FunctionRange{"abs", {0, kInfinity}},
    FunctionRange{"fabs", {0, kInfinity}},
    FunctionRange{"inv_square", {0, kInfinity}},
    FunctionRange{"log1p_exp", {0, kInfinity}},
    FunctionRange{"inv_logit", {0, 1}},
    FunctionRange{"Phi", {0, 1}},
    FunctionRange{"Phi_approx", {0, 1}},
    FunctionRange{"inv_cloglog", {0, 1}},
    FunctionRange{"cosh", {1, kInfinity}},
    FunctionRange{"tanh", {-1, 1}},
};

class Search final {
 public:
  explicit Search(const Recorded& program) : program_(program) {}

  Range of(Id id, int depth) const {
    if (is_constant(id)) return NumberRange{constant(id), constant(id)};
    const RawInstruction* r = program_.producer(id);
    if (r == nullptr || depth > kDeepest) return {};
    if (r->kind == OpKind::transform) return of_transform(*r);
    if (r->kind != OpKind::elementwise) return {};
    const std::string_view name = static_cast<const math::Elementwise*>(r->definition)->name;
    const auto* known = std::find_if(kRanges.begin(), kRanges.end(),
                                     [&](const FunctionRange& range) { return range.function == name; });
    return known != kRanges.end() ? known->range : of_arithmetic(*r, name, id, depth);
  }

 private:
  const Recorded& program_;

  double constant(Id id) const { return program_.constants[id & ~kConstantBit]; }
  std::span<const Id> operand(const RawInstruction& r, std::uint32_t j) const {
    const RawOperand& o = program_.operands[r.first_operand + j];
    return program_.pool.list(o.first, o.size);
  }

  // Of c + w inv_logit(y) and its like: sums, differences, products of what is not negative.
  Range of_arithmetic(const RawInstruction& r, std::string_view name, Id id, int depth) const {
    if (name != "add" && name != "subtract" && name != "multiply") return {};
    const auto range = [&](std::uint32_t j) {
      const std::span<const Id> ids = operand(r, j);
      return of(ids[ids.size() == 1 ? 0 : id - r.result], depth + 1);
    };
    const Range a = range(0);
    const Range b = range(1);
    if (!a || !b) return {};
    if (name == "add") return NumberRange{a->low + b->low, a->high + b->high};
    if (name == "subtract") return NumberRange{a->low - b->high, a->high - b->low};
    if (a->low < 0 || b->low < 0 || a->high == kInfinity || b->high == kInfinity) return {};
    return NumberRange{a->low * b->low, a->high * b->high};
  }

  Range of_transform(const RawInstruction& r) const {
    const auto least = [](double a, double b) { return std::min(a, b); };
    const auto most = [](double a, double b) { return std::max(a, b); };
    const std::string_view name = static_cast<const math::TransformDef*>(r.definition)->name;
    if (name == "simplex") return NumberRange{0, 1};
    if (name == "positive_ordered") return NumberRange{0, kInfinity};
    const bool above = name == "lower" || name == "lower_upper";
    const bool below = name == "upper" || name == "lower_upper";
    if (!above && !below) return {};
    const std::optional<double> low = above ? bound_of(r, 1, least) : -kInfinity;
    const std::optional<double> high = below ? bound_of(r, above ? 2 : 1, most) : kInfinity;
    return low && high ? Range(NumberRange{*low, *high}) : std::nullopt;
  }

  // The extreme number of a transform's bound; nothing where the bound depends on parameters.
  template <class Extreme>
  std::optional<double> bound_of(const RawInstruction& r, std::uint32_t which, Extreme extreme) const {
    std::optional<double> found;
    for (const Id id : operand(r, which)) {
      if (!is_constant(id)) return {};
      found = found ? extreme(*found, constant(id)) : constant(id);
    }
    return found;
  }
};

}  // namespace

std::optional<NumberRange> range_of(const Recorded& program, Id id) { return Search(program).of(id, 0); }

}  // namespace kullback::tape
