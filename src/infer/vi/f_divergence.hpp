// f-divergences D_f(p || q) = E_q[f(p / q)] as objectives, for functions f that need no evidence.
#pragma once

#include <functional>
#include <memory>

#include "infer/vi/jet.hpp"
#include "infer/vi/objective.hpp"

namespace kullback::infer {

// f of t = p / q: convex, f(1) = 0.
using DivergenceFunction = std::function<Jet(Jet t)>;

// Minus the divergence, of `draws` draws at a time. Throws Error usage where f needs the evidence: where the
// best q depends on the scale of p, which is not known. Consistent: weights are divided by their mean.
std::unique_ptr<Objective> make_f_objective(DivergenceFunction f, std::size_t draws);

// True where f(c t) = a(c) f(t) + b(c) + d(c) t: then the best q does not depend on the scale of p.
bool needs_no_evidence(const DivergenceFunction& f);

}  // namespace kullback::infer
