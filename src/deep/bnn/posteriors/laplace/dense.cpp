// G itself, of all layers or of the last: with the prior's precisions P, P^-1/2 G P^-1/2 = Q diag(relative)
// Q'.
#include "base/error.hpp"
#include "deep/bnn/posteriors/laplace/curvature.hpp"

namespace kullback::deep {

namespace {

constexpr std::int64_t kMostWeights = 4000;  // decomposing takes a minute, a net's matrix 128 MB

class Dense final : public Curvature {
 public:
  Dense(const CurvatureStart& start, std::vector<const Affine*> layers)
      : layout_(start.net.layout()), layers_(std::move(layers)) {
    std::vector<torch::Tensor> precisions;
    for (const Slot* slot : slots())
      precisions.push_back(start.precisions.narrow(0, slot->first, slot->size));
    root_ = at::cat(precisions).rsqrt().to(start.options);
    refuse_many(root_.size(0));
    // Sizes come with decompose(), as states are copied after every epoch.
    vectors_ = torch::zeros({start.nets, 0, 0}, start.options);
    relative_ = torch::zeros({start.nets, 0}, start.options);
  }

  void clear() override { sum_.reset(); }

  void add(const RowSlopes& rows) override {
    const torch::Tensor all = jacobian(rows).flatten(1, 2).mul_(root_);  // [nets, rows * functions, size]
    const torch::Tensor product = all.transpose(1, 2).bmm(all).to(torch::kFloat64);
    sum_ = sum_.defined() ? sum_.add_(product) : product;
  }

  void decompose() override {
    const auto [values, vectors] = at::linalg_eigh(sum_);
    relative_ = at::clamp_min(values, 0).to(root_.options());
    vectors_ = vectors.to(root_.options());
    sum_.reset();
  }

  torch::Tensor relative() const override { return relative_; }

  torch::Tensor output_covariance(const RowSlopes& rows, const torch::Tensor& scale) const override {
    const torch::Tensor rotated = (jacobian(rows) * root_).matmul(vectors_.unsqueeze(1));
    const torch::Tensor variance = 1 / (relative_ + scale.unsqueeze(1));
    return (rotated * variance.unsqueeze(1).unsqueeze(1)).matmul(rotated.transpose(2, 3));
  }

  torch::Tensor draw(const torch::Tensor& normal, const torch::Tensor& scale) const override {
    std::vector<torch::Tensor> parts;
    for (const Slot* slot : slots()) parts.push_back(normal.narrow(2, slot->first, slot->size));
    const torch::Tensor sd = (relative_ + scale.unsqueeze(1)).rsqrt();
    const torch::Tensor moved =
        (at::cat(parts, 2) * sd.unsqueeze(1)).matmul(vectors_.transpose(1, 2)) * root_;
    torch::Tensor result = torch::zeros_like(normal);
    std::int64_t first = 0;
    for (const Slot* slot : slots()) {
      result.narrow(2, slot->first, slot->size).copy_(moved.narrow(2, first, slot->size));
      first += slot->size;
    }
    return result;
  }

  std::vector<const Affine*> layers() const override { return layers_; }

  void visit(const VisitTensor& visit) override {
    visit("curvature.vectors", vectors_);
    visit("curvature.relative", relative_);
  }

 private:
  static void refuse_many(std::int64_t weights) {
    if (weights <= kMostWeights) return;
    throw Error(ErrorKind::usage,
                "the full curvature of " + std::to_string(weights) + " weights is too large; the most is " +
                    std::to_string(kMostWeights) + ".",
                "Take --curvature kronecker.");
  }

  std::vector<const Slot*> slots() const {
    std::vector<const Slot*> result;
    for (const Affine* layer : layers_) {
      result.push_back(&layout_.slots()[layer->weight]);
      result.push_back(&layout_.slots()[layer->bias]);
    }
    return result;
  }

  // [nets, rows, functions, covered coordinates]
  torch::Tensor jacobian(const RowSlopes& rows) const {
    std::vector<torch::Tensor> functions;
    for (std::size_t m = 0; m < rows.layers.front().slopes.size(); ++m) {
      std::vector<torch::Tensor> parts;
      for (const Affine* layer : layers_) {
        const LayerSlopes& of = rows.layers[layer->index];
        parts.push_back(weight_slopes(of, m).flatten(2));
        parts.push_back(bias_slopes(of, m));
      }
      functions.push_back(at::cat(parts, 2));
    }
    return at::stack(functions, 2);
  }

  const Layout& layout_;
  std::vector<const Affine*> layers_;
  torch::Tensor root_;  // 1 / sqrt(precision), by covered coordinate
  torch::Tensor sum_, vectors_, relative_;
};

}  // namespace

std::unique_ptr<Curvature> full_curvature(const CurvatureStart& start) {
  return std::make_unique<Dense>(start, start.net.net().affines());
}

std::unique_ptr<Curvature> last_layer_curvature(const CurvatureStart& start) {
  return std::make_unique<Dense>(start, std::vector<const Affine*>{start.net.net().affines().back()});
}

}  // namespace kullback::deep
