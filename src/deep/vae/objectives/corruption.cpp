#include "deep/vae/objectives/corruption.hpp"

namespace kullback::deep {

namespace {

constexpr double kNoise = 0.1;

// Where each place of a side of `length` comes from, [rows, length], of images moved by -pixels .. pixels.
torch::Tensor origins(std::int64_t rows, std::int64_t length, std::int64_t pixels, const Noise& noise,
                      const torch::TensorOptions& options) {
  const torch::Tensor moves =
      (noise.uniform({rows, 1}, options, 0) * static_cast<double>(2 * pixels + 1)).floor() -
      static_cast<double>(pixels);
  return torch::arange(length, options).unsqueeze(0) - moves;
}

}  // namespace

torch::Tensor corrupt(const torch::Tensor& x, const VaeSpec& spec, double strength, const Noise& noise) {
  if (!spec.has_unit_range) return x + strength * noise.normal(x.sizes(), x.options(), 0);
  const torch::Tensor uniform = noise.uniform(x.sizes(), x.options(), 0);
  const torch::Tensor coin = (uniform < strength / 2).to(x.dtype());
  return at::where(uniform < strength, coin, x);
}

torch::Tensor shift(const torch::Tensor& x, const VaeSpec& spec, std::int64_t pixels, const Noise& noise) {
  if (!spec.is_image()) return x + kNoise * noise.normal(x.sizes(), x.options(), 0);
  const std::int64_t rows = x.size(0);
  const torch::Tensor y = origins(rows, spec.height, pixels, noise, x.options()).unsqueeze(2);
  const torch::Tensor left = origins(rows, spec.width, pixels, noise, x.options()).unsqueeze(1);
  const auto last_y = static_cast<double>(spec.height - 1), last_x = static_cast<double>(spec.width - 1);
  const torch::Tensor is_inside =
      at::logical_and(at::logical_and(y >= 0, y <= last_y), at::logical_and(left >= 0, left <= last_x));
  const torch::Tensor place =
      (y.clamp(0, last_y) * static_cast<double>(spec.width) + left.clamp(0, last_x)).to(torch::kInt64);
  const torch::Tensor index =
      place.view({rows, 1, -1}).expand({rows, spec.channels, spec.height * spec.width});
  const torch::Tensor moved = x.view({rows, spec.channels, -1}).gather(2, index);
  return (moved * is_inside.view({rows, 1, -1}).to(x.dtype())).view({rows, -1});
}

}  // namespace kullback::deep
