#include "deep/diffusion/sde.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "deep/diffusion/records.hpp"

namespace kullback::deep::diffusion {

#define KULLBACK_SDE(record) extern const SdeRecord record;
#include "deep/diffusion/sdes.def"
#undef KULLBACK_SDE

std::span<const SdeRecord* const> sdes() {
  static const std::array kRecords = {
#define KULLBACK_SDE(record) &record,
#include "deep/diffusion/sdes.def"
#undef KULLBACK_SDE
  };
  return kRecords;
}

const SdeRecord& sde_named(const std::string& name) { return record_named(sdes(), name, "sde"); }

std::unique_ptr<Sde> make_sde(const std::string& name, const OptionValues& values) {
  return sde_named(name).make(values);
}

torch::Tensor Sde::training_time(const torch::Tensor& uniform) const {
  return t_min() + (t_max() - t_min()) * uniform;
}

Level level(const Sde& sde, const torch::Tensor& t) {
  if (sde.blocks() != 1)
    throw Error(ErrorKind::internal, "a state with a velocity has no single level of noise.");
  const Coefficients at = sde.at(t);
  return {.alpha = at.mean.flatten(), .sigma = at.variance.flatten().sqrt()};
}

double time_of_ratio(const Sde& sde, double ratio) {
  const auto ratio_at = [&](double t) {
    const Level here = level(sde, torch::full({1}, t, torch::kFloat64));
    return (here.sigma / here.alpha).item<double>();
  };
  double low = 0, high = sde.t_max();
  if (ratio <= ratio_at(low)) return low;
  if (ratio >= ratio_at(high)) return high;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (ratio_at(middle) < ratio ? low : high) = middle;
  }
  return (low + high) / 2;
}

torch::Tensor apply(const torch::Tensor& matrix, const torch::Tensor& state) {
  const std::int64_t blocks = matrix.size(1);
  const torch::Tensor here = matrix.to(state.scalar_type());
  if (blocks == 1) return here.flatten(1) * state;
  const torch::Tensor parts = state.view({state.size(0), blocks, -1});
  return at::matmul(here, parts).view_as(state);
}

torch::Tensor root(const torch::Tensor& matrix) {
  if (matrix.size(1) == 1) return matrix.sqrt();
  const torch::Tensor xx = matrix.select(1, 0).select(1, 0), vx = matrix.select(1, 1).select(1, 0),
                      vv = matrix.select(1, 1).select(1, 1);
  const torch::Tensor a = xx.clamp_min(0).sqrt();
  const torch::Tensor b = at::where(a > 0, vx / a, torch::zeros_like(a));
  const torch::Tensor c = (vv - b * b).clamp_min(0).sqrt();
  return at::stack({at::stack({a, torch::zeros_like(a)}, 1), at::stack({b, c}, 1)}, 1);
}

torch::Tensor perturb(const Coefficients& at, const torch::Tensor& x, const torch::Tensor& normal) {
  const torch::Tensor noise = apply(root(at.variance), normal);
  const torch::Tensor first = at.mean.select(2, 0).to(x.scalar_type());  // [n, blocks]
  if (at.mean.size(1) == 1) return first * x + noise;
  return (first.unsqueeze(2) * x.unsqueeze(1)).flatten(1) + noise;
}

torch::Tensor time_of(double t, const torch::Tensor& like) {
  return torch::full({1}, t, torch::TensorOptions().device(like.device()).dtype(torch::kFloat64));
}

torch::Tensor draw_prior(const Sde& sde, std::int64_t rows, std::int64_t dims,
                         const torch::TensorOptions& options) {
  torch::Tensor state = torch::randn({rows, sde.blocks() * dims}, options);
  const std::vector<double> variance = sde.prior_variance();
  for (std::size_t block = 0; block < variance.size(); ++block)
    state.narrow(1, static_cast<std::int64_t>(block) * dims, dims).mul_(std::sqrt(variance[block]));
  return state;
}

torch::Tensor prior_log_density(const Sde& sde, const torch::Tensor& state) {
  const std::vector<double> variance = sde.prior_variance();
  const std::int64_t dims = state.size(1) / sde.blocks();
  torch::Tensor sum = torch::zeros({state.size(0)}, state.options());
  for (std::size_t block = 0; block < variance.size(); ++block) {
    const torch::Tensor part = state.narrow(1, static_cast<std::int64_t>(block) * dims, dims);
    sum = sum - part.square().sum(1) / (2 * variance[block]) -
          static_cast<double>(dims) / 2 * std::log(2 * std::numbers::pi * variance[block]);
  }
  return sum;
}

}  // namespace kullback::deep::diffusion
