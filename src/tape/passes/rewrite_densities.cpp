// Densities that equal simpler ones.
//   bernoulli(y | inv_logit(x)) is bernoulli_logit(y | x), binomial(k | n, inv_logit(x)) is binomial_logit(k
//   | n, x):
//     cheaper, and exact where inv_logit(x) rounds to 0 or 1.
//   uniform(x | a, b) and beta(x | 1, 1) of an x that is known to lie inside are constants.
// What is known to lie inside: a constrained parameter c + w inv_logit(y) with constants c, w
// (record/number_range.hpp).
#include <algorithm>
#include <cmath>
#include <optional>

#include "tape/passes/passes.hpp"
#include "tape/record/number_range.hpp"

namespace kullback::tape {

namespace {

class DensityRewriter final {
 public:
  explicit DensityRewriter(Trace& trace) : trace_(trace), uses_(find_uses(trace)) {}

  void run() {
    for (RawInstruction& r : trace_.instructions) {
      if (r.kind == OpKind::density) rewrite(r);
    }
    if (!dropped_.empty()) drop();
    drop_unused(trace_);
  }

 private:
  static const math::Density* density(std::string_view family) {
    return &math::find_distribution(family)->log_density;
  }

  void rewrite(RawInstruction& r) {
    static const math::Density* bernoulli = density("bernoulli");
    static const math::Density* bernoulli_logit = density("bernoulli_logit");
    static const math::Density* binomial = density("binomial");
    static const math::Density* binomial_logit = density("binomial_logit");
    static const math::Density* uniform = density("uniform");
    static const math::Density* beta = density("beta");
    if (r.definition == bernoulli && move_to_logit(r, 1)) r.definition = bernoulli_logit;
    if (r.definition == binomial && move_to_logit(r, 2)) r.definition = binomial_logit;
    const bool flat = (r.definition == uniform) || (r.definition == beta && is_one(r, 1) && is_one(r, 2));
    if (!flat) return;
    const Recorded program{trace_.operands, trace_.pool, trace_.constants,
                           [this](Id id) { return producer(id); }};
    double sum = 0;
    for (std::uint32_t e = 0; e < r.count; ++e) {
      const double lower = r.definition == beta ? 0 : constant_at(r, 1, e);
      const double upper = r.definition == beta ? 1 : constant_at(r, 2, e);
      const std::optional<NumberRange> x = range_of(program, id_at(r, 0, e));
      if (!x || !(x->low >= lower && x->high <= upper)) return;
      if (r.definition == uniform && r.terms.keep(0b110)) sum -= std::log(upper - lower);
    }
    dropped_.push_back({r.result, sum});
  }

  // The results are replaced by constants.
  void drop() {
    std::vector<std::optional<double>> value(trace_.slot_count);
    for (const auto& [slot, sum] : dropped_) value[slot] = sum;
    const auto replace = [&](Id& id) {
      if (!is_constant(id) && value[id]) id = trace_.new_constant(*value[id]);
    };
    for (Id& id : trace_.pool) replace(id);
    for_each_root(trace_, replace);
  }

  Id id_at(const RawInstruction& r, std::uint32_t j, std::uint32_t e) const {
    const std::span<const Id> ids = trace_.operand(r, j);
    return ids[ids.size() == 1 ? 0 : e];
  }
  double constant_at(const RawInstruction& r, std::uint32_t j, std::uint32_t e) const {
    const Id id = id_at(r, j, e);
    return is_constant(id) ? trace_.constant(id) : NAN;
  }
  bool is_one(const RawInstruction& r, std::uint32_t j) const {
    const std::span<const Id> ids = trace_.operand(r, j);
    return std::all_of(ids.begin(), ids.end(),
                       [&](Id id) { return is_constant(id) && trace_.constant(id) == 1; });
  }

  const RawInstruction* producer(Id id) const {
    if (is_constant(id) || uses_.producer[id] == Uses::kNone) return nullptr;
    return &trace_.instructions[uses_.producer[id]];
  }

  // x where the number is inv_logit(x).
  std::optional<Id> logit_of(Id id) const {
    static const math::Elementwise* inv_logit = math::find_elementwise("inv_logit");
    const RawInstruction* p = producer(id);
    if (p == nullptr || p->kind != OpKind::elementwise || p->definition != inv_logit) return std::nullopt;
    return id_at(*p, 0, id - p->result);
  }

  bool move_to_logit(RawInstruction& r, std::uint32_t j) {
    const std::span<const Id> ids = trace_.operand(r, j);
    Ids logits;
    logits.reserve(ids.size());
    for (const Id id : ids) {
      const std::optional<Id> x = logit_of(id);
      if (!x) return false;
      logits.push_back(*x);
    }
    const auto first = static_cast<std::uint32_t>(trace_.operands.size());
    for (std::uint32_t k = 0; k < r.operand_count; ++k)
      trace_.operands.push_back(RawOperand(trace_.operands[r.first_operand + k]));
    trace_.operands[first + j] = {static_cast<std::uint32_t>(trace_.pool.size()),
                                  static_cast<std::uint32_t>(logits.size())};
    trace_.pool.insert(trace_.pool.end(), logits.begin(), logits.end());
    r.first_operand = first;
    return true;
  }

  Trace& trace_;
  Uses uses_;
  std::vector<std::pair<Id, double>> dropped_;
};

}  // namespace

void rewrite_densities(Trace& trace) {
  if (has_density(trace, {"bernoulli", "binomial", "uniform", "beta"})) DensityRewriter(trace).run();
}

}  // namespace kullback::tape
