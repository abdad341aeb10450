// Kronecker factors by layer (Martens, Grosse 2015; Ritter, Botev, Barber 2018; Daxberger et al. 2021). The
// block of a weight [outputs, inputs] is approximated by B x A / (rows * places), with A = sum over rows and
// places of a a', B = sum over rows, places and functions of g g'; in the basis of their eigenvectors the
// prior's precision is added to the products of the eigenvalues, so that it counts exactly. The bias of a
// layer has its exact block sum g g', apart from the weight's: the prior's precisions of the two differ.
// (Convolutions: Grosse, Martens 2016.)
#include "base/error.hpp"
#include "deep/bnn/posteriors/laplace/curvature.hpp"

namespace kullback::deep {

namespace {

struct Block {
  const Affine* layer = nullptr;
  double weight_precision = 0, bias_precision = 0;
  torch::Tensor input_sum, output_sum, bias_sum;  // A, B and the bias's, then their eigenvectors
  torch::Tensor weight_relative;                  // [nets, outputs, inputs]
  torch::Tensor bias_relative;                    // [nets, outputs]
};

double precision_of(const CurvatureStart& start, std::size_t number) {
  const Slot& slot = start.net.layout().slots()[number];
  const torch::Tensor all = start.precisions.narrow(0, slot.first, slot.size);
  if ((all == all[0]).all().item<bool>()) return all[0].item<double>();
  throw Error(
      ErrorKind::usage,
      "the Kronecker curvature of laplace needs one precision of the prior for all of " + slot.name + ".",
      "Take --curvature diagonal.");
}

torch::Tensor eigenvectors(torch::Tensor& matrix) {
  const auto [values, vectors] = at::linalg_eigh(matrix.to(torch::kFloat64));
  matrix.copy_(vectors);
  return at::clamp_min(values, 0);
}

class Kronecker final : public Curvature {
 public:
  explicit Kronecker(const CurvatureStart& start) : layout_(start.net.layout()) {
    for (const Affine* layer : start.net.net().affines()) {
      const std::int64_t outputs = layer->outputs, inputs = layer->inputs * layer->kernel * layer->kernel;
      const auto square = [&](std::int64_t side) {
        return torch::zeros({start.nets, side, side}, start.options);
      };
      blocks_.push_back({.layer = layer,
                         .weight_precision = precision_of(start, layer->weight),
                         .bias_precision = precision_of(start, layer->bias),
                         .input_sum = square(inputs),
                         .output_sum = square(outputs),
                         .bias_sum = square(outputs),
                         .weight_relative = torch::zeros({start.nets, outputs, inputs}, start.options),
                         .bias_relative = torch::zeros({start.nets, outputs}, start.options)});
    }
  }

  void clear() override {
    rows_ = 0;
    for (Block& block : blocks_)
      for (torch::Tensor* sum : {&block.input_sum, &block.output_sum, &block.bias_sum}) sum->zero_();
  }

  void add(const RowSlopes& rows) override {
    rows_ += static_cast<double>(rows.outputs.size(1));
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const LayerSlopes& of = rows.layers[i];
      add_squares(blocks_[i].input_sum, of.inputs.flatten(1, 2));
      for (std::size_t m = 0; m < of.slopes.size(); ++m) {
        // Of one row, the slopes of its places: their mean of products.
        add_squares(blocks_[i].output_sum, of.slopes[m].flatten(1, 2),
                    static_cast<double>(of.inputs.size(2)));
        add_squares(blocks_[i].bias_sum, bias_slopes(of, m));
      }
    }
  }

  void decompose() override {
    for (Block& block : blocks_) {
      const torch::Tensor inputs = eigenvectors(block.input_sum), outputs = eigenvectors(block.output_sum);
      block.weight_relative.copy_(outputs.unsqueeze(2) * inputs.unsqueeze(1) /
                                  (rows_ * block.weight_precision));
      block.bias_relative.copy_(eigenvectors(block.bias_sum) / block.bias_precision);
    }
  }

