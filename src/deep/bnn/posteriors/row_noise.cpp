#include "deep/bnn/posteriors/row_noise.hpp"

namespace kullback::deep {

namespace {

// -1 or 1 for each row and feature or channel: [nets, rows, features(, 1, 1)], to multiply `like` with.
torch::Tensor signs(const torch::Tensor& like, std::int64_t nets, const Noise& noise) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()), 1);
  shape[0] = nets;
  shape[1] = like.size(1);
  shape[2] = like.size(2);
  return at::round(noise.uniform(shape, like.options(), 1)) * 2 - 1;
}

}  // namespace

torch::Tensor FlipoutRule::apply(const Affine& layer, const Parameters& parameters, const torch::Tensor& x) {
  const torch::Tensor& bias = parameters[layer.bias];
  const std::int64_t nets = parameters.nets();
  const torch::Tensor center = apply_affine(layer, parameters[layer.weight], bias, x);
  const torch::Tensor deviation =
      apply_affine(layer, deviations_[layer.weight], torch::zeros_like(bias), x * signs(x, nets, noise_));
  return center + deviation * signs(deviation, nets, noise_);
}

torch::Tensor LocalRule::apply(const Affine& layer, const Parameters& parameters, const torch::Tensor& x) {
  if (layer.kind != Affine::Kind::linear) return flipout_.apply(layer, parameters, x);
  const torch::Tensor mean = apply_affine(layer, parameters[layer.weight], parameters[layer.bias], x);
  const torch::Tensor variance =
      apply_affine(layer, variances_[layer.weight], variances_[layer.bias], x.square());
  return mean + variance.sqrt() * noise_.normal(mean.sizes(), mean.options(), 1);
}

}  // namespace kullback::deep
