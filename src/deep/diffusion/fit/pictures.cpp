#include "deep/diffusion/fit/pictures.hpp"

#include "deep/vae/fit/pictures.hpp"

namespace kullback::deep::diffusion {

namespace {

VaeSpec shape_of(const Model& model) {
  VaeSpec spec;
  spec.pixels = model.dims;
  spec.channels = model.image.channels;
  spec.height = model.image.height;
  spec.width = model.image.width;
  return spec;
}

torch::Tensor as_brightness(const Built& built, const torch::Tensor& x) {
  const torch::Tensor own = built.in_own_units(x);
  return built.model().has_levels ? own / 255 : own;
}

}  // namespace

Picture samples_picture(const Built& built, const torch::Tensor& x) {
  if (built.model().is_image()) return image_grid(as_brightness(built, x), shape_of(built.model()), 8);
  return latent_map(built.in_own_units(x), {});
}

// States with little signal are shown at the size of data: each is divided by its own sd.
Picture strip_picture(const Built& built, const torch::Tensor& strip) {
  const torch::Tensor scale = strip.std({1, 2}, true, true).clamp_min(1);
  const torch::Tensor by_sample = (strip / scale).transpose(0, 1).reshape({-1, strip.size(2)});
  return image_grid(as_brightness(built, by_sample), shape_of(built.model()), strip.size(0));
}

}  // namespace kullback::deep::diffusion
