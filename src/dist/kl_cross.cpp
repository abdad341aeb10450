// KL divergences between families: minus the entropy of p, and minus the mean of log q under p, which takes
// of p
//   q normal       mean and variance
//   q exponential  mean
//   q gamma        mean, E log x
//   q beta         E log x, E log(1 - x)
//   q Gumbel       mean, E exp(-(x - m)/s)
//   q Laplace      E |x - m|
#include <cmath>

#include "dist/kl_pairs.hpp"
#include "dist/numerics.hpp"

namespace kullback::dist {

namespace {

Tensor mean_log(const Beta& p) { return at::digamma(p.a()) - at::digamma(p.a() + p.b()); }
Tensor mean_log(const Exponential& p) { return -kEulerGamma - p.rate().log(); }
Tensor mean_log(const LogNormal& p) { return p.loc(); }

// The mean of log x between low and high, low >= 0.
Tensor mean_log_between(const Tensor& low, const Tensor& high) {
  return (at::xlogy(high, high) - at::xlogy(low, low)) / (high - low) - 1;
}
Tensor mean_log(const Uniform& p) { return mean_log_between(p.low(), p.high()); }

// log E exp(-(x - m)/s)
Tensor log_mean_decay(const Normal& p, const Tensor& m, const Tensor& s) {
  return (m - p.loc()) / s + 0.5 * (p.scale() / s).square();
}
Tensor log_mean_decay(const Exponential& p, const Tensor& m, const Tensor& s) {
  return m / s - at::log1p((p.rate() * s).reciprocal());
}
Tensor log_mean_decay(const Gamma& p, const Tensor& m, const Tensor& s) {
  return m / s - p.concentration() * at::log1p((p.rate() * s).reciprocal());
}
Tensor log_mean_decay(const Uniform& p, const Tensor& m, const Tensor& s) {
  const auto width = (p.high() - p.low()) / s;
  return (m - p.low()) / s + at::log(-at::expm1(-width) / width);
}

template <class P>
Tensor to(const P& p, const Normal& q) {
  const auto spread = p.variance() + (p.mean() - q.loc()).square();
  return 0.5 * spread / q.scale().square() + q.scale().log() + kHalfLog2Pi - p.entropy();
}

template <class P>
Tensor to(const P& p, const Exponential& q) {
  return q.rate() * p.mean() - q.rate().log() - p.entropy();
}

template <class P>
Tensor to(const P& p, const Gamma& q) {
  const auto& a = q.concentration();
  return at::lgamma(a) - a * q.rate().log() - (a - 1) * mean_log(p) + q.rate() * p.mean() - p.entropy();
}

template <class P>
Tensor to(const P& p, const Gumbel& q) {
  const auto shift = (p.mean() - q.loc()) / q.scale();
  return q.scale().log() + shift + log_mean_decay(p, q.loc(), q.scale()).exp() - p.entropy();
}

Tensor infinite_unless(const Tensor& inside, const Tensor& value) { return -where_inside(inside, -value); }

}  // namespace

Tensor kl(const Beta& p, const Normal& q) { return to(p, q); }
Tensor kl(const Exponential& p, const Normal& q) { return to(p, q); }
Tensor kl(const Gamma& p, const Normal& q) { return to(p, q); }
Tensor kl(const Gumbel& p, const Normal& q) { return to(p, q); }
Tensor kl(const HalfNormal& p, const Normal& q) { return to(p, q); }
Tensor kl(const Laplace& p, const Normal& q) { return to(p, q); }
Tensor kl(const LogNormal& p, const Normal& q) { return to(p, q); }
Tensor kl(const Uniform& p, const Normal& q) { return to(p, q); }

// Tails of two and fewer degrees of freedom are infinitely far from normal ones.
Tensor kl(const StudentT& p, const Normal& q) { return infinite_unless(p.df().gt(2), to(p, q)); }

Tensor kl(const Beta& p, const Exponential& q) { return to(p, q); }
Tensor kl(const Gamma& p, const Exponential& q) { return to(p, q); }
Tensor kl(const HalfNormal& p, const Exponential& q) { return to(p, q); }
Tensor kl(const LogNormal& p, const Exponential& q) { return to(p, q); }
Tensor kl(const Uniform& p, const Exponential& q) { return infinite_unless(p.low().ge(0), to(p, q)); }

Tensor kl(const Beta& p, const Gamma& q) { return to(p, q); }
Tensor kl(const Exponential& p, const Gamma& q) { return to(p, q); }
Tensor kl(const LogNormal& p, const Gamma& q) { return to(p, q); }
Tensor kl(const Uniform& p, const Gamma& q) { return infinite_unless(p.low().ge(0), to(p, q)); }

Tensor kl(const Exponential& p, const Gumbel& q) { return to(p, q); }
Tensor kl(const Gamma& p, const Gumbel& q) { return to(p, q); }
Tensor kl(const Normal& p, const Gumbel& q) { return to(p, q); }
Tensor kl(const Uniform& p, const Gumbel& q) { return to(p, q); }

Tensor kl(const Normal& p, const Laplace& q) {
  const auto distance = p.loc() - q.loc();
  const auto z = distance / (std::sqrt(2.0) * p.scale());
  const auto mean_distance = std::sqrt(2 / kPi) * p.scale() * at::exp(-z.square()) + distance * at::erf(z);
  return mean_distance / q.scale() + q.scale().log() + kLog2 - p.entropy();
}

Tensor kl(const Beta& p, const Uniform& q) {
  const auto inside = at::logical_and(q.low().le(0), q.high().ge(1));
  return infinite_unless(inside, (q.high() - q.low()).log() - p.entropy());
}

Tensor kl(const Uniform& p, const Beta& q) {
  const auto inside = at::logical_and(p.low().ge(0), p.high().le(1));
  const auto mean_log_rest = mean_log_between(1 - p.high(), 1 - p.low());
  const auto mean_log_q = (q.a() - 1) * mean_log(p) + (q.b() - 1) * mean_log_rest - log_beta(q.a(), q.b());
  return infinite_unless(inside, -mean_log_q - p.entropy());
}

}  // namespace kullback::dist
