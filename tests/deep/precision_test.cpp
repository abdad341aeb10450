// Products in bfloat16: where they are made, and how far a training strays from that in float32.
#include "deep/net/precision.hpp"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "base/error.hpp"
#include "deep/bnn/fit/network.hpp"
#include "tests/deep/train_posterior.hpp"
#include "tests/deep/variational_toy.hpp"

namespace kullback::deep {
namespace {

constexpr double kHalfUnit = 1.0 / 256;  // relative error of a number rounded to bfloat16, at most

BayesNet regression_net(bool is_brief) {
  return BayesNet(
      [&](Layout& layout, std::int64_t outputs) {
        Net net = mlp(layout, "net",
                      {.inputs = 3, .hidden = {30, 30}, .outputs = outputs, .activation = Activation::tanh});
        if (is_brief) net.use_bfloat16();
        return net;
      },
      gaussian_likelihood(0), gaussian_prior());
}

struct Curve {
  std::vector<double> losses;
  torch::Tensor predicted;
};

Curve curve_of(const std::string& posterior, bool is_brief, std::int64_t members) {
  torch::manual_seed(4);
  const torch::Tensor x = torch::randn({1, 200, 3}, torch::kFloat32);
  const torch::Tensor y = at::sin(x.sum(2)) + 0.1 * torch::randn({1, 200}, torch::kFloat32);
  const BayesNet net = regression_net(is_brief);
  const PosteriorRecord* record = find_posterior(posterior);
  const auto made = record->make(net, OptionValues(),
                                 {.nets = members, .all_rows = 200, .seed = 1, .options = x.options()});
  PosteriorTrainee trainee(net, *made, {.train = {x, y}, .members = members, .epochs = 30});
  const Ranks ranks;
  Curve curve;
  train(trainee, {.epochs = 30, .batch = 50, .seed = 1}, ranks,
        {.on_epoch = [&](const EpochFigures& figures) { curve.losses.push_back(figures.loss); }});
  torch::manual_seed(5);
  curve.predicted = made->predict(x.expand({members, 200, 3}), 5).mean;
  return curve;
}

class Bfloat16 : public testing::TestWithParam<std::string> {};

// The loss is about 1 nat a row: every epoch's is within 0.03 of it, and predictions within 0.1 of the
// noise's root mean square.
TEST_P(Bfloat16, TrainsAlmostAsFloat32) {
  for (const std::int64_t members : {1, 2}) {
    const Curve exact = curve_of(GetParam(), false, members), brief = curve_of(GetParam(), true, members);
    ASSERT_EQ(exact.losses.size(), brief.losses.size());
    double worst = 0;
    for (std::size_t i = 0; i < exact.losses.size(); ++i)
      worst = std::max(worst, std::fabs(exact.losses[i] - brief.losses[i]));
    EXPECT_LT(worst, 0.03);
    EXPECT_GT(worst, 0) << "nothing was rounded";
    EXPECT_LT((exact.predicted - brief.predicted).square().mean().sqrt().item<double>(), 0.1);
    EXPECT_EQ(brief.predicted.scalar_type(), torch::kFloat32);
  }
}

INSTANTIATE_TEST_SUITE_P(Posteriors, Bfloat16,
                         testing::Values("map", "mean-field", "last-layer", "dropout", "ivon"));

TEST(Bfloat16, OnlyWhereGradientsAreTakenAndNotInTheLastLayer) {
  const BayesNet brief = regression_net(true), exact = regression_net(false);
  const torch::Tensor flat = fresh_parameters(exact.layout(), 2, 1, torch::kFloat32);
  const torch::Tensor x = torch::randn({2, 10, 3}, torch::kFloat32);
  const torch::Tensor wanted = exact.net().forward(exact.split(flat), x);
  const torch::Tensor trained = brief.net().forward(brief.split(flat), x);
  EXPECT_GT((trained - wanted).abs().max().item<double>(), 0);
  EXPECT_LT((trained - wanted).abs().max().item<double>(), 10 * kHalfUnit);
  EXPECT_FALSE(brief.net().affines().back()->is_brief);
  const torch::NoGradGuard no_gradient;
  EXPECT_TRUE(brief.net().forward(brief.split(flat), x).equal(wanted));
}

// Against products of rounded numbers in double precision.
TEST(Bfloat16, ConvolutionsRoundTheirInputsOnly) {
  Layout layout;
  Net net = conv_net(layout, "net", {.height = 6, .width = 6, .filters = {3}, .outputs = 2});
  net.use_bfloat16();
  const Affine& layer = *net.affines().front();
  for (const std::int64_t nets : {1, 2}) {
    const torch::Tensor flat = fresh_parameters(layout, nets, 3, torch::kFloat32) + 0.1;
    const Parameters parameters(layout, flat);
    const torch::Tensor x = torch::randn({nets, 4, 1, 6, 6}, torch::kFloat32);
    const auto rounded = [](const torch::Tensor& t) { return t.to(torch::kBFloat16).to(torch::kFloat64); };
    Affine exact = layer;
    exact.is_brief = false;
    const torch::Tensor wanted = apply_affine(exact, rounded(parameters[layer.weight]),
                                              parameters[layer.bias].to(torch::kFloat64), rounded(x));
    const torch::Tensor found = apply_affine(layer, parameters[layer.weight], parameters[layer.bias], x);
    ASSERT_EQ(found.scalar_type(), torch::kFloat32);
    // The sum is rounded once more.
    EXPECT_LT(((found - wanted).abs() / (1 + wanted.abs())).max().item<double>(), kHalfUnit);
    // Gradients are those of float32 parameters.
    const torch::Tensor leaf = flat.clone().requires_grad_();
    const Parameters free(layout, leaf);
    const torch::Tensor gradient = torch::autograd::grad(
        {apply_affine(layer, free[layer.weight], free[layer.bias], x).sum()}, {leaf})[0];
    EXPECT_EQ(gradient.scalar_type(), torch::kFloat32);
    EXPECT_GT(gradient.abs().max().item<double>(), 0);
  }
}

TEST(Bfloat16, IsRefusedWhereItIsNotSafe) {
  const auto message_of = [](const std::string& posterior) -> std::string {
    Network network;
    network.preparation.columns = {{.name = "a"}};
    network.posterior = posterior;
    network.posterior_options = OptionValues();
    network.prior_options = OptionValues();
    network.precision = Precision::bf16;
    try {
      const BuiltNetwork built(network, torch::kCPU);
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  };
  EXPECT_EQ(
      message_of("hmc"),
      "--precision bf16 is not safe with --posterior hmc: its energies must be exact for proposals to be "
      "accepted.");
  EXPECT_EQ(message_of("laplace"),
            "--precision bf16 is not safe with --posterior laplace: its curvature would be that of rounded "
            "products.");
  EXPECT_EQ(message_of("map"), "no error");
  EXPECT_EQ(type_of_precision(Precision::bf16), torch::kFloat32);
  EXPECT_EQ(type_of_precision(Precision::float64), torch::kFloat64);
}

}  // namespace
}  // namespace kullback::deep