  torch::Tensor relative() const override {
    std::vector<torch::Tensor> parts;
    for (const Block& block : blocks_) {
      parts.push_back(block.weight_relative.flatten(1));
      parts.push_back(block.bias_relative);
    }
    return at::cat(parts, 1);
  }

  torch::Tensor output_covariance(const RowSlopes& rows, const torch::Tensor& scale) const override {
    torch::Tensor sum;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const Block& block = blocks_[i];
      const LayerSlopes& of = rows.layers[i];
      LayerSlopes rotated{
          .layer = of.layer, .inputs = of.inputs.matmul(block.input_sum.unsqueeze(1)), .slopes = {}};
      std::vector<torch::Tensor> biases;
      for (std::size_t m = 0; m < of.slopes.size(); ++m) {
        rotated.slopes.push_back(of.slopes[m].matmul(block.output_sum.unsqueeze(1)));
        biases.push_back(bias_slopes(of, m).matmul(block.bias_sum));
      }
      const torch::Tensor part = weighted_products(rotated, weight_variance(block, scale)) +
                                 weighted_products(biases, bias_variance(block, scale));
      sum = sum.defined() ? sum + part : part;
    }
    return sum;
  }

  torch::Tensor draw(const torch::Tensor& normal, const torch::Tensor& scale) const override {
    torch::Tensor result = torch::zeros_like(normal);
    for (const Block& block : blocks_) {
      const Slot &weight = layout_.slots()[block.layer->weight], &bias = layout_.slots()[block.layer->bias];
      const torch::Tensor sd = weight_variance(block, scale).sqrt().unsqueeze(1);
      const torch::Tensor z = normal.narrow(2, weight.first, weight.size)
                                  .reshape({normal.size(0), normal.size(1), sd.size(2), sd.size(3)});
      const torch::Tensor w =
          block.output_sum.unsqueeze(1).matmul(z * sd).matmul(block.input_sum.transpose(1, 2).unsqueeze(1));
      result.narrow(2, weight.first, weight.size).copy_(w.flatten(2));
      const torch::Tensor b =
          normal.narrow(2, bias.first, bias.size) * bias_variance(block, scale).sqrt().unsqueeze(1);
      result.narrow(2, bias.first, bias.size).copy_(b.matmul(block.bias_sum.transpose(1, 2)));
    }
    return result;
  }

  std::vector<const Affine*> layers() const override {
    std::vector<const Affine*> all;
    for (const Block& block : blocks_) all.push_back(block.layer);
    return all;
  }

  void visit(const VisitTensor& visit) override {
    for (Block& block : blocks_) {
      const std::string name = "curvature." + block.layer->name;
      visit(name + ".inputs", block.input_sum);
      visit(name + ".outputs", block.output_sum);
      visit(name + ".bias", block.bias_sum);
      visit(name + ".weight_relative", block.weight_relative);
      visit(name + ".bias_relative", block.bias_relative);
    }
  }

 private:
  // sum += rows' rows / divisor, rows [nets, any, side].
  static void add_squares(torch::Tensor& sum, const torch::Tensor& rows, double divisor = 1) {
    sum.add_(rows.transpose(1, 2).bmm(rows), 1 / divisor);
  }

  static torch::Tensor weight_variance(const Block& block, const torch::Tensor& scale) {
    return 1 / (block.weight_precision * (block.weight_relative + scale.unsqueeze(1).unsqueeze(2)));
  }
  static torch::Tensor bias_variance(const Block& block, const torch::Tensor& scale) {
    return 1 / (block.bias_precision * (block.bias_relative + scale.unsqueeze(1)));
  }

  const Layout& layout_;
  std::vector<Block> blocks_;
  double rows_ = 0;
};

}  // namespace

std::unique_ptr<Curvature> kronecker_curvature(const CurvatureStart& start) {
  return std::make_unique<Kronecker>(start);
}

}  // namespace kullback::deep
