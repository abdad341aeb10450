// Inside stats/divergence: the few functions of a family from which all its divergences follow.
//
//   check_pair      throws where the parameters are no distribution's, or the two differ in dimension
//   skew_gap        -log(int p^a q^(1-a)) / (a (1 - a)) >= 0 for any finite a; KL(p, q) at a = 1, KL(q, p) at
//   a = 0;
//                   infinite where the integral diverges (a outside of [0, 1]) or is 0
//   log_max_ratio   log of the supremum of p / q
//   log_overlap     log of Q(p > 0)
//   escort          p^order / int p^order, order > 0; none where the integral is infinite
//   log_power       log of int p^order, where there is an escort
//   log_power_ratio log of int p^order / int q^order, without cancellation where p tends to q
// The last three are not of Poisson distributions; of Discrete ones the last is not needed.
#pragma once

#include <optional>

#include "stats/divergence/families.hpp"

namespace kullback::stats {

#define KULLBACK_HOOKS(P)                                \
  void check_pair(const P& p, const P& q);               \
  double skew_gap(const P& p, const P& q, double alpha); \
  double log_max_ratio(const P& p, const P& q);
#define KULLBACK_ESCORT_HOOKS(P)                                \
  KULLBACK_HOOKS(P)                                             \
  double log_power(const P& p, double order);                   \
  double log_power_ratio(const P& p, const P& q, double order); \
  std::optional<P> escort(const P& p, double order);
KULLBACK_ESCORT_HOOKS(Normal)
KULLBACK_ESCORT_HOOKS(Gaussian)
KULLBACK_ESCORT_HOOKS(Exponential)
KULLBACK_ESCORT_HOOKS(Gamma)
KULLBACK_ESCORT_HOOKS(Beta)
KULLBACK_ESCORT_HOOKS(Dirichlet)
KULLBACK_ESCORT_HOOKS(Discrete)
KULLBACK_HOOKS(Poisson)
#undef KULLBACK_ESCORT_HOOKS
#undef KULLBACK_HOOKS

template <class P>
double log_overlap(const P&, const P&) {
  return 0;
}
double log_overlap(const Discrete& p, const Discrete& q);

// Throws unless the parameter of that name is a finite number above 0.
void check_positive(double value, const char* family, const char* parameter);
void check_finite(double value, const char* family, const char* parameter);
// Throws an Error of kind usage unless the order is finite.
void check_order(double order, const char* name);

}  // namespace kullback::stats
