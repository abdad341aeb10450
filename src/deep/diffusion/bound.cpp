// With g = log(sigma^2 / alpha^2) the diffusion term is int |n - n'|^2 dg / 2 over the levels: with g uniform
// over its range, (g_1 - g_0) / 2 times the squared error of the noise, whatever the schedule between.
#include "deep/diffusion/bound.hpp"

#include <cmath>
#include <numbers>

namespace kullback::deep::diffusion {

namespace {

constexpr std::int64_t kLevels = 256;
constexpr std::int64_t kRowsAtOnce = 64;  // of all pixels' chances of all levels

torch::Tensor level_term(const torch::Tensor& seen, const torch::Tensor& x, const torch::Tensor& ratio,
                         const DataUnits& units) {
  const torch::Tensor value = (torch::arange(kLevels, x.options()) / 255 - units.center) / units.sd;
  const torch::Tensor index = ((x * units.sd + units.center) * 255).round().to(torch::kInt64);
  std::vector<torch::Tensor> parts;
  for (std::int64_t first = 0; first < x.size(0); first += kRowsAtOnce) {
    const std::int64_t count = std::min(kRowsAtOnce, x.size(0) - first);
    const torch::Tensor away = (seen.narrow(0, first, count).unsqueeze(2) - value) / ratio;
    const torch::Tensor chance = at::log_softmax(away.square() / -2, 2);
    parts.push_back(-chance.gather(2, index.narrow(0, first, count).unsqueeze(2)).squeeze(2).sum(1));
  }
  return at::cat(parts);
}

}  // namespace

torch::Tensor prior_term(const Sde& sde, const torch::Tensor& x) {
  const Level end = level(sde, time_of(sde.t_max(), x));
  const double variance = sde.prior_variance()[0];
  const torch::Tensor alpha = end.alpha.to(x.scalar_type()), sigma = end.sigma.to(x.scalar_type());
  const torch::Tensor each =
      (sigma.square() + (alpha * x).square()) / variance - 1 - 2 * at::log(sigma / std::sqrt(variance));
  return each.sum(1) / 2;
}

torch::Tensor reconstruction_term(const Sde& sde, const torch::Tensor& x, const torch::Tensor& normal,
                                  const DataUnits& units) {
  const Level first = level(sde, time_of(sde.t_min(), x));
  const torch::Tensor ratio = (first.sigma / first.alpha).to(x.scalar_type());
  if (units.has_levels) return level_term(x + ratio * normal, x, ratio, units);
  const auto dims = static_cast<double>(x.size(1));
  return dims * (at::log(ratio) + std::log(2 * std::numbers::pi) / 2) + normal.square().sum(1) / 2;
}

torch::Tensor diffusion_term(const Network& network, const Parameters& parameters, const RatioTable& table,
                             const torch::Tensor& x, const torch::Tensor& label, const torch::Tensor& uniform,
                             const torch::Tensor& normal) {
  const double range = table.high() - table.low();
  const Coefficients at = network.sde.at(table.time(table.low() + range * uniform));
  const torch::Tensor state = perturb(at, x, normal);
  const torch::Tensor error = predicted_data(network, parameters, at, state, label) - x;
  const torch::Tensor ratio = at.mean.flatten().square() / at.variance.flatten();
  return range * ratio.to(x.scalar_type()) * error.square().sum(1);
}

BoundTerms bound_terms(const Network& network, const Parameters& parameters, const torch::Tensor& x,
                       const torch::Tensor& label, const DataUnits& units, std::int64_t draws) {
  const torch::NoGradGuard no_gradient;
  const RatioTable table(network.sde);
  BoundTerms terms{.prior = prior_term(network.sde, x),
                   .diffusion = torch::zeros({x.size(0)}, x.options()),
                   .reconstruction = reconstruction_term(network.sde, x, torch::randn_like(x), units)};
  const auto number = x.options().dtype(torch::kFloat64);
  const torch::Tensor shift = torch::rand({x.size(0)}, number);
  for (std::int64_t i = 0; i < draws; ++i) {
    const torch::Tensor uniform = (shift + static_cast<double>(i)) / static_cast<double>(draws);
    terms.diffusion.add_(diffusion_term(network, parameters, table, x, label, uniform, torch::randn_like(x)) /
                         static_cast<double>(draws));
  }
  return terms;
}

}  // namespace kullback::deep::diffusion
