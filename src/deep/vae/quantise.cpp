// Rotation trick (Fifty, Junkins, Duan, Iger, Liu, Amid, Thrun and Re 2024): with unit vectors e' and q' of
// the point e and its code q, and r = (e' + q') / |e' + q'|,
//   R = I - 2 r r' + 2 q' e'',  s = |q| / |e|:  s R e = q,
// and the gradient to e is that of e -> s R e with s and R held fixed: s R'.
#include "deep/vae/quantise.hpp"

#include <cmath>

namespace kullback::deep {

namespace {

constexpr double kTiny = 1e-12;

torch::Tensor length(const torch::Tensor& x) { return at::sqrt(x.square().sum(-1, true)).clamp_min(kTiny); }

torch::Tensor rotated(const torch::Tensor& points, const torch::Tensor& codes) {
  const torch::Tensor e = points.detach(), q = codes.detach();
  const torch::Tensor e_length = length(e), q_length = length(q);
  const torch::Tensor e_unit = e / e_length, q_unit = q / q_length;
  const torch::Tensor sum = e_unit + q_unit, middle = sum / length(sum);
  const torch::Tensor turned =
      points - 2 * middle * (middle * points).sum(-1, true) + 2 * q_unit * (e_unit * points).sum(-1, true);
  return turned * (q_length / e_length);
}

}  // namespace

torch::Tensor nearest_codes(const torch::Tensor& points, const torch::Tensor& codes) {
  const torch::NoGradGuard no_gradient;
  // |e - c|^2 without |e|^2, which is the same for all codes.
  return at::addmm(codes.square().sum(1), points, codes.t(), 1, -2).argmin(1);
}

torch::Tensor past_codes(PastCodes way, const torch::Tensor& points, const torch::Tensor& codes) {
  const torch::Tensor moved = way == PastCodes::straight ? points : rotated(points, codes);
  // The values are the codes to the last bit.
  return moved + (codes - moved).detach();
}

CodeUse code_use(const torch::Tensor& counts) {
  const torch::Tensor all = counts.to(torch::kFloat64).cpu();
  const torch::Tensor share = all / all.sum().clamp_min(1);
  return {.perplexity = std::exp(-at::xlogy(share, share).sum().item<double>()),
          .dead = (all == 0).sum().item<std::int64_t>(),
          .codes = counts.size(0)};
}

}  // namespace kullback::deep
