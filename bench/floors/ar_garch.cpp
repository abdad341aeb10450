// h[1] = h1^2, e[1] = y[1] - mu; then h[t] = alpha0 + alpha1 e[t-1]^2 + beta1 h[t-1], e[t] = y[t] - mu - phi
// (y[t-1] - mu), log p = priors + Jacobians - sum_{t>1} (log(2 pi) + log h[t] + e[t]^2/h[t])/2. Backwards,
// l[t] = d log p/d h[t] = (e[t]^2/h[t] - 1)/(2 h[t]) + beta1 l[t+1].
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "floors/floors.hpp"

namespace kullback::bench::FLOOR_MATH {

namespace {

constexpr double kLogTwoPi = 1.8378770664093454836;

struct Params {
  double mu, phi, alpha0, alpha1, beta1;
};

struct Interval {  // the inverse logit and what its Jacobian needs
  explicit Interval(double u) : p(1 / (1 + std::exp(-u))), log_jacobian(std::log(p * (1 - p))) {}
  double p;
  double log_jacobian;
  double slope() const { return p * (1 - p); }
  double d_log_jacobian() const { return 1 - 2 * p; }
};

class ArGarch : public Floor {
 public:
  explicit ArGarch(const model::Data& data)
      : y_(numbers(data, "y")),
        h1_(numbers(data, "h1")[0]),
        steps_(y_.size()),
        e_(steps_),
        h_(steps_),
        l_(steps_ + 1) {}

  double evaluate(const double* theta, double* gradient) final {
    const Interval phi(theta[1]);
    const Interval alpha(theta[3]);
    const Interval beta(theta[4]);
    const double room = 1 - alpha.p;
    const Params p{theta[0], 2 * phi.p - 1, std::exp(theta[2]), alpha.p, room * beta.p};
    Params d{};
    double log_density = add_steps(p, d);
    log_density += -0.5 * p.mu * p.mu - 2 * p.phi * p.phi - 0.5 * p.alpha0 * p.alpha0;
    log_density +=
        std::log(p.alpha1) + 3 * std::log1p(-p.alpha1) + 3 * std::log(p.beta1) + std::log1p(-p.beta1);
    log_density +=
        std::log(2) + phi.log_jacobian + theta[2] + alpha.log_jacobian + std::log(room) + beta.log_jacobian;
    const double d_beta1 = d.beta1 + 3 / p.beta1 - 1 / (1 - p.beta1);
    const double d_alpha1 = d.alpha1 + 1 / p.alpha1 - 3 / room - d_beta1 * beta.p - 1 / room;
    gradient[0] = d.mu - p.mu;
    gradient[1] = (d.phi - 4 * p.phi) * 2 * phi.slope() + phi.d_log_jacobian();
    gradient[2] = (d.alpha0 - p.alpha0) * p.alpha0 + 1;
    gradient[3] = d_alpha1 * alpha.slope() + alpha.d_log_jacobian();
    gradient[4] = d_beta1 * room * beta.slope() + beta.d_log_jacobian();
    return log_density;
  }

 protected:
  virtual double add_steps(const Params& p, Params& d) = 0;

  std::vector<double> y_;
  double h1_;
  std::size_t steps_;
  std::vector<double> e_;
  std::vector<double> h_;
  std::vector<double> l_;
};

class Plain final : public ArGarch {
 public:
  using ArGarch::ArGarch;

 private:
  double add_steps(const Params& p, Params& d) override {
    double total = -0.5 * kLogTwoPi * static_cast<double>(steps_ - 1);
    e_[0] = y_[0] - p.mu;
    h_[0] = h1_ * h1_;
    for (std::size_t t = 1; t < steps_; ++t) {
      h_[t] = p.alpha0 + p.alpha1 * e_[t - 1] * e_[t - 1] + p.beta1 * h_[t - 1];
      e_[t] = y_[t] - p.mu - p.phi * (y_[t - 1] - p.mu);
    }
    for (std::size_t t = 1; t < steps_; ++t) {
      l_[t] = 1 / h_[t];
      total -= 0.5 * (std::log(h_[t]) + e_[t] * e_[t] * l_[t]);
    }
    double l = 0;
    double d_e = 0;
    for (std::size_t t = steps_; t-- > 1;) {
      const double e = e_[t];
      const double d_this = d_e - e * l_[t];
      d.mu -= d_this * (1 - p.phi);
      d.phi -= d_this * (y_[t - 1] - p.mu);
      l = 0.5 * (e * e * l_[t] - 1) * l_[t] + p.beta1 * l;
      d.alpha0 += l;
      d.alpha1 += l * e_[t - 1] * e_[t - 1];
      d.beta1 += l * h_[t - 1];
      d_e = 2 * p.alpha1 * l * e_[t - 1];
    }
    d.mu -= d_e;
    return total;
  }
};

// The recurrences four steps at a time, so that only one multiplication in four waits for the one before; all
// else in loops over t that vectorise. Logarithms: the product of the significands, and the sum of the
// exponents.
class Blocked final : public ArGarch {
 public:
  using ArGarch::ArGarch;

 private:
  static constexpr std::size_t kParts = 8;
  using Parts = std::array<double, kParts>;

