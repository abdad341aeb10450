// Constraints of one number at a time, recorded as ordinary operations, which batch and simplify like any
// others:
//   lower a:              x = a + exp(y)               log|dx/dy| = y
//   upper b:              x = b - exp(y)               log|dx/dy| = y
//   lower a, upper b:     x = a + (b - a) logistic(y)  log|dx/dy| = log(b - a) + logistic_lpdf(y | 0, 1)
//   offset m, multiplier s: x = m + s y                log|dx/dy| = log s
// Infinite bounds are left to the transform's own kernel.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "math/distribution.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::tape {

namespace {

// A bound with fewer numbers than the value begins again at each item.
Ids repeated(const Ids& bound, std::size_t count) {
  if (bound.size() == 1 || bound.size() == count) return bound;
  Ids all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = bound[i % bound.size()];
  return all;
}

}  // namespace

bool Tracer::constrain_elements(const math::TransformDef& transform, const Ids& free, std::vector<Ids> bounds,
                                Ids& value) {
  const bool lower = transform.name == "lower";
  const bool upper = transform.name == "upper";
  const bool both = transform.name == "lower_upper";
  const bool affine = transform.name == "offset_multiplier";
  if (!lower && !upper && !both && !affine) return false;
  for (Ids& bound : bounds) {
    const bool finite =
        std::all_of(bound.begin(), bound.end(), [this](Id id) { return std::isfinite(builder_.value(id)); });
    if (!finite) return false;
    bound = repeated(bound, free.size());
  }
  const auto apply_to = [&](std::string_view name, std::initializer_list<Ids> operands) {
    std::size_t count = 1;
    for (const Ids& operand : operands) count = std::max(count, operand.size());
    return builder_.elementwise(*math::find_elementwise(name),
                                std::span<const Ids>(operands.begin(), operands.size()), count);
  };
  const auto add_targets = [&](const Ids& ids) {
    if (!options_.jacobian) return;
    for (const Id id : ids) builder_.add_target(id);
  };
  // One term for each number, also where one bound serves all.
  const auto add_logs = [&](const Ids& ids) {
    if (!options_.jacobian) return;
    Ids logs = apply_to("log", {ids});
    if (builder_.tracks_rows() && ids.size() < free.size()) {
      std::vector<RowTag> tags;
      for (const Id id : free) tags.push_back(builder_.tag(id));
      logs = builder_.tagged(Ids(free.size(), logs.front()), tags);
    } else if (ids.size() < free.size())
      logs = apply_to("multiply", {logs, {builder_.constant(static_cast<double>(free.size()))}});
    add_targets(logs);
  };
  if (lower || upper) {
    value = apply_to(lower ? "add" : "subtract", {bounds[0], apply_to("exp", {free})});
    add_targets(free);
  } else if (both) {
    for (std::size_t i = 0; i < std::max(bounds[0].size(), bounds[1].size()); ++i) {
      const Id a = bounds[0][bounds[0].size() == 1 ? 0 : i];
      const Id b = bounds[1][bounds[1].size() == 1 ? 0 : i];
      if (!builder_.compare(Guard::Relation::less, a, b)) {
        refuse(fmt::format("the lower bound {} is not below the upper bound {}.", builder_.value(a),
                           builder_.value(b)));
      }
    }
    const Ids width = apply_to("subtract", {bounds[1], bounds[0]});
    value = apply_to("add", {bounds[0], apply_to("multiply", {width, apply_to("inv_logit", {free})})});
    if (options_.jacobian) {
      const std::array<Ids, 3> logistic{free, {builder_.constant(0)}, {builder_.constant(1)}};
      builder_.add_target(
          builder_.density(math::find_distribution("logistic")->log_density, {}, logistic, free.size()));
    }
    add_logs(width);
  } else {
    for (const Id sigma : bounds[1]) {
      if (!builder_.compare(Guard::Relation::less, builder_.constant(0), sigma))
        refuse(fmt::format("the multiplier is {}, but must be positive.", builder_.value(sigma)));
    }
    value = apply_to("add", {bounds[0], apply_to("multiply", {bounds[1], free})});
    add_logs(bounds[1]);
  }
  return true;
}

}  // namespace kullback::tape
