// Integrals of smooth functions by Gauss-Legendre quadrature in panels.
#pragma once

#include <boost/math/quadrature/gauss.hpp>
#include <cstddef>

namespace kullback::infer {

inline constexpr unsigned kNodes = 20;

template <class Function>
double integrate_panel(double from, double to, const Function& f) {
  const double middle = 0.5 * (from + to);
  const double half = 0.5 * (to - from);
  const auto& nodes = boost::math::quadrature::gauss<double, kNodes>::abscissa();
  const auto& weights = boost::math::quadrature::gauss<double, kNodes>::weights();
  double sum = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    sum += weights[i] * (f(middle + half * nodes[i]) + f(middle - half * nodes[i]));
  return half * sum;
}

// From 0 to `end`, panels growing from 0.
template <class Function>
double integrate_panels(double end, const Function& f) {
  double sum = 0;
  double from = 0;
  for (const double share : {0.08, 0.25, 0.55, 1.0}) {
    sum += integrate_panel(from, share * end, f);
    from = share * end;
  }
  return sum;
}

}  // namespace kullback::infer
