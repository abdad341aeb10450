// G's diagonal: for each weight the sum over rows and functions of its squared slope.
#include "deep/bnn/posteriors/laplace/curvature.hpp"

namespace kullback::deep {

namespace {

class Diagonal final : public Curvature {
 public:
  explicit Diagonal(const CurvatureStart& start)
      : net_(start.net),
        precisions_(start.precisions.to(start.options)),
        relative_(torch::zeros({start.nets, start.net.layout().size()}, start.options)) {}

  void clear() override { relative_.zero_(); }

  void add(const RowSlopes& rows) override {
    for (const LayerSlopes& of : rows.layers) {
      for (std::size_t m = 0; m < of.slopes.size(); ++m) {
        slot(relative_, of.layer->weight).add_(sum_of_squares(of, m).flatten(1));
        slot(relative_, of.layer->bias).add_(bias_slopes(of, m).square().sum(1));
      }
    }
  }

  void decompose() override { relative_.div_(precisions_); }

  torch::Tensor relative() const override {
    std::vector<torch::Tensor> parts;
    for (const Affine* layer : layers()) {
      parts.push_back(slot(relative_, layer->weight));
      parts.push_back(slot(relative_, layer->bias));
    }
    return at::cat(parts, 1);
  }

  torch::Tensor output_covariance(const RowSlopes& rows, const torch::Tensor& scale) const override {
    const torch::Tensor variance = this->variance(scale);
    torch::Tensor sum;
    for (const LayerSlopes& of : rows.layers) {
      std::vector<torch::Tensor> biases;
      for (std::size_t m = 0; m < of.slopes.size(); ++m) biases.push_back(bias_slopes(of, m));
      const torch::Tensor weight = slot(variance, of.layer->weight);
      const torch::Tensor part =
          weighted_products(of, weight.reshape({weight.size(0), of.layer->outputs, of.inputs.size(3)})) +
          weighted_products(biases, slot(variance, of.layer->bias));
      sum = sum.defined() ? sum + part : part;
    }
    return sum;
  }

  torch::Tensor draw(const torch::Tensor& normal, const torch::Tensor& scale) const override {
    const torch::Tensor sd = variance(scale).sqrt();
    torch::Tensor result = torch::zeros_like(normal);
    for (const Affine* layer : layers()) {
      for (const std::size_t each : {layer->weight, layer->bias}) {
        const Slot& at = net_.layout().slots()[each];
        result.narrow(2, at.first, at.size)
            .copy_(normal.narrow(2, at.first, at.size) * slot(sd, each).unsqueeze(1));
      }
    }
    return result;
  }

  std::vector<const Affine*> layers() const override { return net_.net().affines(); }
  void visit(const VisitTensor& visit) override { visit("curvature.relative", relative_); }

 private:
  torch::Tensor slot(const torch::Tensor& flat, std::size_t number) const {
    const Slot& at = net_.layout().slots()[number];
    return flat.narrow(1, at.first, at.size);
  }

  torch::Tensor variance(const torch::Tensor& scale) const {
    return 1 / (precisions_ * (relative_ + scale.unsqueeze(1)));
  }

  static torch::Tensor sum_of_squares(const LayerSlopes& of, std::size_t m) {
    if (of.inputs.size(2) > 1) return weight_slopes(of, m).square().sum(1);
    return of.slopes[m].squeeze(2).square().transpose(1, 2).bmm(of.inputs.squeeze(2).square());
  }

  const BayesNet& net_;
  torch::Tensor precisions_, relative_;
};

}  // namespace

std::unique_ptr<Curvature> diagonal_curvature(const CurvatureStart& start) {
  return std::make_unique<Diagonal>(start);
}

}  // namespace kullback::deep
