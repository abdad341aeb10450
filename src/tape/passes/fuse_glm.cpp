// bernoulli_logit(y | alpha + X beta) and its like, where nothing else reads the linear predictor, become the
// generalised linear model's own density: it passes once over X for value and gradient.
#include <algorithm>
#include <array>
#include <optional>

#include "tape/passes/passes.hpp"

namespace kullback::tape {

namespace {

using math::Kind;
using math::Type;

struct Family {
  std::string_view density;
  std::string_view glm;
};
constexpr Family kFamilies[] = {
    {"bernoulli_logit", "bernoulli_logit_glm_lpmf"},
    {"poisson_log", "poisson_log_glm_lpmf"},
};

class Fuser final {
 public:
  explicit Fuser(Trace& trace) : trace_(trace), uses_(find_uses(trace)) {}

  void run() {
    for (RawInstruction& r : trace_.instructions) {
      if (r.kind == OpKind::density) fuse(r);
    }
    if (changed_) drop_unused(trace_);
  }

 private:
  struct Predictor {
    Id alpha;
    const RawInstruction* product;
  };

  // The instruction whose results are exactly these numbers, read by one other.
  const RawInstruction* whole(std::span<const Id> ids) const {
    if (ids.empty() || is_constant(ids[0]) || uses_.producer[ids[0]] == Uses::kNone) return nullptr;
    const RawInstruction& p = trace_.instructions[uses_.producer[ids[0]]];
    if (p.result_size != ids.size()) return nullptr;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (ids[k] != p.result + k || uses_.count[ids[k]] != 1) return nullptr;
    }
    return &p;
  }

  const RawInstruction* constant_product(std::span<const Id> ids) const {
    const RawInstruction* p = whole(ids);
    if (p == nullptr || p->kind != OpKind::array) return nullptr;
    const auto& f = *static_cast<const math::ArrayOp*>(p->definition);
    const bool matrix_by_vector = f.name == "multiply" && f.parameter_types[0] == Type{Kind::matrix} &&
                                  f.parameter_types[1] == Type{Kind::vector};
    return matrix_by_vector && all_constant(trace_.operand(*p, 0)) ? p : nullptr;
  }

  std::optional<Predictor> predictor(std::span<const Id> eta) {
    static const math::Elementwise* add = math::find_elementwise("add");
    if (const RawInstruction* product = constant_product(eta))
      return Predictor{trace_.new_constant(0), product};
    const RawInstruction* sum = whole(eta);
    if (sum == nullptr || sum->kind != OpKind::elementwise || sum->definition != add) return std::nullopt;
    for (std::uint32_t j = 0; j < 2; ++j) {
      const RawInstruction* product = constant_product(trace_.operand(*sum, j));
      const std::span<const Id> alpha = trace_.operand(*sum, 1 - j);
      if (product != nullptr && alpha.size() == 1) return Predictor{alpha[0], product};
    }
    return std::nullopt;
  }

  void fuse(RawInstruction& r) {
    for (const Family& family : kFamilies) {
      if (r.definition != &math::find_distribution(family.density)->log_density) continue;
      const std::span<const Id> y = trace_.operand(r, 0);
      if (!all_constant(y) || y.size() != r.count) return;
      const std::optional<Predictor> found = predictor(trace_.operand(r, 1));
      if (!found) return;
      replace(r, family, *found);
      return;
    }
  }

  void replace(RawInstruction& r, const Family& family, const Predictor& found) {
    Type ints{Kind::int_};
    ints.array_rank = 1;
    const std::array<Type, 4> types{ints, Type{Kind::matrix}, Type{Kind::real}, Type{Kind::vector}};
    const math::ArrayOp* f = math::find_array_op(family.glm, types);
    if (f == nullptr) return;
    const RawOperand y = trace_.operands[r.first_operand];
    const RawInstruction product = *found.product;
    const auto n = static_cast<std::size_t>(y.size);
    r.kind = OpKind::array;
    r.definition = f;
    r.first_operand = static_cast<std::uint32_t>(trace_.operands.size());
    r.operand_count = 4;
    r.count = 1;
    r.first_shape = static_cast<std::uint32_t>(trace_.shapes.size());
    trace_.operands.push_back(y);
    trace_.operands.push_back(RawOperand(trace_.operands[product.first_operand]));
    trace_.operands.push_back({static_cast<std::uint32_t>(trace_.pool.size()), 1});
    trace_.pool.push_back(found.alpha);
    trace_.operands.push_back(RawOperand(trace_.operands[product.first_operand + 1]));
    trace_.shapes.push_back({1, 1, n});
    trace_.shapes.push_back(math::Shape(trace_.shapes[product.first_shape]));
    trace_.shapes.push_back({1, 1, 1});
    trace_.shapes.push_back(math::Shape(trace_.shapes[product.first_shape + 1]));
    r.terms.varying = 0b1000U | (is_constant(found.alpha) ? 0U : 0b100U);
    changed_ = true;
  }

  Trace& trace_;
  Uses uses_;
  bool changed_ = false;
};

}  // namespace

void fuse_glm(Trace& trace) {
  if (has_density(trace, {kFamilies[0].density, kFamilies[1].density})) Fuser(trace).run();
}

}  // namespace kullback::tape
