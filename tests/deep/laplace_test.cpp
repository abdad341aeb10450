#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "base/error.hpp"
#include "deep/bnn/posteriors/laplace/curvature.hpp"
#include "deep/bnn/posteriors/laplace/prior_scale.hpp"
#include "tests/deep/linear_model.hpp"
#include "tests/deep/train_posterior.hpp"

namespace kullback::deep {
namespace {

constexpr auto kDouble = torch::kFloat64;

double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

class TwoOutputs final : public Likelihood {
 public:
  std::int64_t outputs() const override { return 2; }
  torch::Tensor log_density(const Parameters&, const torch::Tensor& outputs,
                            const torch::Tensor& target) const override {
    const torch::Tensor d = outputs - target.unsqueeze(2);
    return -(d.select(2, 0).square() + 0.5 * d.select(2, 0) * d.select(2, 1) + 0.5 * d.select(2, 1).square());
  }
  Predictive predict(const Parameters&, const torch::Tensor& outputs) const override {
    return {.mean = outputs.select(2, 0), .variance = outputs.select(2, 1).exp()};
  }
  torch::Tensor output_hessian(const Parameters&, const torch::Tensor& outputs) const override {
    const torch::Tensor matrix = torch::tensor({2.0, 0.5, 0.5, 1.0}, outputs.options()).view({2, 2});
    return matrix.expand({outputs.size(0), outputs.size(1), 2, 2});
  }
};

Net small_perceptron(Layout& layout, std::int64_t outputs) {
  return mlp(layout, "net", {.inputs = 3, .hidden = {4}, .outputs = outputs, .activation = Activation::tanh});
}

BayesNet::BuildNet small_convolution(const ConvSpec& spec) {
  return [spec](Layout& layout, std::int64_t outputs) {
    ConvSpec whole = spec;
    whole.hidden = {3};
    whole.outputs = outputs;
    whole.activation = Activation::tanh;
    return conv_net(layout, "net", whole);
  };
}

const ConvSpec kSmallImages{.height = 4, .width = 4, .filters = {2}};

struct Small {
  explicit Small(bool is_convolution = false)
      : Small(is_convolution ? small_convolution(kSmallImages) : small_perceptron, is_convolution ? 16 : 3) {}

  Small(const BayesNet::BuildNet& build, std::int64_t inputs)
      : net(build, std::make_unique<TwoOutputs>(), gaussian_prior()) {
    torch::manual_seed(2);
    flat = fresh_parameters(net.layout(), 2, 4, kDouble) + 0.1;
    x = torch::randn({2, 6, inputs}, kDouble);
    precisions = net.prior().precisions(net.layout());
  }

  CurvatureStart start() const {
    return {.net = net, .precisions = precisions, .nets = 2, .options = torch::TensorOptions(kDouble)};
  }

  RowSlopes root_slopes() const {
    const RecordedForward forward(net.layout(), net.net(), flat, x);
    return forward.slopes_of(
        square_root(net.likelihood().output_hessian(net.split(flat), forward.outputs().detach())));
  }

  // Derivatives of one output of one row of one net to all parameters, by autograd.
  torch::Tensor row_gradient(std::int64_t which, std::int64_t row, std::int64_t output) const {
    const torch::Tensor leaf = flat.clone().requires_grad_();
    const torch::Tensor outputs = net.net().forward(net.split(leaf), x);
    return torch::autograd::grad({outputs[which][row][output]}, {leaf})[0][which];
  }

  // [rows, outputs, size]
  torch::Tensor jacobian(std::int64_t which) const {
    std::vector<torch::Tensor> rows;
    for (std::int64_t row = 0; row < x.size(1); ++row)
      rows.push_back(at::stack({row_gradient(which, row, 0), row_gradient(which, row, 1)}));
    return at::stack(rows);
  }

