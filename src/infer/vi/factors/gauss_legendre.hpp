// Integrals of smooth functions by Gauss-Legendre quadrature in panels.
#pragma once

#include <span>

namespace kullback::infer {

struct LegendreNode {
  double place = 0;  // in (0, 1), of the rule on (-1, 1); there is one at -place too
  double weight = 0;
};

// Of the rule with 20 nodes.
std::span<const LegendreNode> legendre_nodes();

template <class Function>
double integrate_panel(double from, double to, const Function& f) {
  const double middle = 0.5 * (from + to);
  const double half = 0.5 * (to - from);
  double sum = 0;
  for (const LegendreNode& node : legendre_nodes())
    sum += node.weight * (f(middle + half * node.place) + f(middle - half * node.place));
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
