// Inside stats/divergence: integrals over the line, a half line or an interval of functions that may have
// narrow peaks, heavy tails and algebraic singularities at the ends.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "stats/divergence/densities.hpp"
#include "stats/divergence/element.hpp"

namespace kullback::stats {

struct Place {
  double x = 0;
  double to_upper = 0;  // upper - x, without cancellation
};

// The interval (lower, upper) as the image of the line of v: near the center, x = center + scale v.
class Axis final {
 public:
  Axis(double lower, double upper, double center, double scale);

  Place place(double v) const;
  double log_derivative(double v) const;  // of x by v
  double inverse(double x) const;
  double reach() const { return reach_; }  // beyond -reach and reach x is 0 or infinite in doubles

 private:
  double lower_, upper_, anchor_, scale_, reach_;
  enum class Shape { line, above, below, interval } shape_;
};

// The integral over v, by adaptive Gauss-Kronrod rules of 21 points; `breaks` are places where the integrand
// or its scale changes. Infinite where a value is. Throws where the tolerance is not reached.
Integral integrate(const Axis& axis, std::span<const double> breaks,
                   const std::function<double(double v)>& integrand, const QuadratureOptions& options);

// Integral over x of element(p, q), an element that is homogeneous of degree 1 in (p, q).
using LogDensities = std::function<LogPair(const Place&)>;
using PairElement = std::function<double(const LogPair&)>;
Integral integrate_pair(const Axis& axis, std::span<const double> breaks, const LogDensities& densities,
                        const PairElement& element, const QuadratureOptions& options);

}  // namespace kullback::stats
