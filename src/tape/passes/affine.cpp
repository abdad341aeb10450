#include "tape/passes/affine.hpp"

#include <algorithm>

namespace kullback::tape {

namespace {

constexpr int kDeepest = 200;

enum class Linear { none, add, subtract, multiply, divide, minus, fma };

Linear linear_kind(const math::Elementwise* f) {
  static const std::pair<const math::Elementwise*, Linear> kAll[] = {
      {math::find_elementwise("add"), Linear::add},
      {math::find_elementwise("subtract"), Linear::subtract},
      {math::find_elementwise("multiply"), Linear::multiply},
      {math::find_elementwise("divide"), Linear::divide},
      {math::find_elementwise("minus"), Linear::minus},
      {math::find_elementwise("fma"), Linear::fma},
  };
  for (const auto& [known, kind] : kAll) {
    if (known == f) return kind;
  }
  return Linear::none;
}

}  // namespace

Affine::Affine(const Trace& trace, const Uses& uses, std::size_t most)
    : trace_(trace), uses_(uses), most_(most) {}

const std::optional<AffineForm>& Affine::of(Id id) {
  if (const auto at = known_.find(id); at != known_.end()) return at->second;
  ++depth_;
  std::optional<AffineForm> form = expand(id);
  --depth_;
  return known_.emplace(id, std::move(form)).first->second;
}

std::optional<AffineForm> Affine::expand(Id id) {
  if (is_constant(id)) return AffineForm{{}, trace_.constant(id)};
  const AffineForm itself{{{id, 1}}, 0};
  const std::uint32_t p = uses_.producer[id];
  if (p == Uses::kNone || depth_ > kDeepest) return itself;
  const RawInstruction& r = trace_.instructions[p];
  std::optional<AffineForm> form;
  if (r.kind == OpKind::elementwise) form = expand_elementwise(r, id - r.result);
  if (r.kind == OpKind::array) form = expand_product(r, id - r.result);
  return form ? form : itself;
}

std::optional<AffineForm> Affine::expand_elementwise(const RawInstruction& r, std::uint32_t element) {
  const Linear kind = linear_kind(static_cast<const math::Elementwise*>(r.definition));
  if (kind == Linear::none) return std::nullopt;
  Id operand[3] = {};
  for (std::uint32_t j = 0; j < r.operand_count; ++j) {
    const std::span<const Id> ids = trace_.operand(r, j);
    operand[j] = ids[ids.size() == 1 ? 0 : element];
  }
  AffineForm form;
  const auto plus = [&](Id id, double factor) {
    const std::optional<AffineForm>& part = of(id);
    return part && add(form, *part, factor);
  };
  const auto times = [&](Id a, Id b) {
    if (is_constant(a)) return plus(b, trace_.constant(a));
    return is_constant(b) && plus(a, trace_.constant(b));
  };
  bool linear = false;
  switch (kind) {
    case Linear::add: linear = plus(operand[0], 1) && plus(operand[1], 1); break;
    case Linear::subtract: linear = plus(operand[0], 1) && plus(operand[1], -1); break;
    case Linear::minus: linear = plus(operand[0], -1); break;
    case Linear::multiply: linear = times(operand[0], operand[1]); break;
    case Linear::divide:
      linear = is_constant(operand[1]) && plus(operand[0], 1 / trace_.constant(operand[1]));
      break;
    case Linear::fma: linear = times(operand[0], operand[1]) && plus(operand[2], 1); break;
    case Linear::none: break;
  }
  if (!linear) return std::nullopt;
  return form;
}

// Element i of a constant matrix times a vector, or of a constant row times one.
std::optional<AffineForm> Affine::expand_product(const RawInstruction& r, std::uint32_t element) {
  const auto& f = *static_cast<const math::ArrayOp*>(r.definition);
  if ((f.name != "multiply" && f.name != "dot_product") || r.operand_count != 2) return std::nullopt;
  const math::Shape& left = trace_.shapes[r.first_shape];
  const math::Shape& right = trace_.shapes[r.first_shape + 1];
  std::span<const Id> a = trace_.operand(r, 0);
  std::span<const Id> b = trace_.operand(r, 1);
  AffineForm form;
  std::size_t inner = 0;
  std::size_t stride = 1;
  if (f.name == "dot_product" || (left.rows == 1 && right.cols == 1)) {
    inner = a.size();
  } else if (right.cols == 1 && right.count == 1 && left.count == 1) {
    inner = left.cols;
    stride = left.rows;
  } else {
    return std::nullopt;
  }
  if (inner > most_ || a.size() < inner || b.size() != inner) return std::nullopt;
  for (std::size_t k = 0; k < inner; ++k) {
    Id x = a[k * stride + (stride == 1 ? 0 : element)];
    Id y = b[k];
    if (!is_constant(x)) std::swap(x, y);
    if (!is_constant(x)) return std::nullopt;
    const std::optional<AffineForm>& part = of(y);
    if (!part || !add(form, *part, trace_.constant(x))) return std::nullopt;
  }
  return form;
}

bool Affine::add(AffineForm& to, const AffineForm& from, double factor) const {
  to.constant += factor * from.constant;
  for (const AffineForm::Term& term : from.terms) {
    const auto at = std::lower_bound(to.terms.begin(), to.terms.end(), term.slot,
                                     [](const AffineForm::Term& t, Id slot) { return t.slot < slot; });
    if (at != to.terms.end() && at->slot == term.slot) {
      at->coefficient += factor * term.coefficient;
    } else {
      to.terms.insert(at, {term.slot, factor * term.coefficient});
    }
  }
  return to.terms.size() <= most_;
}

}  // namespace kullback::tape
