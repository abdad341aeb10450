// An angle x in (lower, lower + 2 pi), x ~ von Mises(mu, kappa), theta = logit((x - lower) / 2 pi); lambda =
// (mu, log kappa), mu any real number.
//   log q = kappa cos(x - mu) - log I0(kappa) + log s + log(1 - s),  s = inv_logit(theta), dx / dtheta = 2 pi
//   s (1 - s)
// Draws invert the distribution function F, which begins at `lower`. Implicitly
//   dx / dmu = (f(x) - f(lower)) / f(x),  dx / dkappa = -int_lower^x (cos(t - mu) - A) f(t) dt / f(x),  A =
//   I1 / I0.
// Integrals are by Gauss-Legendre in panels that are narrow about the peaks, whose width is 1 / sqrt(kappa).
#include <algorithm>
#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "infer/vi/factors/factor.hpp"
#include "infer/vi/factors/gauss_legendre.hpp"
#include "infer/vi/factors/log_share.hpp"

namespace kullback::infer {

namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

// exp(-kappa) I_order(kappa): Hankel's expansion where I itself is large.
double scaled_bessel(int order, double kappa) {
  if (kappa < 50) return std::exp(-kappa) * boost::math::cyl_bessel_i(order, kappa);
  double term = 1;
  double sum = 1;
  for (int j = 1; j <= 20; ++j) {
    const double odd = 2 * j - 1;
    const double next = -term * (4.0 * order * order - odd * odd) / (8.0 * j * kappa);
    if (std::abs(next) >= std::abs(term)) break;
    sum += term = next;
  }
  return sum / std::sqrt(kTwoPi * kappa);
}

// The distribution on (lower, lower + 2 pi), with panels that resolve it.
class Circle {
 public:
  Circle(double lower, double mu, double kappa)
      : lower_(lower), mu_(mu), kappa_(kappa), scale_(1 / (kTwoPi * scaled_bessel(0, kappa))) {
    const double width = 1 / std::sqrt(kappa + 1);
    ends_ = {lower, lower + kTwoPi};
    const double peak = lower + std::remainder(mu - lower - std::numbers::pi, kTwoPi) + std::numbers::pi;
    for (const double centre : {peak - kTwoPi, peak, peak + kTwoPi}) {
      for (const double step : {0.0, 1.0, 2.0, 4.0, 7.0, 12.0, 20.0}) {
        for (const double end : {centre - step * width, centre + step * width}) {
          if (end > lower && end < lower + kTwoPi) ends_.push_back(end);
        }
      }
    }
    std::sort(ends_.begin(), ends_.end());
    below_.push_back(0);
    for (std::size_t p = 0; p + 1 < ends_.size(); ++p)
      below_.push_back(below_.back() +
                       integrate_panel(ends_[p], ends_[p + 1], [this](double t) { return density(t); }));
  }

  double density(double x) const { return scale_ * std::exp(kappa_ * (std::cos(x - mu_) - 1)); }

  // F(x) = probability: bisection where Newton's step leaves the panel.
  double quantile(double probability) const {
    const double wanted = probability * below_.back();
    const auto above = std::upper_bound(below_.begin() + 1, below_.end() - 1, wanted);
    const auto panel = static_cast<std::size_t>(above - below_.begin()) - 1;
    double low = ends_[panel];
    double high = ends_[panel + 1];
    double x = 0.5 * (low + high);
    for (int i = 0; i < 60; ++i) {
      const double gap =
          below_[panel] + integrate_panel(ends_[panel], x, [this](double t) { return density(t); }) - wanted;
      (gap > 0 ? high : low) = x;
      double next = x - gap / density(x);
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      const double move = std::abs(next - x);
      x = next;
      if (move < 1e-15 * (1 + std::abs(x))) break;
    }
    return x;
  }

  // int_lower^x (cos(t - mu) - mean) f(t) dt
  double integral_of_cosine(double x, double mean) const {
    const auto f = [this, mean](double t) { return (std::cos(t - mu_) - mean) * density(t); };
    double sum = 0;
    for (std::size_t p = 0; p + 1 < ends_.size() && ends_[p] < x; ++p)
      sum += integrate_panel(ends_[p], std::min(x, ends_[p + 1]), f);
    return sum;
  }

