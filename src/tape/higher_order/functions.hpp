// What higher_order.cpp lists.
#pragma once

#include "tape/higher_order/higher_order.hpp"

namespace kullback::tape {

// algebraic.cpp
Value call_solve(const HigherOrderCall& call);
Value call_algebra_solver(const HigherOrderCall& call);
// dae.cpp
Value call_dae(const HigherOrderCall& call);
// integral.cpp
Value call_integrate_1d(const HigherOrderCall& call);
Value call_integrate_1d_variadic(const HigherOrderCall& call);
// laplace.cpp
Value call_laplace_marginal(const HigherOrderCall& call);
Value call_laplace_latent_rng(const HigherOrderCall& call);
Value call_laplace_latent_solve(const HigherOrderCall& call);
Value call_generate_laplace_options(const HigherOrderCall& call);
// ode.cpp
Value call_ode(const HigherOrderCall& call);
Value call_integrate_ode(const HigherOrderCall& call);
// ode_adjoint.cpp
Value call_ode_adjoint(const HigherOrderCall& call);
// sums.cpp
Value call_reduce_sum(const HigherOrderCall& call);
Value call_map_rect(const HigherOrderCall& call);

}  // namespace kullback::tape
