// Every flow: log-determinants against autograd's Jacobians, inverses, nets that do not mix.
#include "deep/flow/flow.hpp"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>

#include "base/error.hpp"

namespace kullback::deep {
namespace {

constexpr auto kDouble = torch::kFloat64;
constexpr std::int64_t kNets = 2, kDraws = 3, kRows = 4, kDim = 5;

double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

// [nets, draws, rows, dim (of y), dim (of z)]
torch::Tensor jacobian(const std::function<torch::Tensor(const torch::Tensor&)>& map,
                       const torch::Tensor& at) {
  const torch::Tensor z = at.detach().requires_grad_();
  const torch::Tensor y = map(z);
  std::vector<torch::Tensor> rows;
  for (std::int64_t i = 0; i < y.size(-1); ++i)
    rows.push_back(torch::autograd::grad({y.select(-1, i).sum()}, {z}, {}, true)[0]);
  return at::stack(rows, -2);
}

struct Case {
  std::string name;
  std::function<Flow(Layout&)> make;
};

void PrintTo(const Case& of, std::ostream* out) { *out << of.name; }

std::vector<Case> cases() {
  const NeuralFlowSpec spec{.dim = kDim, .layers = 3, .hidden = 8, .context = 2};
  NeuralFlowSpec free = spec;
  free.context = 0;
  return {{"planar", [](Layout&) { return planar_flow(kDim, 3); }},
          {"radial", [](Layout&) { return radial_flow(kDim, 3); }},
          {"sylvester", [](Layout&) { return sylvester_flow(kDim, 2, 3); }},
          {"autoregressive", [=](Layout& layout) { return autoregressive_flow(layout, "q", spec); }},
          {"autoregressive_free", [=](Layout& layout) { return autoregressive_flow(layout, "q", free); }},
          {"coupling", [=](Layout& layout) { return coupling_flow(layout, "q", spec); }},
          {"coupling_free", [=](Layout& layout) { return coupling_flow(layout, "q", free); }}};
}

class EveryFlow : public testing::TestWithParam<Case> {
 protected:
  EveryFlow() : flow_(GetParam().make(layout_)) {
    torch::manual_seed(3);
    flat_ = torch::randn({kNets, layout_.size()}, kDouble) * 0.7;
    z_ = torch::randn({kNets, kDraws, kRows, kDim}, kDouble);
    context_ = torch::randn({kNets, 1, kRows, flow_.context()}, kDouble);
  }

  Flowed forward(const torch::Tensor& z) const {
    return flow_.forward(Parameters(layout_, flat_), z, context_);
  }

  Layout layout_;
  Flow flow_;
  torch::Tensor flat_, z_, context_;
};

TEST_P(EveryFlow, LogDeterminantsAreThoseOfJacobians) {
  const torch::Tensor j = jacobian([&](const torch::Tensor& z) { return forward(z).z; }, z_);
  const torch::Tensor determinant = at::linalg_det(j);
  EXPECT_GT(determinant.min().item<double>(), 0);
  EXPECT_LT(largest_difference(forward(z_).log_det, determinant.log()), 1e-10);
}

TEST_P(EveryFlow, InverseGoesBack) {
  if (!flow_.has_inverse()) {
    EXPECT_THROW(flow_.inverse(Parameters(layout_, flat_), z_, context_), Error);
    return;
  }
  const Flowed there = forward(z_);
  const Flowed back = flow_.inverse(Parameters(layout_, flat_), there.z, context_);
  EXPECT_LT(largest_difference(back.z, z_), 1e-9);
  EXPECT_LT(largest_difference(back.log_det, -there.log_det), 1e-9);
}

TEST_P(EveryFlow, NetsDrawsAndRowsDoNotMix) {
  const Flowed all = forward(z_);
  const std::int64_t net = 1, draw = 2, row = 3;
  const Flowed one = flow_.forward(Parameters(layout_, flat_.narrow(0, net, 1)),
                                   z_.narrow(0, net, 1).narrow(1, draw, 1).narrow(2, row, 1),
                                   context_.narrow(0, net, 1).narrow(2, row, 1));
  EXPECT_LT(largest_difference(one.z[0][0][0], all.z[net][draw][row]), 1e-12);
  EXPECT_LT(largest_difference(one.log_det[0][0][0], all.log_det[net][draw][row]), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Flows, EveryFlow, testing::ValuesIn(cases()),
                         [](const auto& of) { return of.param.name; });

TEST(Flow, PlanarLayersStayInvertibleForAnyContext) {
  torch::manual_seed(4);
  Layout layout;
  const Flow flow = planar_flow(2, 1);
  const Parameters none(layout, torch::zeros({1, 0}, kDouble));
  const torch::Tensor context = 20 * torch::randn({1, 1000, flow.context()}, kDouble);
  const Flowed result = flow.forward(none, torch::randn({1, 1000, 2}, kDouble), context);
  EXPECT_TRUE(at::isfinite(result.log_det).all().item<bool>());
}

TEST(Flow, ZeroContextIsTheIdentity) {
  Layout layout;
  const Parameters none(layout, torch::zeros({1, 0}, kDouble));
  const torch::Tensor z = torch::randn({1, 3, 4}, kDouble);
  for (const Flow& flow : {planar_flow(4, 2), radial_flow(4, 2), sylvester_flow(4, 2, 2)}) {
    const Flowed result = flow.forward(none, z, torch::zeros({1, 3, flow.context()}, kDouble));
    EXPECT_LT(largest_difference(result.z, z), 1e-14);
    EXPECT_LT(result.log_det.abs().max().item<double>(), 1e-14);
  }
}

TEST(Flow, MaskedNetsSeeOnlyWhatIsBefore) {
  torch::manual_seed(5);
  for (const std::int64_t dim : {1, 2, 5}) {
    Layout layout;
    const Flow flow = autoregressive_flow(layout, "q", {.dim = dim, .layers = 1, .hidden = 9, .context = 2});
    const Parameters parameters(layout, torch::randn({1, layout.size()}, kDouble));
    const torch::Tensor z = torch::randn({1, 3, dim}, kDouble), context = torch::randn({1, 3, 2}, kDouble);
    const torch::Tensor j =
        jacobian([&](const torch::Tensor& at) { return flow.forward(parameters, at, context).z; }, z);
    EXPECT_EQ(at::triu(j, 1).abs().max().item<double>(), 0);
    if (dim > 1) {
      EXPECT_GT(at::tril(j, -1).abs().max().item<double>(), 1e-3);
    }
  }
}

TEST(Flow, AContextForAllRowsIsASlot) {
  Layout layout;
  const Flow flow = planar_flow(3, 2);
  const std::size_t slot = add_context_slot(layout, "q.context", flow);
  const Parameters parameters(layout, fresh_parameters(layout, 2, 1, kDouble));
  const torch::Tensor z = torch::randn({2, 4, 5, 3}, kDouble);
  const Flowed result = flow.forward(parameters, z, context_for_all(parameters[slot], z.dim()));
  EXPECT_EQ(result.log_det.sizes(), at::IntArrayRef({2, 4, 5}));
  EXPECT_GT(result.log_det.abs().max().item<double>(), 0);
}

TEST(Flow, CouplingsNeedTwoDimensions) {
  Layout layout;
  EXPECT_THROW(coupling_flow(layout, "p", {.dim = 1}), Error);
}

}  // namespace
}  // namespace kullback::deep
