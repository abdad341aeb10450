// Derivatives of a gradient along a line, by central differences of order 8.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace kullback::math {

// g(t, out) writes `size` numbers: a gradient at the point t along a line whose natural unit is 1. Returns
// the first (order 1) or second (order 2) derivative at t = 0. The step is widened or narrowed by factors of
// 4 until truncation (order 8 against order 6) and rounding balance.
using AlongLine = std::function<void(double t, double* out)>;
std::vector<double> derivative_along(const AlongLine& g, std::size_t size, int order);

}  // namespace kullback::math
