#include "tape/trace/constraint_check.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "base/error.hpp"
#include "math/transforms/records.hpp"
#include "tape/record/number_range.hpp"

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
  const Recorded program{builder.operands(), builder.pool(), builder.constants(),
                         [&](Id id) { return builder.producer(id); }};
  return std::all_of(ids.begin(), ids.end(), [&](Id id) {
    const std::optional<NumberRange> range = range_of(program, id);
    return range && range->low >= lower && range->high <= upper;
  });
}

}  // namespace kullback::tape
