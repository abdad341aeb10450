// The gap as an integral of f'' >= 0 with Green's function (see element.cpp): its kernel is linear between
// (t, kernel)
//   (0, 0), (a, 1), (1, 0)      for 1/2 <= a <= 1,
//   (0, 0), (1, 1 / a), (a, 0)  for a > 1.
// Nothing cancels, wherever p is and whatever a tends to, unlike in the difference of log normalisers.
//
// f'' of the families here is analytic but for poles where a parameter is 0. Where no parameter changes by
// more than a factor of 10 over an interval, Bernstein's ellipse of the integrand has the parameter rho
// >= 1.92, and 30 points of Gauss leave an error of rho^-60 = 1e-17. Longer intervals are cut at geometric
// means.
#include "stats/divergence/convex_gap.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace kullback::stats {
namespace {

constexpr double kMaxRatio = 10;

// A place t on the line, with 1 - t for its own sake: near t = 1 a parameter may be far below 1e-16.
struct Node {
  double t = 0;
  double rest = 1;
  double kernel = 0;
};

Node between(const Node& a, const Node& b, double s) {
  const auto mix = [s](double x, double y) { return (1 - s) * x + s * y; };
  return {mix(a.t, b.t), mix(a.rest, b.rest), mix(a.kernel, b.kernel)};
}

double width(const Node& a, const Node& b) {
  return std::abs(a.rest) + std::abs(b.rest) < a.t + b.t ? a.rest - b.rest : b.t - a.t;
}

class Line final {
 public:
  Line(std::span<const double> q, std::span<const double> p, const Curvature& curvature)
      : q_(q), p_(p), curvature_(curvature), at_(q.size()), slope_(q.size()) {
    for (std::size_t i = 0; i < q.size(); ++i) slope_[i] = p[i] - q[i];
  }

  double parameter(std::size_t i, const Node& node) const { return node.rest * q_[i] + node.t * p_[i]; }

  bool is_inside(const Node& node) const {
    for (std::size_t i = 0; i < q_.size(); ++i)
      if (!(parameter(i, node) > 0)) return false;
    return true;
  }

  double integral(const Node& from, const Node& to) {
    std::size_t worst = 0;
    double ratio = 1;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      const double a = parameter(i, from), b = parameter(i, to);
      if (std::max(a / b, b / a) > ratio) ratio = std::max(a / b, b / a), worst = i;
    }
    if (ratio <= kMaxRatio) return gauss(from, to);
    const double a = parameter(worst, from), b = parameter(worst, to);
    const Node middle = between(from, to, (std::sqrt(a) * std::sqrt(b) - a) / (b - a));
    return integral(from, middle) + integral(middle, to);
  }

 private:
  double gauss(const Node& from, const Node& to) {
    const auto integrand = [&](double s) {
      const Node node = between(from, to, s);
      for (std::size_t i = 0; i < at_.size(); ++i) at_[i] = parameter(i, node);
      return node.kernel * curvature_(at_, slope_);
    };
    return width(from, to) * boost::math::quadrature::gauss<double, 30>::integrate(integrand, 0.0, 1.0);
  }

  std::span<const double> q_, p_;
  const Curvature& curvature_;
  std::vector<double> at_, slope_;
};

}  // namespace

double convex_gap(std::span<const double> q, std::span<const double> p, double alpha,
                  const Curvature& curvature) {
  Line line(q, p, curvature);
  const Node at_q{0, 1, 0};
  if (alpha == 1) return line.integral(at_q, {1, 0, 1});
  if (alpha < 1) {
    const Node at_alpha{alpha, 1 - alpha, 1};
    return line.integral(at_q, at_alpha) + line.integral(at_alpha, {1, 0, 0});
  }
  const Node at_p{1, 0, 1 / alpha}, at_alpha{alpha, 1 - alpha, 0};
  if (!line.is_inside(at_alpha)) return std::numeric_limits<double>::infinity();
  return line.integral(at_q, at_p) + line.integral(at_p, at_alpha);
}

}  // namespace kullback::stats
