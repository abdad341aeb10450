// x + a * b, where nothing else reads the products, is one operation.
#include <algorithm>
#include <iterator>

#include "tape/passes/passes.hpp"

namespace kullback::tape {

namespace {

struct Functions {
  const math::Elementwise* add = math::find_elementwise("add");
  const math::Elementwise* multiply = math::find_elementwise("multiply");
  const math::Elementwise* fma = math::find_elementwise("fma");
};

const Functions& functions() {
  static const Functions all;
  return all;
}

class MultiplyAdder final {
 public:
  explicit MultiplyAdder(Trace& trace) : trace_(trace), uses_(find_uses(trace)), level_(find_levels(trace)) {}

  void run() {
    for (RawInstruction& r : trace_.instructions) {
      if (r.kind != OpKind::elementwise || r.definition != functions().add) continue;
      for (std::uint32_t j = 0; j < 2; ++j) {
        const RawInstruction* product = product_of(r, j);
        if (product == nullptr) continue;
        fuse(r, *product, 1 - j);
        break;
      }
    }
    drop_unused(trace_);
  }

 private:
  // The product that operand j is, element by element.
  const RawInstruction* product_of(const RawInstruction& r, std::uint32_t j) const {
    const std::span<const Id> ids = trace_.operand(r, j);
    if (ids.size() != r.count || is_constant(ids[0]) || uses_.producer[ids[0]] == Uses::kNone) return nullptr;
    const RawInstruction& p = trace_.instructions[uses_.producer[ids[0]]];
    if (p.kind != OpKind::elementwise || p.definition != functions().multiply || p.count != r.count)
      return nullptr;
    for (std::uint32_t e = 0; e < r.count; ++e) {
      if (ids[e] != p.result + e || uses_.count[ids[e]] != 1) return nullptr;
    }
    // A product that is known long before what it is added to is better computed with its like.
    const Id rest = trace_.operand(r, 1 - j)[0];
    if (!is_constant(rest) && level_[rest] > level_[ids[0]]) return nullptr;
    return &p;
  }

  void fuse(RawInstruction& r, const RawInstruction& product, std::uint32_t rest) {
    const RawOperand operands[] = {trace_.operands[product.first_operand],
                                   trace_.operands[product.first_operand + 1],
                                   trace_.operands[r.first_operand + rest]};
    r.definition = functions().fma;
    r.first_operand = static_cast<std::uint32_t>(trace_.operands.size());
    r.operand_count = 3;
    trace_.operands.insert(trace_.operands.end(), std::begin(operands), std::end(operands));
  }

  Trace& trace_;
  Uses uses_;
  std::vector<std::uint32_t> level_;
};

}  // namespace

void fuse_multiply_add(Trace& trace) {
  const bool any =
      std::any_of(trace.instructions.begin(), trace.instructions.end(), [](const RawInstruction& r) {
        return r.kind == OpKind::elementwise && r.definition == functions().multiply;
      });
  if (any) MultiplyAdder(trace).run();
}

}  // namespace kullback::tape
