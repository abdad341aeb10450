#include "tape/record/not_finite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tape/record/operation_name.hpp"

namespace kullback::tape {

namespace {

class Search final {
 public:
  explicit Search(const Builder& builder) : builder_(builder) {}

  NotFinite run() const {
    const Ids& target = builder_.target();
    for (std::size_t t = 0; t < target.size(); ++t) {
      if (!is_bad(target[t])) continue;
      if (is_constant(target[t])) {
        return {builder_.target_spans()[t], fmt::format("a term of the target is {}", shown(target[t]))};
      }
      return origin(target[t]);
    }
    return {builder_.target_spans().empty() ? Span{} : builder_.target_spans().back(),
            "every term of the target is finite, but their sum is not"};
  }

 private:
  const Builder& builder_;

  // NaN has no sign worth showing.
  double shown(Id id) const {
    const double x = builder_.value(id);
    return std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x;
  }

  bool is_bad(Id id) const { return !std::isfinite(builder_.value(id)); }

  std::span<const Id> operand(const RawInstruction& r, std::uint32_t j) const {
    const RawOperand& o = builder_.operands()[r.first_operand + j];
    return builder_.ids_of(o);
  }

  // Of elementwise operations only the operands of that element count.
  const Id* bad_operand(const RawInstruction& r, Id result) const {
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      const std::span<const Id> ids = operand(r, j);
      if (r.kind == OpKind::elementwise) {
        const Id& id = ids[ids.size() == 1 ? 0 : result - r.result];
        if (!is_constant(id) && is_bad(id)) return &id;
        continue;
      }
      const auto bad =
          std::find_if(ids.begin(), ids.end(), [&](Id id) { return !is_constant(id) && is_bad(id); });
      if (bad != ids.end()) return &*bad;
    }
    return nullptr;
  }

  NotFinite origin(Id id) const {
    const RawInstruction* r = builder_.producer(id);
    while (r != nullptr) {
      const Id* earlier = bad_operand(*r, id);
      if (earlier == nullptr) return {r->span, describe(*r, id)};
      id = *earlier;
      r = builder_.producer(id);
    }
    return {builder_.span(), fmt::format("a parameter is {}", shown(id))};
  }

  std::string describe(const RawInstruction& r, Id id) const {
    const std::string name = operation_name(r.kind, r.definition);
    if (r.kind == OpKind::elementwise && builder_.is_declaration(r))
      return fmt::format("the parameter declared here is {}", shown(id));
    if (r.kind == OpKind::elementwise) {
      return fmt::format("{}({}) is {}", name, fmt::join(arguments(r, id - r.result), ", "), shown(id));
    }
    if (r.kind == OpKind::density) return describe_density(r, name, shown(id));
    if (r.kind == OpKind::transform) {
      const bool jacobian = id == r.result + r.result_size - 1;
      return fmt::format("the {}parameter declared here is {}", jacobian ? "log-Jacobian of the " : "",
                         shown(id));
    }
    return fmt::format("{} is {}", name, shown(id));
  }

  std::vector<double> arguments(const RawInstruction& r, std::size_t element) const {
    std::vector<double> numbers;
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      const std::span<const Id> ids = operand(r, j);
      numbers.push_back(builder_.value(ids[ids.size() == 1 ? 0 : element]));
    }
    return numbers;
  }

  std::string describe_density(const RawInstruction& r, const std::string& name, double total) const {
    const auto& f = *static_cast<const math::Density*>(r.definition);
    for (std::uint32_t e = 0; e < r.count; ++e) {
      const std::vector<double> x = arguments(r, e);
      const double value = f.value(x.data(), r.terms, nullptr);
      if (std::isfinite(value)) continue;
      const std::string_view bar = x.size() > 1 ? " | " : "";
      std::string text =
          fmt::format("{}({}{}{}) is {}", name, x.front(), bar, fmt::join(x.begin() + 1, x.end(), ", "),
                      std::isnan(value) ? total : value);
      if (r.count > 1) text += fmt::format(" (element {} of {})", e + 1, r.count);
      return text;
    }
    return fmt::format("{} is {}", name, total);
  }
};

}  // namespace

NotFinite find_not_finite(const Builder& builder) { return Search(builder).run(); }

}  // namespace kullback::tape
