#include "deep/data/pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kullback::deep {

namespace {

constexpr std::int64_t kGap = 2;
constexpr std::uint8_t kGapLevel = 96;
constexpr std::int64_t kSide = 640;   // of a map
constexpr std::int64_t kMargin = 20;  // of a map
constexpr double kOpacity = 0.7;

using Colour = std::array<std::uint8_t, 3>;
// Okabe, Ito: to be told apart by people who see few colours too; two more.
constexpr std::array<Colour, 10> kColours = {{{0, 114, 178},
                                              {213, 94, 0},
                                              {0, 158, 115},
                                              {204, 121, 167},
                                              {230, 159, 0},
                                              {86, 180, 233},
                                              {120, 94, 48},
                                              {240, 228, 66},
                                              {60, 60, 60},
                                              {140, 80, 200}}};

void put_image(Picture& picture, const float* pixels, const ImageShape& image, std::int64_t left,
               std::int64_t top) {
  for (std::int64_t c = 0; c < image.channels; ++c)
    for (std::int64_t y = 0; y < image.height; ++y)
      for (std::int64_t x = 0; x < image.width; ++x) {
        const float level = std::clamp(*pixels++, 0.0F, 1.0F);
        picture.at(left + x, top + y, c) = static_cast<std::uint8_t>(std::lround(255 * level));
      }
}

// A disc of radius 2 that lets what is below shine through.
void put_point(Picture& picture, std::int64_t x, std::int64_t y, const Colour& colour) {
  for (std::int64_t dy = -2; dy <= 2; ++dy)
    for (std::int64_t dx = -2; dx <= 2; ++dx) {
      if (dx * dx + dy * dy > 5) continue;
      for (std::int64_t c = 0; c < 3; ++c) {
        std::uint8_t& level = picture.at(x + dx, y + dy, c);
        level = static_cast<std::uint8_t>(
            std::lround((1 - kOpacity) * level + kOpacity * colour[static_cast<std::size_t>(c)]));
      }
    }
}

}  // namespace

Picture image_grid(const torch::Tensor& images, const ImageShape& image, std::int64_t columns) {
  const torch::Tensor here =
      images.to(torch::TensorOptions().device(torch::kCPU).dtype(torch::kFloat32)).contiguous();
  const std::int64_t count = here.size(0), across = std::min(columns, count),
                     down = (count + across - 1) / across;
  const std::int64_t width = image.width + kGap, height = image.height + kGap;
  Picture picture(across * width + kGap, down * height + kGap, image.channels, kGapLevel);
  for (std::int64_t i = 0; i < count; ++i)
    put_image(picture, here.data_ptr<float>() + i * here.size(1), image, kGap + i % across * width,
              kGap + i / across * height);
  return picture;
}

torch::Tensor in_the_plane(const torch::Tensor& points) {
  const std::int64_t latent = points.size(1);
  if (latent == 2) return points;
  if (latent == 1) return at::cat({points, torch::zeros_like(points)}, 1);
  const torch::Tensor centered = points - points.mean(0);
  const auto [values, vectors] = at::linalg_eigh(centered.t().mm(centered));
  return centered.mm(vectors.narrow(1, latent - 2, 2).flip(1));
}

Picture latent_map(const torch::Tensor& points, const torch::Tensor& label) {
  const torch::Tensor plane = in_the_plane(points.to(torch::kFloat64));
  const torch::Tensor low = std::get<0>(plane.min(0)), high = std::get<0>(plane.max(0));
  const double span = std::max((high - low).max().item<double>(), 1e-12);
  const torch::Tensor middle = (low + high) / 2;
  const torch::Tensor places =
      ((plane - middle) / span * static_cast<double>(kSide - 2 * kMargin) + static_cast<double>(kSide) / 2)
          .round()
          .to(torch::kInt64)
          .contiguous();
  const torch::Tensor groups = label.defined() ? label.to(torch::kCPU).contiguous() : torch::Tensor();
  Picture picture(kSide, kSide, 3, 255);
  const auto* place = places.data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < places.size(0); ++row, place += 2) {
    const std::int64_t group = groups.defined() ? groups.data_ptr<std::int64_t>()[row] : 0;
    put_point(picture, place[0], kSide - place[1],
              kColours[static_cast<std::size_t>(group) % kColours.size()]);
  }
  return picture;
}

}  // namespace kullback::deep
