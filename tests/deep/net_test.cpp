#include "deep/net/net.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kullback::deep {
namespace {

constexpr auto kDouble = torch::kFloat64;

double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(Layout, SplitsAFlatTensorAndItsGradientIsWhole) {
  Layout layout;
  layout.add({.name = "a", .shape = {2, 3}});
  layout.add({.name = "b", .shape = {}});
  const torch::Tensor flat = torch::arange(14, torch::TensorOptions(kDouble)).view({2, 7}).requires_grad_();
  const Parameters parameters(layout, flat);
  EXPECT_EQ(parameters[0].sizes(), at::IntArrayRef({2, 2, 3}));
  EXPECT_EQ(parameters[1][1].item<double>(), 13);
  (parameters[0].square().sum() / 2 + 5 * parameters[1].sum()).backward();
  EXPECT_EQ(flat.grad()[1][2].item<double>(), 9);
  EXPECT_EQ(flat.grad()[0][6].item<double>(), 5);
}

TEST(Layout, FreshNetsDoNotDependOnTheirNumber) {
  Layout layout;
  mlp(layout, "net", {.inputs = 3, .hidden = {4}, .outputs = 1});
  const torch::Tensor three = fresh_parameters(layout, 3, 7, kDouble),
                      one = fresh_parameters(layout, 1, 7, kDouble);
  EXPECT_TRUE(three[0].equal(one[0]));
  EXPECT_FALSE(three[1].equal(one[0]));
}

// A net among many gives what it gives alone, with its own input and with one input for all.
void expect_nets_are_independent(const Layout& layout, const Net& net, const torch::Tensor& x) {
  const std::int64_t nets = x.size(0);
  const torch::Tensor flat = fresh_parameters(layout, nets, 3, kDouble) + 0.1;
  const torch::Tensor together = net.forward(Parameters(layout, flat), x);
  const torch::Tensor shared = net.forward(Parameters(layout, flat), x.narrow(0, 0, 1));
  for (std::int64_t i = 0; i < nets; ++i) {
    const Parameters alone(layout, flat.narrow(0, i, 1));
    EXPECT_LT(largest_difference(together[i], net.forward(alone, x.narrow(0, i, 1))[0]), 1e-12);
    EXPECT_LT(largest_difference(shared[i], net.forward(alone, x.narrow(0, 0, 1))[0]), 1e-12);
  }
}

TEST(Net, ManyPerceptronsAtOnce) {
  torch::manual_seed(1);
  Layout layout;
  const Net net =
      mlp(layout, "net",
          {.inputs = 5, .hidden = {7, 7}, .outputs = 2, .activation = Activation::tanh, .is_residual = true});
  EXPECT_EQ(net.affines().size(), 3u);
  EXPECT_EQ(layout.size(), 5 * 7 + 7 + 7 * 7 + 7 + 7 * 2 + 2);
  expect_nets_are_independent(layout, net, torch::randn({3, 11, 5}, kDouble));
}

TEST(Net, ManyConvolutionalNetsAtOnce) {
  torch::manual_seed(1);
  Layout layout;
  const Net net =
      conv_net(layout, "net",
               {.channels = 2, .height = 6, .width = 8, .filters = {3, 4}, .hidden = {5}, .outputs = 3});
  expect_nets_are_independent(layout, net, torch::randn({2, 4, 2 * 6 * 8}, kDouble));
}

TEST(Net, FeaturesThenTheLastLayerIsTheWhole) {
  torch::manual_seed(1);
  Layout layout;
  const Net net = mlp(layout, "net", {.inputs = 3, .hidden = {4}, .outputs = 2});
  const Parameters parameters(layout, fresh_parameters(layout, 1, 1, kDouble));
  const torch::Tensor x = torch::randn({1, 6, 3}, kDouble);
  PlainRule plain;
  const torch::Tensor last =
      plain.apply(*net.affines().back(), parameters, net.features(parameters, x, plain));
  EXPECT_LT(largest_difference(last, net.forward(parameters, x)), 1e-14);
}

TEST(Net, NamesTheLayerWhereNumbersCeaseToBeFinite) {
  Layout layout;
  const Net net = mlp(layout, "net", {.inputs = 2, .hidden = {3, 3}, .outputs = 1});
  torch::Tensor flat = fresh_parameters(layout, 1, 1, kDouble);
  const torch::Tensor x = torch::ones({1, 4, 2}, kDouble);
  EXPECT_EQ(net.first_not_finite(Parameters(layout, flat), x), "");
  flat[0][layout.slots()[layout.find("net.2.bias")].first] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(net.first_not_finite(Parameters(layout, flat), x), "net.2");
}

TEST(Net, RefusesImagesTooSmallForItsPooling) {
  Layout layout;
  EXPECT_THROW(conv_net(layout, "net", {.height = 4, .width = 4, .filters = {2, 2, 2}, .outputs = 1}), Error);
}

}  // namespace
}  // namespace kullback::deep
