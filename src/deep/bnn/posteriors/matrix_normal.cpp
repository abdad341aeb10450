// For each affine layer, with its bias as a last column of the weights, W = M + A Z B' with standard normal
// Z: a matrix normal distribution with row covariance A A' and column covariance B B' (Louizos & Welling
// 2016), A and B full triangular factors. Parameters of no layer (log noise, scales of a prior) are
// independent Gaussians.
//   E W_ij^2 = M_ij^2 + (A A')_ii (B B')_jj;  log|det| of Z -> W: columns * log det A + rows * log det B.
// Local reparameterisation: a row x (with a 1 at its end) sees (W - M) x = A Z (B'x), which is
// |B'x| A e with a standard normal e.
#include <cmath>

#include "base/error.hpp"
#include "deep/bnn/posteriors/triangular.hpp"
#include "deep/bnn/posteriors/variational.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep {

namespace {

constexpr const OptionRecord* kOptions[] = {&kVariationalRate, &kFallingRate, &kKlWarmup, &kInitialSd,
                                            &kBoundDraws,      &kAlpha,       &kGradient};

// Of one affine layer: rows and columns of [W b].
struct LayerFactors {
  const Affine* affine = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::size_t row_slot = 0;  // in the layout of lambda
  std::size_t column_slot = 0;
};

struct Factors {
  torch::Tensor row;     // A, [nets, rows, rows]
  torch::Tensor column;  // B, [nets, columns, columns]
};

// By the layer's index in its net. `factors` are those of nets * draws.
class LocalMatrixRule final : public AffineRule {
 public:
  LocalMatrixRule(std::vector<Factors> factors, const Noise& noise)
      : factors_(std::move(factors)), noise_(noise) {}

  torch::Tensor apply(const Affine& layer, const Parameters& parameters, const torch::Tensor& x) override {
    const torch::Tensor mean = apply_affine(layer, parameters[layer.weight], parameters[layer.bias], x);
    if (layer.kind != Affine::Kind::linear) return mean;  // its weights are drawn
    const auto& [row, column] = factors_[layer.index];
    const torch::Tensor seen =
        at::matmul(x, column.narrow(1, 0, layer.inputs)) + column.narrow(1, layer.inputs, 1);
    const torch::Tensor e = noise_.normal(mean.sizes(), mean.options(), 1);
    return mean + seen.square().sum(2, true).sqrt() * at::bmm(e, row.transpose(1, 2));
  }

 private:
  std::vector<Factors> factors_;
  const Noise& noise_;
};

class MatrixNormal final : public GaussianFamily {
 public:
  explicit MatrixNormal(const BayesNet& net) : net_(net) {
    const std::vector<Slot>& slots = net.layout().slots();
    layer_of_.resize(slots.size(), kNone);
    numbers_.add({.name = "mean", .shape = {net.layout().size()}});
    for (const Affine* affine : net.net().affines()) add_layer(*affine);
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (layer_of_[i] == kNone)
        log_sds_.push_back(numbers_.add({.name = slots[i].name, .shape = {slots[i].size}}));
  }

  std::int64_t size() const override { return numbers_.size(); }

  torch::Tensor start(const torch::Tensor& fresh, double sd, std::uint64_t, std::int64_t) const override {
    torch::Tensor lambda = torch::zeros({fresh.size(0), size()}, fresh.options());
    lambda.narrow(1, 0, fresh.size(1)).copy_(fresh);
    const Parameters numbers(numbers_, lambda);  // views
    for (const LayerFactors& layer : layers_) log_diagonal(numbers[layer.column_slot]).fill_(std::log(sd));
    for (const std::size_t slot : log_sds_) torch::Tensor(numbers[slot]).fill_(std::log(sd));
    return lambda;
  }

  torch::Tensor mean(const torch::Tensor& lambda) const override {
    return lambda.narrow(1, 0, net_.layout().size());
  }

  torch::Tensor second_moments(const torch::Tensor& lambda) const override {
    const Parameters numbers(numbers_, lambda);
    std::vector<torch::Tensor> variances;
    for (const LayerFactors& layer : layers_) {
      const Factors factors = factors_of(layer, numbers);
      variances.push_back(factors.row.square().sum(2).unsqueeze(2) *
                          factors.column.square().sum(2).unsqueeze(1));
    }
    std::vector<torch::Tensor> others;
    for (const std::size_t slot : log_sds_) others.push_back(at::exp(2 * numbers[slot]));
    return mean(lambda).square() + flatten(variances, others);
  }

  torch::Tensor entropy(const torch::Tensor& lambda) const override {
    return log_volume(Parameters(numbers_, lambda)) +
           0.5 * static_cast<double>(net_.layout().size()) * (1 + kLogTwoPi);
  }

  WeightDraws draw(const torch::Tensor& lambda, std::int64_t draws, const Noise& noise,
                   Density density) const override {
    const Parameters numbers(numbers_, lambda);
    const std::int64_t nets = lambda.size(0);
    std::vector<torch::Tensor> matrices, others, squares;
    for (const LayerFactors& layer : layers_) {
      const Factors factors = factors_of(layer, numbers);
      const torch::Tensor z = noise.normal({nets, draws, layer.rows, layer.columns}, lambda.options(), -1);
      matrices.push_back(
          at::matmul(at::matmul(factors.row.unsqueeze(1), z), factors.column.transpose(1, 2).unsqueeze(1)));
      squares.push_back(z.square().sum({2, 3}));
    }
    for (const std::size_t slot : log_sds_) {
      const torch::Tensor z = noise.normal({nets, draws, numbers[slot].size(1)}, lambda.options(), -1);
      others.push_back(at::exp(numbers[slot]).unsqueeze(1) * z);
      squares.push_back(z.square().sum(2));
    }
    WeightDraws result{mean(lambda).unsqueeze(1) + flatten(matrices, others)};
    if (density == Density::wanted)
      result.log_density =
          -0.5 * (at::stack(squares).sum(0) + static_cast<double>(net_.layout().size()) * kLogTwoPi) -
          log_volume(numbers).unsqueeze(1);
    return result;
  }