  static double sum(const Parts& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

  double add_steps(const Params& p, Params& d) override {
    const double* y = y_.data();
    double* e = e_.data();
    double* h = h_.data();
    double* l = l_.data();
    e[0] = y[0] - p.mu;
    const double level = p.mu * (p.phi - 1);
    for (std::size_t t = 1; t < steps_; ++t) e[t] = (y[t] + level) - p.phi * y[t - 1];
    for (std::size_t t = 1; t < steps_; ++t) h[t] = p.alpha0 + p.alpha1 * (e[t - 1] * e[t - 1]);
    h[0] = h1_ * h1_;
    recur(h, p.beta1);
    const double total = sum_densities();
    recur_backwards(l, p.beta1);
    add_slopes(p, d);
    return total - 0.5 * kLogTwoPi * static_cast<double>(steps_ - 1);
  }

  // c[t] += b c[t-1] for t = 1, 2, ...
  void recur(double* c, double b) const {
    const double b2 = b * b;
    const double b4 = b2 * b2;
    double last = c[0];
    std::size_t t = 1;
    for (; t + 4 <= steps_; t += 4) {
      const double c0 = c[t], c1 = c[t + 1], c2 = c[t + 2], c3 = c[t + 3];
      const double c01 = c0 * b + c1;
      c[t] = c0 + b * last;
      c[t + 1] = c01 + b2 * last;
      c[t + 2] = (c01 * b + c2) + b2 * b * last;
      last = (c01 * b2 + (c2 * b + c3)) + b4 * last;
      c[t + 3] = last;
    }
    for (; t < steps_; ++t) c[t] += b * c[t - 1];
  }

  // c[t] += b c[t+1] for t = ..., 2, 1
  void recur_backwards(double* c, double b) const {
    const double b2 = b * b;
    const double b4 = b2 * b2;
    double last = 0;
    std::size_t t = steps_;
    for (; t >= 5; t -= 4) {
      const double c0 = c[t - 1], c1 = c[t - 2], c2 = c[t - 3], c3 = c[t - 4];
      const double c01 = c0 * b + c1;
      c[t - 1] = c0 + b * last;
      c[t - 2] = c01 + b2 * last;
      c[t - 3] = (c01 * b + c2) + b2 * b * last;
      last = (c01 * b2 + (c2 * b + c3)) + b4 * last;
      c[t - 4] = last;
    }
    for (; t > 1; --t) {
      c[t - 1] += b * last;
      last = c[t - 1];
    }
  }

  // Leaves in e what multiplies d e, in l the direct derivative by h.
  double sum_densities() {
    const double* e = e_.data();
    const double* h = h_.data();
    double* l = l_.data();
    Parts squares{};
    Parts significands;
    significands.fill(1);
    std::array<std::int64_t, kParts> exponents{};
    double total = 0;
    std::size_t t = 1;
    const auto step = [&](std::size_t at) {
      const double inverse = 1 / h[at];
      const double square = e[at] * e[at] * inverse;
      l[at] = 0.5 * (square - 1) * inverse;
      return square;
    };
    const auto flush = [&] {
      for (double& s : significands) {
        total += std::log(s);
        s = 1;
      }
    };
    std::size_t factors = 0;
    for (; t + kParts <= steps_; t += kParts) {
      for (std::size_t k = 0; k < kParts; ++k) {
        squares[k] += step(t + k);
        const auto bits = std::bit_cast<std::uint64_t>(h[t + k]);
        exponents[k] += static_cast<std::int64_t>(bits >> 52) - 1023;
        significands[k] *= std::bit_cast<double>((bits & 0x000fffffffffffffU) | 0x3ff0000000000000U);
      }
      if (++factors == 1000) {
        flush();
        factors = 0;
      }
    }
    double rest = 0;
    for (; t < steps_; ++t) {
      rest += step(t);
      total += std::log(h[t]);
    }
    double product = 1;  // factors < 1000 / kParts: the product of all parts is finite
    if (factors * kParts < 1000)
      for (double& s : significands) product *= s;
    else
      flush();
    std::int64_t doublings = 0;
    for (std::int64_t n : exponents) doublings += n;
    total += std::log(product) + 0.69314718055994530942 * static_cast<double>(doublings);
    return -0.5 * (total + sum(squares) + rest);
  }

  void add_slopes(const Params& p, Params& d) const {
    const double* y = y_.data();
    const double* e = e_.data();
    const double* h = h_.data();
    const double* l = l_.data();
    Parts by_e{}, by_lag{}, alpha0{}, alpha1{}, beta1{};
    const auto add = [&](std::size_t t, std::size_t k) {
      // d log p/d e[t], t > 0; l[steps_] is 0
      const double by = e[t] * (2 * p.alpha1 * l[t + 1] - 1 / h[t]);
      by_e[k] += by;
      by_lag[k] += by * y[t - 1];
      alpha0[k] += l[t];
      alpha1[k] += l[t] * (e[t - 1] * e[t - 1]);
      beta1[k] += l[t] * h[t - 1];
    };
    std::size_t t = 1;
    for (; t + kParts <= steps_; t += kParts)
      for (std::size_t k = 0; k < kParts; ++k) add(t + k, k);
    for (; t < steps_; ++t) add(t, 0);
    d.mu = -(1 - p.phi) * sum(by_e) - 2 * p.alpha1 * l[1] * e[0];
    d.phi = p.mu * sum(by_e) - sum(by_lag);
    d.alpha0 = sum(alpha0);
    d.alpha1 = sum(alpha1);
    d.beta1 = sum(beta1);
  }
};

}  // namespace

std::vector<NamedFloor> ar_garch(const model::Data& data) {
  std::vector<NamedFloor> floors;
  floors.push_back({"loop", std::make_unique<Plain>(data)});
  floors.push_back({"best", std::make_unique<Blocked>(data)});
  return floors;
}

}  // namespace kullback::bench::FLOOR_MATH
