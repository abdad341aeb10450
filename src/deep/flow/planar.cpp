// Planar flow (Rezende and Mohamed 2015): y = z + u tanh(w'z + b), with det = 1 + u'w (1 - tanh^2).
// It is invertible for w'u > -1. As in their appendix, the component of u along w is moved so that w'u
// becomes m(w'u) for an increasing m onto (-1, inf); theirs is log(1 + e^x) - 1, ours is 0 at 0, so that u =
// 0 stays the identity: u + (m(w'u) - w'u) w / |w|^2.
#include "deep/flow/flow.hpp"

namespace kullback::deep {

namespace {

constexpr double kTiny = 1e-12;  // keeps the direction of w = 0 finite

class Planar final : public FlowLayer {
 public:
  explicit Planar(std::int64_t dim) : dim_(dim) {}

  std::int64_t context() const override { return 2 * dim_ + 1; }

  Flowed forward(const Parameters&, const torch::Tensor& z, const torch::Tensor& context) const override {
    const torch::Tensor w = context.narrow(-1, 0, dim_), free_u = context.narrow(-1, dim_, dim_),
                        b = context.narrow(-1, 2 * dim_, 1);
    const torch::Tensor free_product = (w * free_u).sum(-1, true);
    const torch::Tensor product = above_minus_one(free_product);
    const torch::Tensor u = free_u + (product - free_product) * w / (w.square().sum(-1, true) + kTiny);
    const torch::Tensor bend = at::tanh((w * z).sum(-1, true) + b);
    const torch::Tensor along = (w * u).sum(-1, true);
    return {z + u * bend, at::log1p(along * (1 - bend.square())).squeeze(-1)};
  }

 private:
  std::int64_t dim_;
};

}  // namespace

Flow planar_flow(std::int64_t dim, std::int64_t layers) {
  std::vector<std::unique_ptr<FlowLayer>> all;
  for (std::int64_t i = 0; i < layers; ++i) all.push_back(std::make_unique<Planar>(dim));
  return Flow(std::move(all), Flow::ContextUse::own);
}

}  // namespace kullback::deep
