#include "dist/kl.hpp"

#include <map>
#include <utility>

#include "base/error.hpp"
#include "dist/kl_pairs.hpp"
#include "dist/numerics.hpp"
#include "dist/shapes.hpp"

namespace kullback::dist {

namespace {

using Table = std::map<std::pair<std::type_index, std::type_index>, KlFunction>;

Tensor infinite(const Distribution& p, const Distribution& q) {
  Shape shape = p.batch_shape();
  broadcast_into(shape, q.batch_shape());
  return infinite_like(p.mean().expand(shape));
}

Table built_in() {
  Table table;
#define KULLBACK_KL(P, Q)                                                            \
  table[{typeid(P), typeid(Q)}] = [](const Distribution& p, const Distribution& q) { \
    return kl(static_cast<const P&>(p), static_cast<const Q&>(q));                   \
  };
#define KULLBACK_KL_INFINITE(P, Q) table[{typeid(P), typeid(Q)}] = infinite;
#include "dist/kl_pairs.def"
#undef KULLBACK_KL
#undef KULLBACK_KL_INFINITE
  return table;
}

Table& table() {
  static Table the_table = built_in();
  return the_table;
}

const KlFunction* find(const Distribution& p, const Distribution& q) {
  const auto found = table().find({typeid(p), typeid(q)});
  return found == table().end() ? nullptr : &found->second;
}

[[noreturn]] void refuse(const Distribution& p, const Distribution& q, const std::string& what,
                         const std::string& hint) {
  throw Error(ErrorKind::bad_input, "kl_divergence(" + p.name() + ", " + q.name() + "): " + what + ".", hint);
}

void check_shapes(const Distribution& p, const Distribution& q) {
  if (p.event_shape() != q.event_shape()) {
    refuse(p, q, "event shapes " + text_of(p.event_shape()) + " and " + text_of(q.event_shape()) + " differ",
           "give distributions of the same events");
  }
  Shape shape = p.batch_shape();
  if (!broadcast_into(shape, q.batch_shape())) {
    refuse(
        p, q,
        "batch shapes " + text_of(p.batch_shape()) + " and " + text_of(q.batch_shape()) + " do not broadcast",
        "expand one of them");
  }
}

}  // namespace

Tensor kl_divergence(const Distribution& p, const Distribution& q) {
  check_shapes(p, q);
  const auto* function = find(p, q);
  if (function == nullptr) {
    refuse(p, q, "no closed form is known", "use kl_by_draws, or add the pair with register_kl");
  }
  return (*function)(p, q);
}

Tensor kl_divergence(const Any& p, const Any& q) { return kl_divergence(*p, *q); }

Tensor kl_by_draws(const Distribution& p, const Distribution& q, int64_t draws) {
  check_shapes(p, q);
  const auto x = p.has_rsample() ? p.rsample({draws}) : p.sample({draws});
  return (p.log_prob(x) - q.log_prob(x)).mean(0);
}

bool has_kl(const Distribution& p, const Distribution& q) { return find(p, q) != nullptr; }

void register_kl(std::type_index p, std::type_index q, KlFunction function) {
  table()[{p, q}] = std::move(function);
}

// What wraps another distribution asks the table again.

Tensor kl(const Independent& p, const Independent& q) {
  if (p.dims() != q.dims()) {
    refuse(p, q,
           "they take " + std::to_string(p.dims()) + " and " + std::to_string(q.dims()) +
               " dimensions as events",
           "take the same number");
  }
  return sum_rightmost(kl_divergence(p.base(), q.base()), p.dims());
}

// A bijection changes nothing, if it is the same for both.
Tensor kl(const TransformedDistribution& p, const TransformedDistribution& q) {
  if (p.transform() != q.transform()) {
    refuse(p, q, "their transforms are two objects", "make both with one transform");
  }
  return kl_divergence(p.base(), q.base());
}

}  // namespace kullback::dist