  BayesNet net;
  torch::Tensor flat, x, precisions;
};

// sum over the unit vectors z of draw(z) draw(z)', which is the covariance.
torch::Tensor covariance_of_draws(const Curvature& curvature, std::int64_t nets, std::int64_t size,
                                  double scale = 1) {
  const torch::Tensor units = torch::eye(size, kDouble).expand({nets, size, size});
  const torch::Tensor draws = curvature.draw(units, torch::full({nets}, scale, kDouble));
  return draws.transpose(1, 2).bmm(draws);
}

void expect_slopes_match_autograd(const Small& small) {
  const RowSlopes slopes =
      RecordedForward(small.net.layout(), small.net.net(), small.flat, small.x).jacobian();
  for (std::int64_t which = 0; which < 2; ++which) {
    const torch::Tensor exact = small.jacobian(which);
    for (const LayerSlopes& of : slopes.layers) {
      const Slot &weight = small.net.layout().slots()[of.layer->weight],
                 &bias = small.net.layout().slots()[of.layer->bias];
      for (std::size_t k = 0; k < 2; ++k) {
        const torch::Tensor each = exact.select(1, static_cast<std::int64_t>(k));
        EXPECT_LT(largest_difference(weight_slopes(of, k)[which].flatten(1),
                                     each.narrow(1, weight.first, weight.size)),
                  1e-13);
        EXPECT_LT(largest_difference(bias_slopes(of, k)[which], each.narrow(1, bias.first, bias.size)),
                  1e-13);
      }
    }
  }
}

TEST(RowSlopes, AreThoseOfAutogradForEachRow) { expect_slopes_match_autograd(Small()); }

TEST(RowSlopes, AreThoseOfAutogradForConvolutions) { expect_slopes_match_autograd(Small(true)); }

void expect_covariances(const Curvature& curvature, const Small& small, std::int64_t which,
                        const torch::Tensor& expected) {
  const std::int64_t size = small.net.layout().size();
  EXPECT_LT(largest_difference(covariance_of_draws(curvature, 2, size, 1.7)[which], expected), 1e-11);
  const RowSlopes slopes =
      RecordedForward(small.net.layout(), small.net.net(), small.flat, small.x).jacobian();
  const torch::Tensor exact = small.jacobian(which);
  const torch::Tensor outputs = exact.matmul(expected).matmul(exact.transpose(1, 2));
  const torch::Tensor found = curvature.output_covariance(slopes, torch::full({2}, 1.7, kDouble))[which];
  EXPECT_LT(largest_difference(found, outputs), 1e-11);
}

// G from per-row gradients.
torch::Tensor gauss_newton(const Small& small, std::int64_t which) {
  const torch::Tensor jacobian = small.jacobian(which);
  const torch::Tensor hessian = torch::tensor({2.0, 0.5, 0.5, 1.0}, kDouble).view({2, 2});
  return jacobian.transpose(1, 2).matmul(hessian.matmul(jacobian)).sum(0);
}

TEST(Curvature, FullIsTheInverseOfGaussNewtonPlusPrior) {
  const Small small;
  const auto curvature = full_curvature(small.start());
  curvature->add(small.root_slopes());
  curvature->decompose();
  for (std::int64_t which = 0; which < 2; ++which) {
    const torch::Tensor precision = gauss_newton(small, which) + 1.7 * small.precisions.diag();
    expect_covariances(*curvature, small, which, at::linalg_inv(precision));
  }
}

void expect_diagonal(const Small& small) {
  const auto curvature = diagonal_curvature(small.start());
  curvature->add(small.root_slopes());
  curvature->decompose();
  for (std::int64_t which = 0; which < 2; ++which) {
    const torch::Tensor precision = gauss_newton(small, which).diag() + 1.7 * small.precisions;
    expect_covariances(*curvature, small, which, (1 / precision).diag());
  }
}

TEST(Curvature, DiagonalIsTheInverseOfTheDiagonal) { expect_diagonal(Small()); }

TEST(Curvature, DiagonalOfConvolutions) { expect_diagonal(Small(true)); }

TEST(Curvature, LastLayerIsItsBlock) {
  const Small small;
  const auto curvature = last_layer_curvature(small.start());
  curvature->add(small.root_slopes());
  curvature->decompose();
  const Slot& weight = small.net.layout().slots()[small.net.net().affines().back()->weight];
  const std::int64_t size = small.net.layout().size() - weight.first;
  for (std::int64_t which = 0; which < 2; ++which) {
    const torch::Tensor block = (gauss_newton(small, which) + 1.7 * small.precisions.diag())
                                    .narrow(0, weight.first, size)
                                    .narrow(1, weight.first, size);
    torch::Tensor expected = torch::zeros_like(gauss_newton(small, which));
    expected.narrow(0, weight.first, size).narrow(1, weight.first, size).copy_(at::linalg_inv(block));
    expect_covariances(*curvature, small, which, expected);
  }
}

// B x A / rows by layer, from gradients of each row: that to the bias is g; a is the input of the layer.
TEST(Curvature, KroneckerIsTheProductOfItsFactors) {
  const Small small;
  const auto curvature = kronecker_curvature(small.start());
  const RowSlopes slopes = small.root_slopes();
  curvature->add(slopes);
  curvature->decompose();
  const torch::Tensor root = square_root(torch::tensor({2.0, 0.5, 0.5, 1.0}, kDouble).view({2, 2}));
  for (std::int64_t which = 0; which < 2; ++which) {
    const torch::Tensor jacobian = root.t().matmul(small.jacobian(which));
    torch::Tensor expected = torch::zeros({small.net.layout().size(), small.net.layout().size()}, kDouble);
    torch::Tensor a = small.x[which];
    for (const Affine* layer : small.net.net().affines()) {
      const Slot &weight = small.net.layout().slots()[layer->weight],
                 &bias = small.net.layout().slots()[layer->bias];
      const torch::Tensor g = jacobian.narrow(2, bias.first, bias.size).flatten(0, 1);
      const torch::Tensor outputs = g.t().matmul(g), inputs = a.t().matmul(a);
      const double rows = static_cast<double>(small.x.size(1));
      const torch::Tensor block = at::kron(outputs, inputs) / rows +
                                  1.7 * small.precisions.narrow(0, weight.first, weight.size).diag();
      expected.narrow(0, weight.first, weight.size)
          .narrow(1, weight.first, weight.size)
          .copy_(at::linalg_inv(block));
      const torch::Tensor of_bias = outputs + 1.7 * small.precisions.narrow(0, bias.first, bias.size).diag();
      expected.narrow(0, bias.first, bias.size)
          .narrow(1, bias.first, bias.size)
          .copy_(at::linalg_inv(of_bias));
      const Parameters parameters = small.net.split(small.flat);
      a = at::tanh(at::linear(a, parameters[layer->weight][which], parameters[layer->bias][which]));
    }
    expect_covariances(*curvature, small, which, expected);
  }
}

// Slopes of both outputs of one row to what the convolution of small_convolution(kSmallImages) gives, one
// place after the other: [outputs, places, filters].
torch::Tensor place_slopes(const Parameters& parameters, std::int64_t which, const torch::Tensor& image) {
  const auto of = [&](std::size_t slot) { return parameters[slot][which]; };
  const torch::Tensor given = at::conv2d(image.view({1, 1, 4, 4}), of(0), of(1), 1, 1).requires_grad_();
  const torch::Tensor pooled = at::max_pool2d(at::tanh(given), 2, 2).flatten(1);
  const torch::Tensor outputs = at::linear(at::tanh(at::linear(pooled, of(2), of(3))), of(4), of(5));
  std::vector<torch::Tensor> slopes;
  for (std::int64_t k = 0; k < 2; ++k)
    slopes.push_back(torch::autograd::grad({outputs[0][k]}, {given}, {}, true)[0][0].flatten(1).t());
  return at::stack(slopes);
}

// B x A / (rows * places) with the patches and slopes of each place, found one by one (Grosse, Martens 2016).
TEST(Curvature, KroneckerOfAConvolutionIsTheProductOfItsFactors) {
  const Small small(true);
  const auto curvature = kronecker_curvature(small.start());
  curvature->add(small.root_slopes());
  curvature->decompose();
  const torch::Tensor root = square_root(torch::tensor({2.0, 0.5, 0.5, 1.0}, kDouble).view({2, 2}));
  const Slot &weight = small.net.layout().slots()[0], &bias = small.net.layout().slots()[1];
  ASSERT_EQ(weight.shape, (std::vector<std::int64_t>{2, 1, 3, 3}));
  for (std::int64_t which = 0; which < 2; ++which) {
    torch::Tensor inputs = torch::zeros({9, 9}, kDouble), outputs = torch::zeros({2, 2}, kDouble);
    torch::Tensor of_bias = torch::zeros({2, 2}, kDouble);
    for (std::int64_t row = 0; row < small.x.size(1); ++row) {
      const torch::Tensor image = small.x[which][row].view({4, 4});
      const torch::Tensor padded = at::constant_pad_nd(image, {1, 1, 1, 1});
      for (std::int64_t i = 0; i < 4; ++i)
        for (std::int64_t j = 0; j < 4; ++j) {
          const torch::Tensor a = padded.narrow(0, i, 3).narrow(1, j, 3).flatten();
          inputs += a.outer(a);
        }
      const torch::Tensor slopes = place_slopes(small.net.split(small.flat), which, image);
      const torch::Tensor rooted = at::einsum("km,ktf->mtf", {root, slopes});
      outputs += at::einsum("mtf,mtg->fg", {rooted, rooted});
      of_bias += rooted.sum(1).t().matmul(rooted.sum(1));
    }
    const auto both = static_cast<double>(small.x.size(1) * 16);
    const auto block = [](const torch::Tensor& all, const Slot& slot) {
      return all.narrow(0, slot.first, slot.size).narrow(1, slot.first, slot.size);
    };
    const torch::Tensor prior = 1.7 * small.precisions.diag();
    const torch::Tensor found = covariance_of_draws(*curvature, 2, small.net.layout().size(), 1.7)[which];
    EXPECT_LT(largest_difference(block(found, weight),
                                 at::linalg_inv(at::kron(outputs, inputs) / both + block(prior, weight))),
              1e-11);
    EXPECT_LT(largest_difference(block(found, bias), at::linalg_inv(of_bias + block(prior, bias))), 1e-11);
  }
}

// One row, windows of one pixel and equal pixels, of which the pooling takes one: what the factors leave out
// is 0, and the blocks of the layers are those of G itself.
TEST(Curvature, KroneckerOfAConvolutionIsExactWhereItsAssumptionsHold) {
  Small small(small_convolution({.channels = 2, .height = 2, .width = 2, .filters = {2}, .kernel = 1}), 8);
  small.x = torch::tensor({0.7, -1.3, 0.2, 0.9}, kDouble).view({2, 1, 2}).repeat_interleave(4, 2);
  const auto curvature = kronecker_curvature(small.start());
  curvature->add(small.root_slopes());
  curvature->decompose();
  for (std::int64_t which = 0; which < 2; ++which) {
    const torch::Tensor precision = gauss_newton(small, which) + 1.7 * small.precisions.diag();
    torch::Tensor expected = torch::zeros_like(precision);
    for (const Slot& slot : small.net.layout().slots())
      expected.narrow(0, slot.first, slot.size)
          .narrow(1, slot.first, slot.size)
          .copy_(at::linalg_inv(precision.narrow(0, slot.first, slot.size).narrow(1, slot.first, slot.size)));
    EXPECT_GT(gauss_newton(small, which).narrow(0, 0, 4).abs().max().item<double>(), 1e-3);
    expect_covariances(*curvature, small, which, expected);
  }
}

TEST(Curvature, FullOfTooManyWeightsIsRefused) {
  const BayesNet net = toy_net({.inputs = 100, .hidden = {50}}, 1);
  EXPECT_THROW(full_curvature({.net = net, .precisions = net.prior().precisions(net.layout())}), Error);
}

TEST(PriorScale, IsWhereTheEvidenceIsFlat) {
  const torch::Tensor relative = torch::tensor({0.1, 3.0, 40.0, 0.0, 500.0, 1e4}, kDouble).view({2, 3});
  const torch::Tensor size = torch::tensor({5.0, 0.3}, kDouble);
  const torch::Tensor s = best_prior_scale(relative, size).unsqueeze(1);
  // MacKay 1992: s * size = the number of well determined parameters.
  const torch::Tensor determined = (relative / (relative + s)).sum(1);
  EXPECT_LT(largest_difference(s.squeeze(1) * size / determined, torch::ones({2}, kDouble)), 1e-3);
}

std::unique_ptr<Posterior> linear_laplace(const LinearModel& model, const std::string& curvature,
                                          const std::string& prediction = "linearised") {
  return train_posterior(model.net,
                         {.posterior = "laplace",
                          .options = {{"curvature", curvature},
                                      {"prediction", prediction},
                                      {"tune_prior", "false"},
                                      {"rate", "0.05"}},
                          .epochs = 300,
                          .batch = 1000},
                         model.x, model.y);
}

TEST(Laplace, OfALinearLayerIsBayesianLinearRegression) {
  const LinearModel model(40);
  torch::manual_seed(9);
  const torch::Tensor x = torch::randn({7, 2}, kDouble), with_one = LinearModel::with_ones(x);
  for (const std::string curvature : {"full", "last-layer"}) {
    const auto posterior = linear_laplace(model, curvature);
    EXPECT_LT(largest_difference(posterior->center()[0], model.mean), 1e-4);
    const Predictive predictive = posterior->predict(x.unsqueeze(0), 10);
    const torch::Tensor variance = (with_one.matmul(model.covariance) * with_one).sum(1);
    EXPECT_LT(largest_difference(predictive.mean_variance[0][0], variance), 1e-12);
    EXPECT_LT(largest_difference(predictive.variance[0][0], variance + 0.25), 1e-12);
    EXPECT_LT(largest_difference(predictive.mean[0][0], with_one.matmul(model.mean)), 1e-3);
  }
}

TEST(Laplace, OtherCurvaturesOfALinearLayerAreWhatTheySay) {
  const LinearModel model(40);
  const torch::Tensor x = torch::tensor({0.3, -1.0}, kDouble),
                      with_one = LinearModel::with_ones(x.view({1, 2}));
  const auto variance_at = [&](const std::string& curvature) {
    return linear_laplace(model, curvature)->predict(x.view({1, 1, 2}), 1).mean_variance.item<double>();
  };
  const torch::Tensor diagonal = model.precision.diag();
  EXPECT_NEAR(variance_at("diagonal"), (with_one.square() / diagonal).sum().item<double>(), 1e-12);
  const torch::Tensor weights = at::linalg_inv(model.precision.narrow(0, 0, 2).narrow(1, 0, 2));
  EXPECT_NEAR(variance_at("kronecker"),
              x.dot(weights.matmul(x)).item<double>() + 1 / diagonal[2].item<double>(), 1e-12);
}

TEST(Laplace, DrawsHaveItsCovariance) {
  const LinearModel model(40);
  const auto posterior = linear_laplace(model, "full", "sampled");
  constexpr std::int64_t kDraws = 20'000;
  const torch::Tensor draws = posterior->draw_parameters(kDraws)[0];
  EXPECT_TRUE(draws.equal(posterior->draw_parameters(kDraws)[0]));
  const torch::Tensor centred = draws - posterior->center();
  const torch::Tensor found = centred.t().matmul(centred) / static_cast<double>(kDraws);
  const torch::Tensor variances = model.covariance.diag();
  // Of a product of normal numbers: variance of (s_ij) <= 2 v_i v_j / draws.
  const torch::Tensor error =
      (2 * variances.unsqueeze(0) * variances.unsqueeze(1) / static_cast<double>(kDraws)).sqrt();
  EXPECT_LT(((found - model.covariance).abs() / error).max().item<double>(), 4);
  const Predictive predictive = posterior->predict(model.x.unsqueeze(0), 50);
  EXPECT_EQ(predictive.mean.size(1), 50);
}

TEST(Laplace, NetsAreIndependent) {
  torch::manual_seed(3);
  const BayesNet net = toy_net({.inputs = 2, .hidden = {5}, .activation = Activation::tanh}, 0);
  const torch::Tensor x = torch::randn({30, 2}, kDouble), y = at::sin(x.sum(1));
  ToyRun run{.posterior = "laplace", .epochs = 20, .members = 3};
  const auto three = train_posterior(net, run, x, y);
  run.members = 1;
  const auto one = train_posterior(net, run, x, y);
  const Predictive of_three = three->predict(x.expand({3, 30, 2}), 1),
                   of_one = one->predict(x.unsqueeze(0), 1);
  EXPECT_LT(largest_difference(of_three.variance[0], of_one.variance[0]), 1e-8);
  EXPECT_LT(largest_difference(three->draw_parameters(4)[0], one->draw_parameters(4)[0]), 1e-8);
  EXPECT_GT(largest_difference(of_three.variance[1], of_one.variance[0]), 1e-6);
}

TEST(Laplace, SeveralOutputsAreDrawnWithTheirCovariance) {
  torch::manual_seed(3);
  const Small small;
  const torch::Tensor x = torch::randn({20, 3}, kDouble), y = torch::randn({20}, kDouble);
  const auto posterior = train_posterior(
      small.net,
      {.posterior = "laplace", .options = {{"curvature", "full"}, {"tune_prior", "false"}}, .epochs = 5}, x,
      y);
  const Predictive predictive = posterior->predict(x.narrow(0, 0, 2).unsqueeze(0), 4000);
  ASSERT_EQ(predictive.mean.sizes(), at::IntArrayRef({1, 4000, 2}));
  // The first output is the mean.
  const auto curvature = full_curvature({.net = small.net,
                                         .precisions = small.precisions,
                                         .nets = 1,
                                         .options = torch::TensorOptions(kDouble)});
  const auto record = [&](const torch::Tensor& rows) {
    return RecordedForward(small.net.layout(), small.net.net(), posterior->center(), rows.unsqueeze(0));
  };
  const RecordedForward all = record(x);
  curvature->add(all.slopes_of(square_root(
      small.net.likelihood().output_hessian(small.net.split(posterior->center()), all.outputs().detach()))));
  curvature->decompose();
  const torch::Tensor exact =
      curvature->output_covariance(record(x.narrow(0, 0, 2)).jacobian(), torch::ones({1}, kDouble))[0];
  const torch::Tensor found = predictive.mean[0].var(0);
  EXPECT_LT(((found / exact.select(1, 0).select(1, 0)) - 1).abs().max().item<double>(),
            4 * std::sqrt(2 / 4000.0));
}

}  // namespace
}  // namespace kullback::deep
