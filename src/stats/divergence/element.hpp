// Inside stats/divergence: what one point contributes to a divergence. Everything here is non-negative and
// keeps its relative accuracy where p is nearly q, and where an order tends to 0 or 1.
#pragma once

namespace kullback::stats {

// p and q at a point. The logarithm of p / q is given apart where it is known better than from the
// difference.
struct LogPair {
  LogPair(double of_p, double of_q) : LogPair(of_p, of_q, of_p - of_q) {}
  LogPair(double of_p, double of_q, double of_ratio) : log_p(of_p), log_q(of_q), log_ratio(of_ratio) {}
  LogPair exchanged() const { return {log_q, log_p, -log_ratio}; }
  LogPair times(double log_factor) const { return {log_p + log_factor, log_q + log_factor, log_ratio}; }

  double log_p;
  double log_q;
  double log_ratio;
};

// log(x / y) of positive numbers, without cancellation where they are nearly equal.
double log_of_ratio(double x, double y);

// (a p + (1 - a) q - p^a q^(1-a)) / (a (1 - a)), of any two numbers p, q >= 0 and any finite a; the limits
// p log(p / q) - p + q at a = 1 and q log(q / p) - q + p at a = 0. Its integral is the alpha-divergence, that
// of q^b times it with a = b + 1 the beta-divergence.
double alpha_element(const LogPair& at, double alpha);
// q^b alpha_element(p, q, b + 1): p (p^b - q^b) / b - (p^(b+1) - q^(b+1)) / (b + 1).
double beta_element(const LogPair& at, double beta);
// (p log(p / m) + q log(q / m)) / 2, m = (p + q) / 2.
double jensen_shannon_element(const LogPair& at);
double total_variation_element(const LogPair& at);  // |p - q| / 2

// With A = -log(int p^a q^(1-a)) / (a (1 - a)), the gap: (1 - int p^a q^(1-a)) / (a (1 - a)), and back.
double alpha_from_gap(double gap, double alpha);
double gap_from_alpha(double divergence, double alpha);

}  // namespace kullback::stats
