// Functions of short vectors that a loop calls again and again become scalar operations, which batch across
// the iterations:
//   cumulative_sum:          additions
//   softmax(x)_i             exp(x_i - log_sum_exp(x))
//   log_softmax(x)_i         x_i - log_sum_exp(x)
//   categorical(y | p)       log(p_y), where p is a softmax or a simplex parameter, so that it needs no check
//   categorical_logit(y | x) x_y - log_sum_exp(x)
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "tape/passes/passes.hpp"

namespace kullback::tape {

namespace {

constexpr std::size_t kLongest = 32;  // numbers of a vector
constexpr std::size_t kFewest = 4;    // calls

enum class Kind { other, cumulative_sum, softmax, log_softmax, categorical, categorical_logit };

Kind kind_of(const RawInstruction& r) {
  if (r.kind != OpKind::array) return Kind::other;
  const std::string_view name = static_cast<const math::ArrayOp*>(r.definition)->name;
  if (name == "cumulative_sum") return Kind::cumulative_sum;
  if (name == "softmax") return Kind::softmax;
  if (name == "log_softmax") return Kind::log_softmax;
  if (name == "categorical_lpmf") return Kind::categorical;
  if (name == "categorical_logit_lpmf") return Kind::categorical_logit;
  return Kind::other;
}

class Scalarizer final {
 public:
  explicit Scalarizer(Trace& trace) : out_(trace) {}

  void run() {
    std::map<std::pair<const void*, std::uint32_t>, std::size_t> calls;
    const void* other = nullptr;  // the last function of arrays that is none of these: most are the same
    for (const RawInstruction& r : out_.instructions) {
      if (r.kind != OpKind::array || r.definition == other) continue;
      if (kind_of(r) == Kind::other) {
        other = r.definition;
      } else {
        ++calls[{r.definition, r.span.begin}];
      }
    }
    if (calls.empty()) return;
    to_.resize(out_.slot_count);
    std::iota(to_.begin(), to_.end(), 0U);
    producer_ = find_producers(out_);
    before_ = std::exchange(out_.instructions, {});
    for (const RawInstruction& r : before_) {
      const bool often = kind_of(r) != Kind::other && calls[{r.definition, r.span.begin}] >= kFewest;
      if (!often || !expand(r)) keep(r);
    }
    for_each_root(out_, [this](Id& id) { id = renamed(id); });
  }

 private:
  Id renamed(Id id) const { return is_constant(id) ? id : to_[id]; }

  void keep(RawInstruction r) {
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      const RawOperand& o = out_.operands[r.first_operand + j];
      if (IdPool::is_shared(o.first)) continue;
      for (std::uint32_t k = 0; k < o.size; ++k) out_.pool[o.first + k] = renamed(out_.pool[o.first + k]);
    }
    out_.instructions.push_back(r);
  }

  void add_operand(std::span<const Id> ids) {
    out_.operands.push_back(
        {static_cast<std::uint32_t>(out_.pool.size()), static_cast<std::uint32_t>(ids.size())});
    out_.pool.insert(out_.pool.end(), ids.begin(), ids.end());
  }

  Id add(const RawInstruction& like, const math::Elementwise& f, std::initializer_list<Id> operands,
         Id result) {
    RawInstruction r;
    r.definition = &f;
    r.span = like.span;
    r.first_operand = static_cast<std::uint32_t>(out_.operands.size());
    r.operand_count = static_cast<std::uint32_t>(operands.size());
    r.result = result;
    for (const Id id : operands) add_operand({&id, 1});
    out_.instructions.push_back(r);
    return result;
  }

  Id add_log_sum_exp(const RawInstruction& like, std::span<const Id> ids) {
    static const math::ArrayOp* f =
        math::find_array_op("log_sum_exp", std::array<math::Type, 1>{math::Type{math::Kind::vector}});
    RawInstruction r;
    r.kind = OpKind::array;
    r.definition = f;
    r.terms.varying = 1;
    r.span = like.span;
    r.first_operand = static_cast<std::uint32_t>(out_.operands.size());
    r.operand_count = 1;
    r.first_shape = static_cast<std::uint32_t>(out_.shapes.size());
    r.result = out_.new_slots(1);
    out_.shapes.push_back({ids.size(), 1, 1});
    add_operand(ids);
    out_.instructions.push_back(r);
    return r.result;
  }

  bool expand(const RawInstruction& r) {
    static const math::Elementwise& exp = *math::find_elementwise("exp");
    static const math::Elementwise& log = *math::find_elementwise("log");
    static const math::Elementwise& plus = *math::find_elementwise("add");
    static const math::Elementwise& minus = *math::find_elementwise("subtract");
    const Kind kind = kind_of(r);
    const bool mass = kind == Kind::categorical || kind == Kind::categorical_logit;
    const std::span<const Id> whole = out_.operand(r, mass ? 1 : 0);
    const Ids last(whole.begin(), whole.end());  // the pool grows below
    if (last.empty() || last.size() > kLongest || r.operand_count != (mass ? 2U : 1U)) return false;
    Ids x(last.begin(), last.end());
    for (Id& id : x) id = renamed(id);
    if (mass) {
      const std::span<const Id> y = out_.operand(r, 0);
      if (y.size() != 1 || !is_constant(y[0])) return false;
      if (!(out_.constant(y[0]) >= 1)) return false;
      const auto at = static_cast<std::size_t>(out_.constant(y[0])) - 1;
      if (at >= x.size()) return false;
      if (kind == Kind::categorical) {
        if (!is_simplex(last) || is_constant(x[at])) return false;
        add(r, log, {x[at]}, r.result);
      } else {
        add(r, minus, {x[at], add_log_sum_exp(r, x)}, r.result);
      }
      return true;
    }
    if (kind == Kind::cumulative_sum) {
      Id sum = x[0];
      for (std::uint32_t i = 0; i < x.size(); ++i) {
        if (i > 0) sum = sum_of(r, plus, sum, x[i], r.result + i);
        to_[r.result + i] = sum;
      }
      return true;
    }
    const Id all = add_log_sum_exp(r, x);
    for (std::uint32_t i = 0; i < x.size(); ++i) {
      if (kind == Kind::log_softmax) {
        add(r, minus, {x[i], all}, r.result + i);
      } else {
        add(r, exp, {add(r, minus, {x[i], all}, out_.new_slots(1))}, r.result + i);
      }
    }
    return true;
  }

  Id sum_of(const RawInstruction& r, const math::Elementwise& plus, Id a, Id b, Id result) {
    if (is_constant(a) && is_constant(b)) return out_.new_constant(out_.constant(a) + out_.constant(b));
    return add(r, plus, {a, b}, result);
  }

  // All numbers of one softmax or simplex parameter, in order.
  bool is_simplex(std::span<const Id> ids) const {
    if (is_constant(ids[0]) || producer_[ids[0]] == Uses::kNone) return false;
    const RawInstruction& r = before_[producer_[ids[0]]];
    const bool simplex = (kind_of(r) == Kind::softmax && r.result_size == ids.size()) ||
                         (r.kind == OpKind::transform && r.result_size == ids.size() + 1 &&
                          static_cast<const math::TransformDef*>(r.definition)->name == "simplex");
    if (!simplex) return false;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (ids[k] != r.result + k) return false;
    }
    return true;
  }

  Trace& out_;
  std::vector<RawInstruction> before_;
  std::vector<std::uint32_t> producer_;
  std::vector<Id> to_;
};

}  // namespace

void scalarize(Trace& trace) { Scalarizer(trace).run(); }

}  // namespace kullback::tape
