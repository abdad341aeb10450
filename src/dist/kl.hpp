// KL divergences in closed form: a table of pairs of types (kl_pairs.def), open to more.
#pragma once

#include <functional>
#include <typeindex>

#include "dist/distribution.hpp"

namespace kullback::dist {

// KL(p || q) for each pair of the broadcast batches. An Error names both types where the table has no such
// pair.
Tensor kl_divergence(const Distribution& p, const Distribution& q);
Tensor kl_divergence(const Any& p, const Any& q);

// An estimate for any pair with rsample and log_prob: the mean of log p - log q over `draws` draws of p.
Tensor kl_by_draws(const Distribution& p, const Distribution& q, int64_t draws);

bool has_kl(const Distribution& p, const Distribution& q);

using KlFunction = std::function<Tensor(const Distribution&, const Distribution&)>;
void register_kl(std::type_index p, std::type_index q, KlFunction function);

// For a pair of your own, before threads use the table: register_kl<P, Q>([](const P& p, const Q& q) { ...
// });
template <class P, class Q, class F>
void register_kl(F function) {
  register_kl(typeid(P), typeid(Q), [function](const Distribution& p, const Distribution& q) {
    return function(static_cast<const P&>(p), static_cast<const Q&>(q));
  });
}

}  // namespace kullback::dist