  NoisyNet noisy_net(const torch::Tensor& lambda, std::int64_t draws, RowNoise kind,
                     const Noise& noise) const override {
    if (kind == RowNoise::weights) return GaussianFamily::noisy_net(lambda, draws, kind, noise);
    const Parameters numbers(numbers_, lambda);
    std::vector<torch::Tensor> matrices, others;
    std::vector<Factors> factors;
    for (const LayerFactors& layer : layers_) {
      const auto [row, column] = factors_of(layer, numbers);
      factors.push_back({for_draws(row, draws), for_draws(column, draws)});
      matrices.push_back(matrix_deviation(layer, factors.back(), noise));
    }
    for (const std::size_t slot : log_sds_) {
      const torch::Tensor sd = for_draws(at::exp(numbers[slot]), draws);
      others.push_back(sd * noise.normal(sd.sizes(), sd.options(), -1));
    }
    return {for_draws(mean(lambda), draws) + flatten(matrices, others),
            std::make_unique<LocalMatrixRule>(std::move(factors), noise)};
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  void add_layer(const Affine& affine) {
    if (affine.kind == Affine::Kind::conv_transpose)
      throw Error(ErrorKind::internal, "matrix normal posteriors know no transposed convolutions.");
    LayerFactors layer{.affine = &affine,
                       .rows = affine.outputs,
                       .columns = net_.layout().slots()[affine.weight].size / affine.outputs + 1};
    layer.row_slot = numbers_.add({.name = affine.name + ".rows", .shape = {layer.rows, layer.rows}});
    layer.column_slot =
        numbers_.add({.name = affine.name + ".columns", .shape = {layer.columns, layer.columns}});
    layer_of_[affine.weight] = layer_of_[affine.bias] = layers_.size();
    layers_.push_back(layer);
  }

  static Factors factors_of(const LayerFactors& layer, const Parameters& numbers) {
    return {triangular_factor(numbers[layer.row_slot]), triangular_factor(numbers[layer.column_slot])};
  }

  // 0 of linear layers, whose noise the rule makes; a draw of A Z B' of convolutions.
  static torch::Tensor matrix_deviation(const LayerFactors& layer, const Factors& factors,
                                        const Noise& noise) {
    const torch::TensorOptions options = factors.row.options().requires_grad(false);
    const std::vector<std::int64_t> shape = {factors.row.size(0), layer.rows, layer.columns};
    if (layer.affine->kind == Affine::Kind::linear) return torch::zeros(shape, options);
    return at::bmm(at::bmm(factors.row, noise.normal(shape, options, -1)), factors.column.transpose(1, 2));
  }

  // log|det| of the map from standard normal numbers to parameters, [nets].
  torch::Tensor log_volume(const Parameters& numbers) const {
    std::vector<torch::Tensor> parts;
    for (const LayerFactors& layer : layers_) {
      parts.push_back(log_diagonal(numbers[layer.row_slot]).sum(1) * static_cast<double>(layer.columns));
      parts.push_back(log_diagonal(numbers[layer.column_slot]).sum(1) * static_cast<double>(layer.rows));
    }
    for (const std::size_t slot : log_sds_) parts.push_back(numbers[slot].sum(1));
    return at::stack(parts).sum(0);
  }

  // Matrices [W b] of the layers, [..., rows, columns], and the other slots, [..., size], in the order of the
  // net's parameters: [..., n].
  torch::Tensor flatten(const std::vector<torch::Tensor>& matrices,
                        const std::vector<torch::Tensor>& others) const {
    std::vector<torch::Tensor> parts;
    std::size_t next_other = 0;
    for (std::size_t slot = 0; slot < layer_of_.size(); ++slot) {
      if (layer_of_[slot] == kNone) {
        parts.push_back(others[next_other++]);
        continue;
      }
      const LayerFactors& layer = layers_[layer_of_[slot]];
      const torch::Tensor& matrix = matrices[layer_of_[slot]];
      parts.push_back(slot == layer.affine->bias ? matrix.select(-1, layer.columns - 1)
                                                 : matrix.narrow(-1, 0, layer.columns - 1).flatten(-2));
    }
    return at::cat(parts, -1);
  }

  const BayesNet& net_;
  Layout numbers_;  // of lambda
  std::vector<LayerFactors> layers_;
  std::vector<std::size_t> layer_of_;  // of each slot of the net
  std::vector<std::size_t> log_sds_;   // slots of lambda for the net's slots that belong to no layer
};

}  // namespace

std::unique_ptr<GaussianFamily> make_matrix_normal(const BayesNet& net) {
  return std::make_unique<MatrixNormal>(net);
}

extern const PosteriorRecord kMatrixNormal;
const PosteriorRecord kMatrixNormal{
    .name = "matrix-normal",
    .summary = "for each layer a matrix normal distribution with full row and column covariances",
    .use_when =
        "You want dependences between the weights of a layer, which matter most, and layers are at most a "
        "few hundred wide.",
    .citation =
        "Louizos, Welling 2016, Structured and efficient variational deep learning with matrix Gaussian "
        "posteriors",
    .options = kOptions,
    .make = [](const BayesNet& net, const OptionValues& values,
               const PosteriorStart& start) -> std::unique_ptr<Posterior> {
      return std::make_unique<VariationalPosterior>(net, make_matrix_normal(net), values, start,
                                                    bound_options(values, kGradient));
    }};

}  // namespace kullback::deep
