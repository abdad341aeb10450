// Formulas that both kinds of q share.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

#include "conjugate/regress/posterior.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate::regress {

inline const double kLog2Pi = std::log(2 * std::numbers::pi);

inline std::size_t packed_size(std::size_t n) { return n * (n + 1) / 2; }
inline std::size_t packed_place(std::size_t i, std::size_t j) {
  return i >= j ? packed_size(i) + j : packed_size(j) + i;
}

inline double expectation(const Gamma& q) { return q.shape / q.rate; }
inline double expected_log(const Gamma& q) { return math::digamma_positive(q.shape) - std::log(q.rate); }
// KL(q || p).
inline double divergence(const Gamma& q, const Gamma& p) {
  return (q.shape - p.shape) * math::digamma_positive(q.shape) - math::log_gamma(q.shape) +
         math::log_gamma(p.shape) + p.shape * (std::log(q.rate) - std::log(p.rate)) +
         q.shape * (p.rate - q.rate) / q.rate;
}
// Natural parameters (shape - 1, -rate) of (log x, x).
inline Gamma gamma_of(std::span<const double> natural) { return {natural[0] + 1, -natural[1]}; }
inline bool is_gamma(std::span<const double> natural) { return natural[0] > -1 && natural[1] < 0; }

// The quantile of Student's t with any degrees > 0; infinitely many: of the normal.
double t_quantile(double probability, double degrees);
double normal_quantile(double probability);
double gamma_quantile(const Gamma& q, double probability);
// The logarithm of Student's t density with location 0 and this scale; infinitely many degrees: normal.
double log_t_density(double x, double squared_scale, double degrees);
// E sigma(z), z ~ N(mean, variance), to about 1e-13 relative.
double expected_sigmoid(double mean, double variance);

}  // namespace kullback::conjugate::regress
