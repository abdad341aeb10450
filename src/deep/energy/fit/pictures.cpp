#include "deep/energy/fit/pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "deep/data/pictures.hpp"

namespace kullback::deep {

namespace {

constexpr std::int64_t kSide = 640;
constexpr double kMargin = 0.15;  // of the draws' span, on each side
constexpr std::array<double, 3> kDense = {8, 48, 107};
constexpr std::array<std::uint8_t, 3> kPoint = {213, 94, 0};

void put_point(Picture& picture, std::int64_t x, std::int64_t y) {
  for (std::int64_t dy = -1; dy <= 1; ++dy)
    for (std::int64_t dx = -1; dx <= 1; ++dx) {
      const std::int64_t px = x + dx, py = y + dy;
      if (px < 0 || py < 0 || px >= kSide || py >= kSide) continue;
      for (std::int64_t c = 0; c < 3; ++c) picture.at(px, py, c) = kPoint[static_cast<std::size_t>(c)];
    }
}

}  // namespace

Picture ebm_images(const BuiltEbm& built, const torch::Tensor& x) {
  const EbmModel& model = built.model();
  return image_grid(built.in_own_units(x) / (model.has_levels ? 255.0 : 1.0), model.image, 8);
}

Picture density_map(const BuiltEbm& built, const torch::Tensor& draws) {
  const torch::NoGradGuard no_gradient;
  const torch::Tensor here = draws.to(torch::kCPU, torch::kFloat64);
  const torch::Tensor low = std::get<0>(here.min(0)), high = std::get<0>(here.max(0));
  const torch::Tensor span = (high - low).clamp_min(1e-9);
  const torch::Tensor first = low - kMargin * span, whole = span * (1 + 2 * kMargin);
  const torch::Tensor line = (torch::arange(kSide, torch::kFloat64) + 0.5) / static_cast<double>(kSide);
  const torch::Tensor across = first[0] + whole[0] * line, up = first[1] + whole[1] * (1 - line);
  const torch::Tensor grid = at::stack({across.repeat({kSide}), up.repeat_interleave(kSide)}, 1);
  const torch::Tensor log_density =
      -built.energy()(built.parameters(), grid.to(built.options())).to(torch::kCPU, torch::kFloat64);
  const torch::Tensor share = (log_density - log_density.max()).exp().sqrt().contiguous();
  const auto* part = share.data_ptr<double>();
  Picture picture(kSide, kSide, 3, 255);
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x, ++part)
      for (std::int64_t c = 0; c < 3; ++c)
        picture.at(x, y, c) =
            static_cast<std::uint8_t>(std::lround(255 + *part * (kDense[static_cast<std::size_t>(c)] - 255)));
  const torch::Tensor places =
      ((here - first) / whole * static_cast<double>(kSide)).floor().to(torch::kInt64);
  for (std::int64_t i = 0; i < places.size(0); ++i)
    put_point(picture, places[i][0].item<std::int64_t>(), kSide - 1 - places[i][1].item<std::int64_t>());
  return picture;
}

}  // namespace kullback::deep
