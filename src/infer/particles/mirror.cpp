// With the entropies x log x on (0, inf) and x log x + (1 - x) log(1 - x) on (0, 1) as mirror maps psi, the
// dual coordinate grad psi(x) is log x (up to 1) and logit x: Stan's unconstrained coordinate. So a density
// on theta with its Jacobian is the density in the mirror space, and (hess psi)^-1 = dx / dtheta:
//   x = lower + exp(theta)  or  upper - exp(theta),       dx/dtheta = x - lower  or  x - upper
//   x = lower + (upper - lower) / (1 + exp(-theta)),      dx/dtheta = (x - lower) (upper - x) / (upper -
//   lower)
#include "infer/particles/mirror.hpp"

#include <cmath>

namespace kullback::infer {

namespace {

struct Mirrored {
  double value = 0;
  double slope = 1;
};

Mirrored mirrored(const density::Support& support, double theta) {
  using Kind = density::Support::Kind;
  if (support.kind == Kind::positive) {
    const double distance = std::exp(theta);
    if (std::isfinite(support.lower)) return {support.lower + distance, distance};
    return {support.upper - distance, -distance};
  }
  if (support.kind == Kind::bounded) {
    const double width = support.upper - support.lower;
    const double share = 1 / (1 + std::exp(-theta));
    return {support.lower + width * share, width * share / (1 + std::exp(theta))};
  }
  return {theta, 1};
}

}  // namespace

MirrorValues mirror_values(std::span<const density::Support> supports, const std::vector<double>& theta,
                           std::size_t count) {
  MirrorValues result{std::vector<double>(theta.size()), std::vector<double>(theta.size())};
  for (std::size_t at = 0; at < theta.size(); ++at) {
    const auto [value, slope] = mirrored(supports[at / count], theta[at]);
    result.values[at] = value;
    result.slopes[at] = slope;
  }
  return result;
}

}  // namespace kullback::infer
