// Radial flow (Rezende and Mohamed 2015): y = z + beta (z - c) / (alpha + r), r = |z - c|, alpha > 0,
// beta > -alpha:
//   det = (1 + beta / (alpha + r))^(dim - 1) (1 + alpha beta / (alpha + r)^2).
// alpha = log(1 + e^a), beta = alpha m(b) with m onto (-1, inf) and m(0) = 0. The radius of y is
// s = r (1 + beta / (alpha + r)), a quadratic for r:
//   r = (sqrt(g^2 + 4 alpha s) - g) / 2, g = alpha + beta - s.
#include "deep/flow/flow.hpp"

namespace kullback::deep {

namespace {

class Radial final : public FlowLayer {
 public:
  explicit Radial(std::int64_t dim) : dim_(dim) {}

  std::int64_t context() const override { return dim_ + 2; }

  Flowed forward(const Parameters&, const torch::Tensor& z, const torch::Tensor& context) const override {
    const Shape shape = shape_of(context);
    const torch::Tensor away = z - shape.center;
    const torch::Tensor radius = length(away);
    const torch::Tensor stretch = shape.beta / (shape.alpha + radius);
    return {z + away * stretch, log_det(shape, radius).squeeze(-1)};
  }

  bool has_inverse() const override { return true; }

  Flowed inverse(const Parameters&, const torch::Tensor& z, const torch::Tensor& context) const override {
    const Shape shape = shape_of(context);
    const torch::Tensor away = z - shape.center;
    const torch::Tensor stretched = length(away);
    const torch::Tensor g = shape.alpha + shape.beta - stretched;
    const torch::Tensor root = at::sqrt(g.square() + 4 * shape.alpha * stretched);
    const torch::Tensor radius = (root - g) / 2;
    const torch::Tensor back = away / (1 + shape.beta / (shape.alpha + radius));
    return {shape.center + back, -log_det(shape, radius).squeeze(-1)};
  }

 private:
  struct Shape {
    torch::Tensor center, alpha, beta;
  };

  Shape shape_of(const torch::Tensor& context) const {
    const torch::Tensor alpha = at::softplus(context.narrow(-1, dim_, 1));
    return {context.narrow(-1, 0, dim_), alpha, alpha * above_minus_one(context.narrow(-1, dim_ + 1, 1))};
  }

  // The root's slope is infinite at 0: a point at the centre has a length of 1e-12.
  static torch::Tensor length(const torch::Tensor& x) { return at::sqrt(x.square().sum(-1, true) + 1e-24); }

  torch::Tensor log_det(const Shape& shape, const torch::Tensor& radius) const {
    const torch::Tensor sum = shape.alpha + radius;
    return static_cast<double>(dim_ - 1) * at::log1p(shape.beta / sum) +
           at::log1p(shape.alpha * shape.beta / sum.square());
  }

  std::int64_t dim_;
};

}  // namespace

Flow radial_flow(std::int64_t dim, std::int64_t layers) {
  std::vector<std::unique_ptr<FlowLayer>> all;
  for (std::int64_t i = 0; i < layers; ++i) all.push_back(std::make_unique<Radial>(dim));
  return Flow(std::move(all), Flow::ContextUse::own);
}

}  // namespace kullback::deep
