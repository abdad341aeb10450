// Inside stats/divergence: what one point contributes to a divergence. Everything here is non-negative and
// keeps its relative accuracy where p is nearly q, and where an order tends to 0 or 1.
#pragma once

namespace kullback::stats {

// (a p + (1 - a) q - p^a q^(1-a)) / (a (1 - a)), of any two numbers p, q >= 0 and any finite a; the limits
// p log(p / q) - p + q at a = 1 and q log(q / p) - q + p at a = 0. Its integral is the alpha-divergence, that
// of q^b times it with a = b + 1 the beta-divergence.
double alpha_element(double log_p, double log_q, double alpha);
// q^b alpha_element(p, q, b + 1): p (p^b - q^b) / b - (p^(b+1) - q^(b+1)) / (b + 1).
double beta_element(double log_p, double log_q, double beta);
// (p log(p / m) + q log(q / m)) / 2, m = (p + q) / 2.
double jensen_shannon_element(double log_p, double log_q);
double total_variation_element(double log_p, double log_q);  // |p - q| / 2

// With A = -log(int p^a q^(1-a)) / (a (1 - a)), the gap: (1 - int p^a q^(1-a)) / (a (1 - a)), and back.
double alpha_from_gap(double gap, double alpha);
double gap_from_alpha(double divergence, double alpha);

}  // namespace kullback::stats
