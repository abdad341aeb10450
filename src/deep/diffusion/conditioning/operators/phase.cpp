// Phase retrieval: the magnitudes |F x| of the Fourier transform (over lines and columns of an image; along a
// row that is none), with F scaled to be unitary. Not linear. Shifts (around the edges), mirrored copies and,
// of data with both signs, -x have the same magnitudes: the prior must choose among them.
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "deep/diffusion/conditioning/operator.hpp"

namespace kullback::deep::diffusion {

namespace {

// cos and sin of 2 pi j k / n, over sqrt(n).
std::pair<torch::Tensor, torch::Tensor> waves(std::int64_t n) {
  const torch::Tensor index = torch::arange(n, torch::kFloat64);
  const auto size = static_cast<double>(n);
  const torch::Tensor angle = at::outer(index, index).remainder(size) * (2 * std::numbers::pi / size);
  return {at::cos(angle) / std::sqrt(size), at::sin(angle) / std::sqrt(size)};
}

class Phase final : public Operator {
 public:
  explicit Phase(RowShape takes) : Operator(takes) {
    std::tie(cos_down_, sin_down_) = waves(takes.is_image() ? takes.image.height : 1);
    std::tie(cos_across_, sin_across_) = waves(takes.is_image() ? takes.image.width : takes.size);
  }

  bool is_linear() const override { return false; }
  // As products with matrices, which every build of LibTorch has.
  torch::Tensor forward(const torch::Tensor& x) const override {
    const auto here = [&](const torch::Tensor& wave) { return wave.to(x.device()).to(x.scalar_type()); };
    const torch::Tensor images = as_images(x, takes());
    const torch::Tensor even = at::matmul(images, here(cos_across_)),
                        odd = at::matmul(images, here(sin_across_));
    const torch::Tensor real = at::matmul(here(cos_down_), even) - at::matmul(here(sin_down_), odd),
                        imaginary = at::matmul(here(cos_down_), odd) + at::matmul(here(sin_down_), even);
    // |.| has no slope at 0; sqrt(|.|^2 + tiny) has.
    return (real.square() + imaginary.square() + 1e-12).sqrt().reshape({x.size(0), takes().size});
  }

 private:
  torch::Tensor cos_down_, sin_down_, cos_across_, sin_across_;
};

}  // namespace

extern const OperatorRecord k_phase;
const OperatorRecord k_phase = {
    .name = "phase",
    .summary = "Magnitudes of the Fourier transform (phase retrieval)",
    .options = {},
    .make = [](const OptionValues&, const RowShape& takes) -> std::unique_ptr<Operator> {
      return std::make_unique<Phase>(takes);
    }};

}  // namespace kullback::deep::diffusion
