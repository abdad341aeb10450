// log p(x) = k (cos(x - m) - 1) - log(2 pi I0(k) e^-k), with cos t - 1 = -2 sin^2(t/2).
//
// Draws are Best and Fisher's (1979), in double precision. A proposal is accepted with probability above 0.65
// whatever k is, so after 32 rounds one in 1e15 is undecided and takes its last proposal: on a GPU all rounds
// are run, which needs no waiting for it; elsewhere the loop ends when all are accepted.
//
// Their gradient is implicit: x(k) with F(x; k) held moves by dx/dk = -(dF/dk)/p. With A = I1/I0 and x > 0,
//   dx/dk = integral from x to pi of (cos t - A) exp(k (cos t - cos x)) dt,
// odd in x. The integrand falls from x on at least as a Gaussian of scale 1/sqrt(k): Gauss-Legendre with 32
// nodes on the nearest 9 of these scales is good to 1e-12.
#include "dist/von_mises.hpp"

#include <array>
#include <cmath>

#include "dist/numerics.hpp"
#include "dist/shapes.hpp"

namespace kullback::dist {

namespace {

constexpr int kRounds = 32;
constexpr size_t kNodes = 32;

struct Node {
  double at;  // in (0, 1)
  double weight;
};

// The roots of the Legendre polynomial by Newton's method from Tricomi's guess.
std::array<Node, kNodes> legendre_nodes() {
  std::array<Node, kNodes> nodes{};
  constexpr auto n = static_cast<double>(kNodes);
  for (size_t i = 0; i < kNodes; ++i) {
    double x = std::cos(kPi * (static_cast<double>(i) + 0.75) / (n + 0.5));
    double slope = 1;
    for (int step = 0; step < 8; ++step) {
      double before = 1, value = x;
      for (size_t k = 2; k <= kNodes; ++k) {
        const auto degree = static_cast<double>(k);
        const double next = ((2 * degree - 1) * x * value - (degree - 1) * before) / degree;
        before = std::exchange(value, next);
      }
      slope = n * (before - x * value) / (1 - x * x);
      x -= value / slope;
    }
    nodes[i] = {0.5 * (1 - x), 1 / ((1 - x * x) * slope * slope)};
  }
  return nodes;
}

Tensor draw_angles(const Tensor& concentration) {
  const auto k = concentration.clamp_min(1e-20);  // below, the distribution is uniform
  const auto tau = at::sqrt(1 + 4 * k.square()) + 1;
  const auto root = tau.sqrt();
  const auto rho = 2 * k / (root * (root + std::sqrt(2.0)));
  const auto r = (1 + rho.square()) / (2 * rho);
  auto angles = at::zeros_like(k);
  auto accepted = at::zeros_like(k, at::kBool);
  for (int round = 0; round < kRounds; ++round) {
    const auto z = at::cos(kPi * at::rand_like(k));
    const auto f = (1 + r * z) / (r + z);
    const auto c = k * (r - f);
    const auto u = standard_exponential(k.sizes(), k);  // -log of a uniform number
    const auto sign = at::rand_like(k).sub_(0.5).sign_();
    angles = at::where(accepted, angles, sign * at::acos(f.clamp(-1, 1)));
    accepted = at::logical_or(accepted, c.log() + 1 - c + u >= 0);
    if (k.device().is_cpu() && accepted.all().item<bool>()) break;
  }
  return angles;
}

Tensor slope_of_angles(const Tensor& x, const Tensor& k) {
  static const auto nodes = legendre_nodes();
  const auto start = x.abs();
  const auto length = at::minimum(kPi - start, 9 * at::rsqrt(k));
  const auto complement = bessel_complement(k);
  auto sum = at::zeros_like(x);
  for (const Node& node : nodes) {
    const auto ahead = length * node.at;
    const auto t = start + ahead;
    const auto decay = at::exp(-2 * k * at::sin(0.5 * (t + start)) * at::sin(0.5 * ahead));
    sum.add_((complement - 2 * at::sin(0.5 * t).square()) * decay, node.weight);
  }
  return x.sign() * length * sum;
}

}  // namespace

VonMises::VonMises(const Parameter& loc, const Parameter& concentration) {
  take({{&loc_, &loc}, {&concentration_, &concentration}});
  settle(slots());
}

Constraint VonMises::support() const { return constraints::real(); }

Tensor VonMises::draw(IntArrayRef shape) const {
  Tensor angles;
  Tensor slopes;
  const bool with_gradient = concentration_.requires_grad() && c10::GradMode::is_enabled();
  {
    const at::NoGradGuard no_gradient;
    const auto k = concentration_.to(at::kDouble).expand(shape);
    angles = draw_angles(k);
    if (with_gradient) slopes = slope_of_angles(angles, k).to(loc_.scalar_type());
    angles = angles.to(loc_.scalar_type());
  }
  // Its value is `angles`, its derivative by the concentration `slopes`.
  if (with_gradient) angles = at::addcmul(angles, concentration_ - concentration_.detach(), slopes);
  const auto x = loc_ + angles;
  return x - 2 * kPi * at::round(x.detach() / (2 * kPi));
}

Tensor VonMises::log_density(const Tensor& value) const {
  const auto square = at::sin(0.5 * (value - loc_)).square();
  return -2 * concentration_ * square - (log_i0e(concentration_) + (kLog2 + kLogPi));
}

Tensor VonMises::entropy() const {
  const auto& k = concentration_;
  return over_batch(log_i0e(k) + k * bessel_complement(k) + (kLog2 + kLogPi));
}

Tensor VonMises::mean() const { return over_batch(loc_); }  // of the direction
Tensor VonMises::variance() const {
  return over_batch(bessel_complement(concentration_));
}  // circular: 1 - I1/I0
Tensor VonMises::mode() const { return mean(); }

}  // namespace kullback::dist
