// Convolution with a normal kernel exp(-d^2 / (2 s^2)), cut at 3 s and scaled to the sum 1; beyond the edge
// the image is as at the edge. A row that is no image is blurred along its numbers.
#include <algorithm>
#include <cmath>

#include "deep/diffusion/conditioning/operator.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kBlurSd = NumberOption("blur_sd", 1, "Of the kernel, in pixels").above(0);

class Blur final : public Operator {
 public:
  Blur(RowShape takes, double sd) : Operator(takes), radius_(std::max(1L, std::lround(std::ceil(3 * sd)))) {
    const torch::Tensor away = torch::arange(-radius_, radius_ + 1, torch::kFloat64);
    kernel_ = at::exp(-away.square() / (2 * sd * sd));
    kernel_ = kernel_ / kernel_.sum();
  }

  torch::Tensor forward(const torch::Tensor& x) const override {
    torch::Tensor images = as_images(x, takes());
    const std::int64_t height = images.size(2), width = images.size(3);
    images = images.reshape({-1, 1, height, width});  // each colour by itself
    if (takes().is_image()) images = along(images, true);
    return along(images, false).reshape({x.size(0), takes().size});
  }

 private:
  torch::Tensor along(const torch::Tensor& images, bool is_down) const {
    const torch::Tensor kernel = kernel_.to(images.device()).to(images.scalar_type());
    const std::vector<std::int64_t> padding = is_down ? std::vector<std::int64_t>{0, 0, radius_, radius_}
                                                      : std::vector<std::int64_t>{radius_, radius_, 0, 0};
    const torch::Tensor wide = at::replication_pad2d(images, padding);
    return at::conv2d(wide, is_down ? kernel.view({1, 1, -1, 1}) : kernel.view({1, 1, 1, -1}));
  }

  std::int64_t radius_;
  torch::Tensor kernel_;
};

constexpr const OptionRecord* kOptions[] = {&kBlurSd};

}  // namespace

extern const OperatorRecord k_blur;
const OperatorRecord k_blur = {
    .name = "blur",
    .summary = "Convolution with a normal kernel",
    .options = kOptions,
    .make = [](const OptionValues& values, const RowShape& takes) -> std::unique_ptr<Operator> {
      return std::make_unique<Blur>(takes, values[kBlurSd]);
    }};

}  // namespace kullback::deep::diffusion
