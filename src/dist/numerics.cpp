// Stirling:  log Gamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + d(x),  d(x) = 1/(12 x) - 1/(360 x^3) + ...
// What is built on d keeps only small terms:
//   log B(a, b) = log(2 pi)/2 - (a - 1/2) log(1 + b/a) - (b - 1/2) log(1 + a/b) - log(a + b)/2 + d(a) + d(b)
//   - d(a + b) a log y - y - log Gamma(a) = a (log(1 + u) - u) + (log a - log 2 pi)/2 - d(a),  u = y/a - 1
//   (Loader 2000)
// and log(1 + u) - u near 0 is, with r = u/(2 + u), 2 (r^3/3 + r^5/5 + ...) - r u.
// Below 10, d(x) is found from log Gamma, where nothing is large.
//
// Bessel functions at large x:  log(I0(x) e^-x) = -log(2 pi x)/2 + c(1/x),  1 - I1/I0 = 1/(2x) + c'(1/x)/x^2
// with the series c below, good to 1e-16 from x = 50. The difference of the scaled functions loses log10(2x)
// digits there.
//
// A Dirichlet draw moves by dx_i/da_j = g_j (1{i = j} - x_i) with g from ATen (Figurnov et al. 2018); what is
// returned has the value of the draw and these derivatives.
//
// A gradient passes through the chosen side of a `where` only, but 0 times infinity is NaN: each side gets
// arguments clamped to where it is used.
#include "dist/numerics.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace kullback::dist {

namespace {

constexpr std::array<double, 7> kStirling = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                             1.0 / 1188, -691.0 / 360360, 1.0 / 156};

constexpr double kBesselStart = 50;
constexpr std::array<double, 10> kBessel = {
    1.0 / 8,     1.0 / 16,          25.0 / 384,     13.0 / 128,           1073.0 / 5120,
    103.0 / 192, 375733.0 / 229376, 23797.0 / 4096, 55384775.0 / 2359296, 2180461.0 / 20480};

// sum of coefficient(i) t^i
template <size_t n, class Coefficient>
Tensor polynomial(const Tensor& t, Coefficient coefficient) {
  auto sum = at::full_like(t, coefficient(n - 1));
  for (size_t i = n - 1; i-- > 0;) sum = sum * t + coefficient(i);
  return sum;
}

Tensor stirling_difference(const Tensor& x) {
  const auto low = x.clamp_max(kStirlingStart);
  const auto by_definition = at::lgamma(low) - (low - 0.5) * low.log() + low - kHalfLog2Pi;
  return at::where(x.ge(kStirlingStart), stirling_series(x.clamp_min(kStirlingStart)), by_definition);
}

template <class Limit>
double by_type(const Tensor& like, Limit limit) {
  switch (like.scalar_type()) {
    case at::kDouble: return limit(double{});
    case at::kHalf: return static_cast<double>(limit(at::Half{}));
    case at::kBFloat16: return static_cast<double>(limit(at::BFloat16{}));
    default: return limit(float{});
  }
}

}  // namespace

Tensor stirling_series(const Tensor& x) {
  const auto r = x.reciprocal();
  return r * polynomial<kStirling.size()>(r.square(), [](size_t i) { return kStirling[i]; });
}

Tensor stirling_slope(const Tensor& x) {
  const auto r2 = x.reciprocal().square();
  return -r2 * polynomial<kStirling.size()>(
                   r2, [](size_t i) { return kStirling[i] * static_cast<double>(2 * i + 1); });
}

Tensor log_beta(const Tensor& a, const Tensor& b) {
  const auto sum = a + b;
  const auto powers = (a - 0.5) * at::log1p(b / a) + (b - 0.5) * at::log1p(a / b) + 0.5 * sum.log();
  return kHalfLog2Pi - powers + stirling_difference(a) + stirling_difference(b) - stirling_difference(sum);
}

