#include "deep/bnn/posteriors/laplace/row_slopes.hpp"

#include <torch/csrc/autograd/autograd.h>

#include "base/error.hpp"

namespace kullback::deep {

namespace {

torch::Tensor patches(const Affine& layer, const torch::Tensor& x) {
  if (layer.kind == Affine::Kind::linear) return x.unsqueeze(2);
  const torch::Tensor columns = at::im2col(x.flatten(0, 1), {layer.kernel, layer.kernel}, {1, 1},
                                           {layer.padding, layer.padding}, {layer.stride, layer.stride});
  return columns.transpose(1, 2).reshape({x.size(0), x.size(1), columns.size(2), columns.size(1)});
}

torch::Tensor by_place(const Affine& layer, const torch::Tensor& slope) {
  if (layer.kind == Affine::Kind::linear) return slope.unsqueeze(2);
  return slope.flatten(3).transpose(2, 3);
}

}  // namespace

class RecordedForward::Rule final : public AffineRule {
 public:
  explicit Rule(RecordedForward& into) : into_(into) {}

  torch::Tensor apply(const Affine& layer, const Parameters& parameters, const torch::Tensor& x) override {
    if (layer.kind == Affine::Kind::conv_transpose) {
      throw Error(ErrorKind::usage,
                  "laplace has no curvature of transposed convolutions, as " + layer.name + ".",
                  "Take another posterior.");
    }
    const torch::Tensor plain = plain_.apply(layer, parameters, x);
    const torch::Tensor shift = torch::zeros_like(plain).requires_grad_();
    std::vector<std::int64_t> shape = x.sizes().vec();
    shape[0] = parameters.nets();
    into_.layers_.push_back(
        {.layer = &layer, .inputs = patches(layer, x.detach().expand(shape)), .slopes = {}});
    into_.shifts_.push_back(shift);
    return plain + shift;
  }

 private:
  RecordedForward& into_;
  PlainRule plain_;
};

RecordedForward::RecordedForward(const Layout& layout, const Net& net, const torch::Tensor& flat,
                                 const torch::Tensor& x) {
  const torch::AutoGradMode with_gradient(true);
  Rule rule(*this);
  outputs_ = net.forward(Parameters(layout, flat.detach()), x, rule);
}

RowSlopes RecordedForward::slopes_of(const torch::Tensor& columns) const {
  const torch::AutoGradMode with_gradient(true);
  RowSlopes result{.layers = layers_, .outputs = outputs_.detach()};
  for (std::int64_t m = 0; m < columns.size(3); ++m) {
    // Rows do not mix: the derivative of the sum over rows is that of each row.
    const std::vector<torch::Tensor> slopes =
        torch::autograd::grad({(outputs_ * columns.select(3, m)).sum()}, shifts_, {}, /*retain_graph=*/true);
    for (std::size_t i = 0; i < slopes.size(); ++i)
      result.layers[i].slopes.push_back(by_place(*layers_[i].layer, slopes[i]));
  }
  return result;
}

RowSlopes RecordedForward::jacobian() const {
  const std::int64_t count = outputs_.size(2);
  return slopes_of(
      torch::eye(count, outputs_.options()).expand({outputs_.size(0), outputs_.size(1), count, count}));
}

torch::Tensor square_root(const torch::Tensor& matrix) {
  if (matrix.size(-1) == 1) return at::clamp_min(matrix, 0).sqrt();
  const auto [values, vectors] = at::linalg_eigh(matrix);
  return vectors * at::clamp_min(values, 0).sqrt().unsqueeze(-2);
}

torch::Tensor weight_slopes(const LayerSlopes& of, std::size_t function) {
  return of.slopes[function].transpose(2, 3).matmul(of.inputs);
}

torch::Tensor bias_slopes(const LayerSlopes& of, std::size_t function) { return of.slopes[function].sum(2); }

}  // namespace kullback::deep
