// Means over squares of pixels: restoring is super-resolution. Of a row that is no image: means over runs.
#include <fmt/format.h>

#include "base/error.hpp"
#include "deep/counts.hpp"
#include "deep/diffusion/conditioning/operator.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kFactor = CountOption("factor", 2, "Sides of the squares, in pixels").from(2).to(65536);

RowShape smaller(const RowShape& shape, std::int64_t factor) {
  if (!shape.is_image()) return row_of(shape.size / factor);
  return row_of({.channels = shape.image.channels,
                 .height = shape.image.height / factor,
                 .width = shape.image.width / factor});
}

class Downsample final : public Operator {
 public:
  Downsample(RowShape takes, std::int64_t factor)
      : Operator(takes, smaller(takes, factor)), factor_(factor) {}

  torch::Tensor forward(const torch::Tensor& x) const override {
    const torch::Tensor images = as_images(x, takes());
    const std::int64_t down = takes().is_image() ? factor_ : 1;
    return at::avg_pool2d(images, {down, factor_}).reshape({x.size(0), gives().size});
  }

 private:
  std::int64_t factor_;
};

std::unique_ptr<Operator> make(const OptionValues& values, const RowShape& takes) {
  const auto factor = count_of(values, kFactor);
  const bool divides = takes.is_image() ? takes.image.height % factor == 0 && takes.image.width % factor == 0
                                        : takes.size % factor == 0;
  if (!divides)
    throw Error(ErrorKind::usage, fmt::format("--factor {} does not divide {}.", factor, shape_text(takes)),
                "Give a factor of their sides.");
  return std::make_unique<Downsample>(takes, factor);
}

constexpr const OptionRecord* kOptions[] = {&kFactor};

}  // namespace

extern const OperatorRecord k_downsample;
const OperatorRecord k_downsample = {
    .name = "downsample",
    .summary = "Means over squares of pixels (restoring is super-resolution)",
    .options = kOptions,
    .make = make};

}  // namespace kullback::deep::diffusion
