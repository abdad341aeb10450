// Monte Carlo estimates of divergences from log p and log q at independent draws of p, in any dimension. For
// the conventions see stats/divergence.hpp.
#pragma once

#include <span>

namespace kullback::stats {

// Both densities are normalised. With draws of q instead, exchange the roles and the order: alpha of (p, q)
// is 1 - alpha of (q, p), so that KL(p, q) from draws of q is alpha_divergence(draws of q, 0).
struct DrawsOfP {
  std::span<const double> log_p;
  std::span<const double> log_q;
};

struct Estimate {
  double value = 0;
  double standard_error = 0;
  bool unbiased = false;  // if not, the bias falls as 1 / draws (delta method)
  double khat = 0;  // shape of the tail of what is averaged: from 0.5 on the variance may be infinite, from
                    // 0.7 on neither number can be trusted; NaN where it cannot be fitted
};

// A draw with log q = -inf makes KL infinite, with standard error 0.
Estimate kl_divergence(const DrawsOfP& draws);  // unbiased: the mean of log p - log q
// Unbiased. For alpha < 1/2 it needs q = 0 wherever p = 0: what q has outside of p's support is not seen.
Estimate alpha_divergence(const DrawsOfP& draws, double alpha);
Estimate renyi_divergence(const DrawsOfP& draws, double order);    // biased; any finite order but 0
Estimate chi_divergence(const DrawsOfP& draws, double order = 2);  // unbiased
Estimate hellinger_distance(const DrawsOfP& draws);                // biased; its square is not
Estimate total_variation(const DrawsOfP& draws);                   // unbiased; bounded terms
Estimate jensen_shannon_divergence(const DrawsOfP& of_p, const DrawsOfP& of_q);  // unbiased; finite variance
// In `of_q` the roles are exchanged: its log_p is q's density at draws of q, its log_q is p's.

}  // namespace kullback::stats