 private:
  double lower_;
  double mu_;
  double kappa_;
  double scale_;
  std::vector<double> ends_;   // of the panels
  std::vector<double> below_;  // probability below each end
};

class VonMisesFactor final : public Factor {
 public:
  explicit VonMisesFactor(double lower) : Factor({1, 2, 1}), lower_(lower) {}

  bool has_moments() const override { return false; }
  void begin(const double* mean, const double* sd, double* lambda) const override {
    const double share = std::exp(log_share(mean[0]));
    const double spread = std::min(sd[0] * kTwoPi * share * (1 - share), 3.0);
    lambda[0] = angle(mean[0]);
    lambda[1] = -2 * std::log(spread);
  }
  void units(const double* lambda, double* result) const override {
    result[0] = 1 / std::sqrt(std::exp(lambda[1]) + 0.3);
    result[1] = 1;
  }
  void draw(const double* lambda, std::size_t lanes, const double* noise, double* theta) override {
    const Circle circle(lower_, lambda[0], std::exp(lambda[1]));
    for (std::size_t k = 0; k < lanes; ++k) {
      const double share = (circle.quantile(0.5 * std::erfc(-noise[k] * M_SQRT1_2)) - lower_) / kTwoPi;
      const double inside = std::clamp(share, 1e-300, 1 - 0x1p-53);
      theta[k] = std::log(inside) - std::log1p(-inside);
    }
  }
  void add_log_q(const double* lambda, std::size_t lanes, const double* theta, double* log_q,
                 double* slopes) const override {
    const double kappa = std::exp(lambda[1]);
    const double constant = std::log(scaled_bessel(0, kappa));
    for (std::size_t k = 0; k < lanes; ++k) {
      const double gap = angle(theta[k]) - lambda[0];
      log_q[k] += kappa * (std::cos(gap) - 1) - constant + log_share(theta[k]) + log_share(-theta[k]);
      if (slopes == nullptr) continue;
      slopes[k] = -kappa * std::sin(gap) * angle_slope(theta[k]) + 1 - 2 * std::exp(log_share(theta[k]));
    }
  }
  void scores(const double* lambda, std::size_t lanes, const double* theta, double* result) const override {
    const double kappa = std::exp(lambda[1]);
    const double mean = scaled_bessel(1, kappa) / scaled_bessel(0, kappa);
    for (std::size_t k = 0; k < lanes; ++k) {
      const double gap = angle(theta[k]) - lambda[0];
      result[k] = kappa * std::sin(gap);
      result[lanes + k] = kappa * (std::cos(gap) - mean);
    }
  }
  void pull_back(const double* lambda, const FactorDraws& draws, double* lambda_adjoint) const override {
    const double kappa = std::exp(lambda[1]);
    const Circle circle(lower_, lambda[0], kappa);
    const double mean = scaled_bessel(1, kappa) / scaled_bessel(0, kappa);
    for (std::size_t k = 0; k < draws.lanes; ++k) {
      const double x = angle(draws.theta[k]);
      const double per_density = draws.adjoint[k] / (circle.density(x) * angle_slope(draws.theta[k]));
      lambda_adjoint[0] += per_density * (circle.density(x) - circle.density(lower_));
      lambda_adjoint[1] -= per_density * kappa * circle.integral_of_cosine(x, mean);
    }
  }
  double entropy(const double*, double, double*) const override { return std::nan(""); }
  void moments(const double*, double* mean, double* sd) const override { mean[0] = sd[0] = std::nan(""); }

 private:
  double angle(double theta) const { return lower_ + kTwoPi * std::exp(log_share(theta)); }
  static double angle_slope(double theta) { return kTwoPi * std::exp(log_share(theta) + log_share(-theta)); }

  double lower_;
};

}  // namespace

std::unique_ptr<Factor> make_von_mises_factor(double lower) {
  return std::make_unique<VonMisesFactor>(lower);
}

}  // namespace kullback::infer
