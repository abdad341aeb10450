#include "infer/vi/factors/gauss_legendre.hpp"

#include <array>
#include <boost/math/quadrature/gauss.hpp>

namespace kullback::infer {

namespace {

constexpr unsigned kNodes = 20;  // even: 0 is none of them

std::array<LegendreNode, kNodes / 2> make_nodes() {
  using Rule = boost::math::quadrature::gauss<double, kNodes>;
  std::array<LegendreNode, kNodes / 2> nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = {Rule::abscissa()[i], Rule::weights()[i]};
  return nodes;
}

}  // namespace

std::span<const LegendreNode> legendre_nodes() {
  static const std::array<LegendreNode, kNodes / 2> nodes = make_nodes();
  return nodes;
}

}  // namespace kullback::infer
