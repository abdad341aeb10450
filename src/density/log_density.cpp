// H v by differences of gradients g along v, with an error of fourth order:
//   H v = (8 (g(theta + h v) - g(theta - h v)) - (g(theta + 2h v) - g(theta - 2h v))) / 12h + O(h^4)
// Truncation grows with h^4, rounding with eps / h; h^5 = eps balances them for a density that varies on the
// scale of 1 + |theta_i| in each coordinate:
//   h = eps^(1/5) min_i (1 + |theta_i|) / |v_i|
// so that a coordinate far from 0 does not lengthen the steps of the others. A step is shortened where a
// point of it is not ok (the edge of a support), or where the differences over h and 2h disagree by more than
// one in 10^4 and more than rounding explains: then the density varies on a smaller scale. Relative errors
// against exact Hessians are in docs/engine.md.
#include "density/log_density.hpp"

#include <algorithm>
#include <cmath>

namespace kullback::density {

namespace {

constexpr std::size_t kStencil = 4;
constexpr double kSteps[kStencil] = {1, -1, 2, -2};
constexpr double kWeights[kStencil] = {8.0 / 12, -8.0 / 12, -1.0 / 12, 1.0 / 12};
constexpr std::size_t kDirectionsAtOnce = 4;  // 16 lanes: memory stays bounded for any number of directions
constexpr int kShortenings = 4;
constexpr double kShorter = 1.0 / 16;
constexpr double kDisagreement =
    1e-4;  // of differences of second order; the error of fourth order is its square
constexpr double kRounding = 1e3 * std::numeric_limits<double>::epsilon();

struct Directions {
  std::size_t dim;
  std::size_t count;
  const double* v;

  double at(std::size_t i, std::size_t d) const { return v[i * count + d]; }
};

double step_along(const Directions& directions, std::size_t d, const double* theta) {
  const double relative = std::pow(std::numeric_limits<double>::epsilon(), 0.2);
  double step = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < directions.dim; ++i) {
    const double v = std::abs(directions.at(i, d));
    if (v > 0) step = std::min(step, relative * (1 + std::abs(theta[i])) / v);
  }
  return std::isfinite(step) ? step : 0;  // v = 0 (or beyond what doubles hold)
}

// The points around theta for some directions; lanes that serve no direction stay at theta.
class Stencils final {
 public:
  Stencils(LogDensity& density, std::size_t directions)
      : density_(density),
        lanes_(kStencil * directions),
        theta_(density.dim() * lanes_),
        gradient_(density.dim() * lanes_),
        log_density_(lanes_),
        status_(lanes_) {}

  // Directions [first, first + steps.size()).
  void run(const double* theta, const Directions& directions, std::size_t first,
           const std::vector<double>& steps) {
    for (std::size_t i = 0; i < directions.dim; ++i) {
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        const std::size_t d = lane / kStencil;
        const double moved =
            d < steps.size() ? kSteps[lane % kStencil] * steps[d] * directions.at(i, first + d) : 0.0;
        theta_[i * lanes_ + lane] = theta[i] + moved;
      }
    }
    density_.evaluate({lanes_, theta_.data(), log_density_.data(), gradient_.data(), status_.data()});
  }

  bool ok(std::size_t d) const {
    const auto first = status_.begin() + static_cast<std::ptrdiff_t>(d * kStencil);
    return std::all_of(first, first + kStencil, [](Status s) { return s == Status::ok; });
  }

  bool step_is_long(std::size_t d) const {
    double largest = 0;
    double disagreement = 0;
    double gradient = 0;
    for (std::size_t i = 0; i < density_.dim(); ++i) {
      const double* g = gradient_.data() + i * lanes_ + d * kStencil;
      largest = std::max(largest, std::abs(g[0] - g[1]));
      disagreement = std::max(disagreement, std::abs((g[0] - g[1]) - (g[2] - g[3]) / 2));
      gradient = std::max(gradient, std::abs(g[0]));
    }
    return disagreement > kDisagreement * largest && disagreement > kRounding * gradient;
  }

  double difference(std::size_t i, std::size_t d, double step) const {
    if (step == 0) return 0;
    double sum = 0;
    for (std::size_t s = 0; s < kStencil; ++s) sum += kWeights[s] * gradient_[i * lanes_ + d * kStencil + s];
    return sum / step;
  }

 private:
  LogDensity& density_;
  std::size_t lanes_;
  std::vector<double> theta_;
  std::vector<double> gradient_;
  std::vector<double> log_density_;
  std::vector<Status> status_;
};

}  // namespace

bool LogDensity::hessian_times(const double* theta, std::size_t count, const double* v, double* result) {
  const Directions directions{dim(), count, v};
  double at_theta = 0;
  Status status = Status::ok;
  evaluate({1, theta, &at_theta, nullptr, &status});
  if (status != Status::ok) return false;
  Stencils stencils(*this, count == 1 ? 1 : kDirectionsAtOnce);
  for (std::size_t first = 0; first < count; first += kDirectionsAtOnce) {
    const std::size_t here = std::min(count - first, kDirectionsAtOnce);
    std::vector<double> steps(here);
    for (std::size_t d = 0; d < here; ++d) steps[d] = step_along(directions, first + d, theta);
    for (int shortened = 0;; ++shortened) {
      stencils.run(theta, directions, first, steps);
      bool again = false;
      for (std::size_t d = 0; d < here; ++d) {
        if (stencils.ok(d) && (shortened == kShortenings || !stencils.step_is_long(d))) continue;
        if (shortened == kShortenings) return false;
        steps[d] *= kShorter;
        again = true;
      }
      if (!again) break;
    }
    for (std::size_t i = 0; i < directions.dim; ++i) {
      for (std::size_t d = 0; d < here; ++d)
        result[i * count + first + d] = stencils.difference(i, d, steps[d]);
    }
  }
  return true;
}

}  // namespace kullback::density