Tensor digamma_half_step(const Tensor& x) {
  const auto low = x.clamp_max(kStirlingStart);
  const auto high = x.clamp_min(kStirlingStart);
  const auto by_series = at::log1p(0.5 / high) + 0.5 / (high * (2 * high + 1)) + stirling_slope(high + 0.5) -
                         stirling_slope(high);
  return at::where(x.ge(kStirlingStart), by_series, at::digamma(low + 0.5) - at::digamma(low));
}

Tensor log1p_less_itself(const Tensor& u) {
  constexpr double kNear = 0.2;
  constexpr size_t kTerms = 8;
  const auto small = u.clamp(-kNear, kNear);
  const auto r = small / (2 + small);
  const auto r2 = r.square();
  const auto series =
      2 * r * r2 * polynomial<kTerms>(r2, [](size_t i) { return 1.0 / static_cast<double>(2 * i + 3); }) -
      r * small;
  return at::where(u.abs().lt(kNear), series, at::log1p(u) - u);
}

Tensor log_gamma_kernel_large(const Tensor& a, const Tensor& y) {
  const auto u = (y - a) / a;
  const auto apart = u.lt(-0.5);  // 1 + u has lost the digits of y there
  const auto exponent = at::where(apart, y.log() - a.log() - u, log1p_less_itself(u.clamp_min(-0.5)));
  return a * exponent + 0.5 * a.log() - kHalfLog2Pi - stirling_series(a);
}

Tensor normal_cdf(const Tensor& z) { return 0.5 * at::erfc(z * -std::sqrt(0.5)); }

Tensor differentiable_dirichlet(const Tensor& concentration) {
  if (!concentration.requires_grad() || !c10::GradMode::is_enabled())
    return at::_sample_dirichlet(concentration);
  const auto fixed = concentration.detach();
  const auto x = at::_sample_dirichlet(fixed);
  const auto slope = at::_dirichlet_grad(x, fixed, fixed.sum(-1, true).expand_as(x).contiguous());
  const auto change = slope * (concentration - fixed);
  return x + (change - x * change.sum(-1, true));
}

Tensor log_i0e(const Tensor& x) {
  const auto high = x.clamp_min(kBesselStart);
  const auto r = high.reciprocal();
  const auto series =
      r * polynomial<kBessel.size()>(r, [](size_t i) { return kBessel[i]; }) - 0.5 * high.log() - kHalfLog2Pi;
  return at::where(x.ge(kBesselStart), series, at::special_i0e(x.clamp_max(kBesselStart)).log());
}

Tensor bessel_complement(const Tensor& x) {
  const auto low = x.clamp_max(kBesselStart);
  const auto r = x.clamp_min(kBesselStart).reciprocal();
  const auto slope =
      polynomial<kBessel.size()>(r, [](size_t i) { return kBessel[i] * static_cast<double>(i + 1); });
  const auto series = r * (0.5 + r * slope);
  return at::where(x.ge(kBesselStart), series, 1 - at::special_i1e(low) / at::special_i0e(low));
}

double tiny(const Tensor& like) {
  return by_type(like, []<class T>(T) { return std::numeric_limits<T>::min(); });
}

double epsilon(const Tensor& like) {
  return by_type(like, []<class T>(T) { return std::numeric_limits<T>::epsilon(); });
}

Tensor standard_exponential(IntArrayRef shape, const Tensor& like) {
  return at::empty(shape, like.options().requires_grad(false)).exponential_().clamp_min_(tiny(like));
}

Tensor standard_gumbel(IntArrayRef shape, const Tensor& like) {
  return standard_exponential(shape, like).log_().neg_();
}

// The difference of two standard Gumbel variables.
Tensor standard_logistic(IntArrayRef shape, const Tensor& like) {
  return standard_exponential(shape, like).log_().sub_(standard_exponential(shape, like).log_());
}

Tensor as_type_of(const Tensor& value, const Tensor& like) {
  return at::isFloatingType(value.scalar_type()) ? value : value.to(like.scalar_type());
}

Tensor where_inside(const Tensor& inside, const Tensor& value) {
  return at::where(inside, value, at::full({}, -kInfinity, value.options().requires_grad(false)));
}

Tensor infinite_like(const Tensor& like) { return at::full_like(like, kInfinity).detach(); }

}  // namespace kullback::dist
