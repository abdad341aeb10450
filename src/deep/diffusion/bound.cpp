// With g = log(sigma^2 / alpha^2) the diffusion term is int |n - n'|^2 dg / 2 over the levels: with g uniform
// over its range, (g_1 - g_0) / 2 times the squared error of the noise, whatever the schedule between. Where
// there is little noise, n' knows nothing of n, and |n - n'|^2 varies as |n|^2 does; for normal data it is
// c^2 |n|^2 + ..., c = alpha^2 / (alpha^2 + sigma^2). Less c^2 (|n|^2 - dims), whose mean is 0, it varies
// much less.
#include "deep/diffusion/bound.hpp"

#include <algorithm>
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
  // Over the noise, |x - z / alpha|^2 has the mean dims ratio^2.
  return (dims * (at::log(ratio) + (std::log(2 * std::numbers::pi) + 1) / 2)).expand({x.size(0)});
}

torch::Tensor diffusion_term(const Sde& sde, const Score& score, const RatioTable& table,
                             const torch::Tensor& x, const torch::Tensor& uniform,
                             const torch::Tensor& normal) {
  const double range = table.high() - table.low();
  const torch::Tensor t = table.time(table.low() + range * uniform);
  const Coefficients at = sde.at(t);
  const torch::Tensor alpha_square = at.mean.flatten().square(), variance = at.variance.flatten();
  const auto column = [&](const torch::Tensor& number) { return number.to(x.scalar_type()).unsqueeze(1); };
  const torch::Tensor error = normal + column(variance.sqrt()) * score.at(perturb(at, x, normal), t);
  const torch::Tensor share = column((alpha_square / (alpha_square + variance)).square());
  return range * (error.square() - share * (normal.square() - 1)).sum(1);
}

BoundTerms bound_terms(const Sde& sde, const Score& score, const torch::Tensor& x, const DataUnits& units,
                       std::int64_t draws) {
  const torch::NoGradGuard no_gradient;
  const RatioTable table(sde);
  BoundTerms terms{.prior = prior_term(sde, x),
                   .diffusion = torch::zeros({x.size(0)}, x.options()),
                   .reconstruction = reconstruction_term(sde, x, torch::randn_like(x), units)};
  const torch::Tensor shift = torch::rand({x.size(0)}, x.options().dtype(torch::kFloat64));
  for (std::int64_t i = 0; i < draws; ++i) {
    const torch::Tensor uniform = (shift + static_cast<double>(i)) / static_cast<double>(draws);
    terms.diffusion.add_(diffusion_term(sde, score, table, x, uniform, torch::randn_like(x)) /
                         static_cast<double>(draws));
  }
  return terms;
}

BoundTerms bound_terms(const Network& network, const Parameters& parameters, const torch::Tensor& x,
                       const torch::Tensor& label, const DataUnits& units, std::int64_t draws) {
  return bound_terms(network.sde, LearnedScore(network, parameters, x.size(1), label), x, units, draws);
}

}  // namespace kullback::deep::diffusion
