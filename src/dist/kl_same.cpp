// KL divergences between members of one family of numbers.
#include "dist/kl_pairs.hpp"
#include "dist/numerics.hpp"

namespace kullback::dist {

namespace {

// weight (log_p - log_q), 0 where the weight is.
Tensor weighted(const Tensor& weight, const Tensor& log_p, const Tensor& log_q) {
  const auto positive = weight.gt(0);
  const auto zero = at::zeros({}, weight.options().requires_grad(false));
  return at::where(positive, weight * (log_p - log_q), zero);
}

// log ratio - 1 + 1/ratio and the like, from the scales and the distance of two normal distributions.
Tensor normals(const Tensor& scale_p, const Tensor& scale_q, const Tensor& distance) {
  const auto ratio = scale_p / scale_q;
  const auto z = distance / scale_q;
  return 0.5 * (ratio.square() + z.square() - 1) - ratio.log();
}

Tensor log_probability(const Bernoulli& b, double value) {
  return b.log_prob(at::full_like(b.probs(), value));
}

}  // namespace

Tensor kl(const Bernoulli& p, const Bernoulli& q) {
  const auto one = weighted(p.probs(), log_probability(p, 1), log_probability(q, 1));
  return one + weighted(log_probability(p, 0).exp(), log_probability(p, 0), log_probability(q, 0));
}

Tensor kl(const Beta& p, const Beta& q) {
  const auto sum_p = p.a() + p.b();
  const auto sum_q = q.a() + q.b();
  return log_beta(q.a(), q.b()) - log_beta(p.a(), p.b()) + (p.a() - q.a()) * at::digamma(p.a()) +
         (p.b() - q.b()) * at::digamma(p.b()) + (sum_q - sum_p) * at::digamma(sum_p);
}

Tensor kl(const Categorical& p, const Categorical& q) {
  return weighted(p.probs(), p.logits(), q.logits()).sum(-1);
}

Tensor kl(const OneHotCategorical& p, const OneHotCategorical& q) { return kl(p.classes(), q.classes()); }

// Chyzak and Nielsen (2019): log of ((s_p + s_q)^2 + d^2) / (4 s_p s_q).
Tensor kl(const Cauchy& p, const Cauchy& q) {
  const auto sum = at::hypot(p.scale() + q.scale(), p.loc() - q.loc());
  return 2 * sum.log() - p.scale().log() - q.scale().log() - 2 * kLog2;
}

Tensor kl(const Dirichlet& p, const Dirichlet& q) {
  const auto& a = p.concentration();
  const auto& b = q.concentration();
  const auto sum = a.sum(-1, true);
  const auto normalisers =
      at::lgamma(sum).squeeze(-1) - at::lgamma(b.sum(-1)) + (at::lgamma(b) - at::lgamma(a)).sum(-1);
  return normalisers + ((a - b) * (at::digamma(a) - at::digamma(sum))).sum(-1);
}

Tensor kl(const Exponential& p, const Exponential& q) {
  const auto ratio = q.rate() / p.rate();
  return ratio - 1 - ratio.log();
}

Tensor kl(const Gamma& p, const Gamma& q) {
  const auto& a = p.concentration();
  const auto& b = q.concentration();
  return b * (p.rate() / q.rate()).log() + at::lgamma(b) - at::lgamma(a) + (a - b) * at::digamma(a) +
         a * (q.rate() / p.rate() - 1);
}

Tensor kl(const Gumbel& p, const Gumbel& q) {
  const auto ratio = p.scale() / q.scale();
  const auto shift = (p.loc() - q.loc()) / q.scale();
  return shift - ratio.log() + (ratio - 1) * kEulerGamma + (at::lgamma(1 + ratio) - shift).exp() - 1;
}

Tensor kl(const HalfNormal& p, const HalfNormal& q) {
  return normals(p.scale(), q.scale(), at::zeros_like(p.scale()));
}

Tensor kl(const Laplace& p, const Laplace& q) {
  const auto ratio = p.scale() / q.scale();
  const auto distance = (p.loc() - q.loc()).abs();
  return distance / q.scale() + ratio * at::exp(-distance / p.scale()) - ratio.log() - 1;
}

Tensor kl(const LogNormal& p, const LogNormal& q) { return normals(p.scale(), q.scale(), p.loc() - q.loc()); }

Tensor kl(const Normal& p, const Normal& q) { return normals(p.scale(), q.scale(), p.loc() - q.loc()); }

Tensor kl(const Poisson& p, const Poisson& q) {
  return weighted(p.rate(), p.rate().log(), q.rate().log()) - (p.rate() - q.rate());
}

Tensor kl(const Uniform& p, const Uniform& q) {
  const auto inside = at::logical_and(q.low().le(p.low()), q.high().ge(p.high()));
  return -where_inside(inside, ((p.high() - p.low()) / (q.high() - q.low())).log());
}

// E cos(x - m_q) = (I1/I0)(k_p) cos(m_p - m_q); with c = 1 - I1/I0 the large parts k_q - k_p and k (1 - c)
// are combined.
Tensor kl(const VonMises& p, const VonMises& q) {
  const auto& a = p.concentration();
  const auto& b = q.concentration();
  const auto complement = bessel_complement(a);
  const auto turn = 2 * at::sin(0.5 * (p.loc() - q.loc())).square();  // 1 - cos
  return log_i0e(b) - log_i0e(a) + (b - a) * complement + b * (1 - complement) * turn;
}

}  // namespace kullback::dist
