// Inside stats/divergence: how far a chord lies above a convex function, per a (1 - a).
#pragma once

#include <functional>
#include <span>

namespace kullback::stats {

// f''(t) at a point of the line between two parameters, from the parameters there and their derivatives by t.
using Curvature = std::function<double(std::span<const double> at, std::span<const double> slope)>;

// (a f(1) + (1 - a) f(0) - f(a)) / (a (1 - a)), f(t) the log normaliser at (1 - t) q + t p, for a >= 1/2. All
// parameters are positive; where one is not at t = a, the gap is infinite.
double convex_gap(std::span<const double> q, std::span<const double> p, double alpha,
                  const Curvature& curvature);

}  // namespace kullback::stats
