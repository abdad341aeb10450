#include "deep/diffusion/learned_score.hpp"

#include <utility>

namespace kullback::deep::diffusion {

namespace {

torch::Tensor entry(const torch::Tensor& matrix, std::int64_t i, std::int64_t j) {
  return matrix.select(1, i).select(1, j);
}

torch::Tensor column(const torch::Tensor& number, const torch::Tensor& like) {
  return number.to(like.scalar_type()).unsqueeze(1);
}

// Of data with variance 1: m m^T + variance.
torch::Tensor whole_variance(const Coefficients& at, std::int64_t i, std::int64_t j) {
  return entry(at.mean, i, 0) * entry(at.mean, j, 0) + entry(at.variance, i, j);
}

torch::Tensor raw(const Network& network, const Parameters& parameters, const Coefficients& at,
                  const torch::Tensor& scaled, const torch::Tensor& label) {
  return network.net.forward(parameters, scaled, noise_feature(at).to(scaled.scalar_type()), label);
}

}  // namespace

torch::Tensor noise_feature(const Coefficients& at) {
  const torch::Tensor sigma = entry(at.variance, 0, 0).clamp_min(1e-20).sqrt();
  return at::log(sigma / entry(at.mean, 0, 0)) / 4;
}

torch::Tensor predicted_data(const Network& network, const Parameters& parameters, const Coefficients& at,
                             const torch::Tensor& state, const torch::Tensor& label) {
  const Level here{.alpha = at.mean.flatten(), .sigma = at.variance.flatten().sqrt()};
  const Scaling scaling = network.parameterisation.scaling(here);
  const torch::Tensor in = whole_variance(at, 0, 0).rsqrt();
  const torch::Tensor output = raw(network, parameters, at, column(in, state) * state, label);
  return column(scaling.skip, state) * state + column(scaling.out, state) * output;
}

torch::Tensor predicted_noise(const Network& network, const Parameters& parameters, const Coefficients& at,
                              const torch::Tensor& state, const torch::Tensor& label) {
  const std::int64_t dims = state.size(1) / 2;
  const torch::Tensor x = state.narrow(1, 0, dims), v = state.narrow(1, dims, dims);
  const torch::Tensor xx = whole_variance(at, 0, 0), xv = whole_variance(at, 0, 1),
                      vv = whole_variance(at, 1, 1), det = xx * vv - xv * xv;
  const torch::Tensor scaled = at::cat({column(xx.rsqrt(), x) * x, column(vv.rsqrt(), v) * v}, 1);
  const torch::Tensor root_vv = entry(root(at.variance), 1, 1);
  const torch::Tensor of_normal = column(root_vv * xx / det, v) * v - column(root_vv * xv / det, x) * x;
  return of_normal + raw(network, parameters, at, scaled, label);
}

torch::Tensor predicted_score(const Network& network, const Parameters& parameters, const Coefficients& at,
                              const torch::Tensor& state, const torch::Tensor& label) {
  if (network.sde.blocks() == 1) {
    const torch::Tensor x = predicted_data(network, parameters, at, state, label);
    return (column(at.mean.flatten(), state) * x - state) / column(at.variance.flatten(), state);
  }
  const torch::Tensor noise = predicted_noise(network, parameters, at, state, label);
  const torch::Tensor of_velocity = -noise / column(entry(root(at.variance), 1, 1), noise);
  return at::cat({torch::zeros_like(of_velocity), of_velocity}, 1);
}

LearnedScore::LearnedScore(Network network, Parameters parameters, std::int64_t dims, torch::Tensor label,
                           double guidance)
    : network_(network),
      parameters_(std::move(parameters)),
      dims_(dims),
      label_(std::move(label)),
      guidance_(guidance) {}

torch::Tensor LearnedScore::at(const torch::Tensor& state, const torch::Tensor& t) const {
  const std::int64_t rows = state.size(0);
  const Coefficients at = network_.sde.at(t.size(0) == rows ? t : t.expand({rows}));
  const torch::Tensor given = predicted_score(network_, parameters_, at, state, label_);
  if (guidance_ == 0 || !label_.defined()) return given;
  const torch::Tensor free = predicted_score(network_, parameters_, at, state, torch::zeros_like(label_));
  return (1 + guidance_) * given - guidance_ * free;
}

}  // namespace kullback::deep::diffusion
