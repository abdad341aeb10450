#include "deep/diffusion/fit/pictures.hpp"

#include "deep/data/pictures.hpp"

namespace kullback::deep::diffusion {

namespace {

torch::Tensor as_brightness(const Built& built, const torch::Tensor& x) {
  const torch::Tensor own = built.in_own_units(x);
  return built.model().has_levels ? own / 255 : own;
}

}  // namespace

Picture samples_picture(const Built& built, const torch::Tensor& x) {
  if (built.model().is_image()) return image_grid(as_brightness(built, x), built.model().image, 8);
  return latent_map(built.in_own_units(x), {});
}

// States with little signal are shown at the size of data: each is divided by its own sd.
Picture strip_picture(const Built& built, const torch::Tensor& strip) {
  const torch::Tensor scale = strip.std({1, 2}, true, true).clamp_min(1);
  const torch::Tensor by_sample = (strip / scale).transpose(0, 1).reshape({-1, strip.size(2)});
  return image_grid(as_brightness(built, by_sample), built.model().image, strip.size(0));
}

Picture own_images_picture(const Built& built, const ImageShape& image, const torch::Tensor& own,
                           std::int64_t columns) {
  constexpr double kGrey = 0.5;
  return image_grid((built.model().has_levels ? own / 255 : own).nan_to_num(kGrey), image, columns);
}

Picture own_points_picture(const torch::Tensor& own) {
  const torch::Tensor group =
      torch::arange(own.size(0), torch::kInt64).unsqueeze(1).expand({own.size(0), own.size(1)});
  return latent_map(own.flatten(0, 1), group.flatten());
}

}  // namespace kullback::deep::diffusion
