// Small networks on rows of a known table, and what a training step may not do.
#include "deep/discrete/training.hpp"

#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "deep/discrete/net_denoiser.hpp"
#include "deep/train/train.hpp"
#include "tests/discrete/tables.hpp"

namespace kullback::deep::discrete {
namespace {

struct Learner {
  explicit Learner(const std::string& name, const Table& table,
                   const std::map<std::string, std::string>& options = {})
      : process(make_process(name, {.space = table.space, .number = torch::kFloat32},
                             read_options(process_named(name).options, options, name))) {
    net = diffusion::make_score_net(layout, net_spec({.hidden = {64, 64}}, *process, table.space.dims()));
    flat = fresh_parameters(layout, 1, 1, torch::kFloat32);
  }
  NetDenoiser denoiser() const { return {*process, *net, Parameters(layout, flat)}; }

  std::unique_ptr<Process> process;
  Layout layout;
  std::unique_ptr<diffusion::ScoreNet> net;
  torch::Tensor flat;
};

struct Case {
  std::string name;
  std::map<std::string, std::string> options;
  std::int64_t epochs;
  std::int64_t steps;  // of its samples
};

class Trained : public testing::TestWithParam<Case> {};

// Sum over the table of p log(p / share) of samples, less what its estimate is on average too large.
double divergence(const Table& table, const torch::Tensor& x) {
  const torch::Tensor counts = table.counts(x);
  const torch::Tensor share = (counts + 0.5) / (counts + 0.5).sum();
  const double excess = static_cast<double>(table.states() - 1) / (2 * static_cast<double>(x.size(0)));
  return (table.p * (table.p / share).log()).sum().item<double>() - excess;
}

TEST_P(Trained, FindsTheTable) {
  const Case& c = GetParam();
  const Table table = random_table({4, 3, 3}, 12);
  Learner learner(c.name, table, c.options);
  at::manual_seed(1);
  DiscreteTrainee trainee(*learner.process, *learner.net, learner.layout, learner.flat, table.draw(20'000),
                          {}, {.rate = 0.004, .averaging = 0.998, .seed = 1});
  const Ranks alone;
  train(trainee, {.epochs = c.epochs, .batch = 512, .seed = 1}, alone);
  at::manual_seed(2);
  const torch::Tensor fresh = table.draw(4000);
  const torch::Tensor bound = bounds(*learner.process, learner.denoiser(), fresh, 8);
  const torch::Tensor gap = table.p.log().index_select(0, table.index_of(fresh)) - bound;
  const double error = gap.std().item<double>() / std::sqrt(4000.0);
  RecordProperty("gap", std::to_string(gap.mean().item<double>()));
  EXPECT_LT(gap.mean().item<double>(), 0.05 + 3 * error);
  EXPECT_GT(gap.mean().item<double>(), -4 * error);
  const torch::NoGradGuard no_gradient;
  const torch::Tensor x = learner.process->draw(learner.denoiser(), 10'000, {.steps = c.steps});
  const double kl = divergence(table, x);
  std::printf("%s: bound %.4f below, se %.4f; KL of samples %.4f\n", c.name.c_str(),
              gap.mean().item<double>(), error, kl);
  EXPECT_LT(kl, 0.03);
}

INSTANTIATE_TEST_SUITE_P(
    All, Trained,
    testing::Values(Case{"masked", {}, 50, 3}, Case{"blackout", {}, 130, 100},
                    Case{"glauber", {{"sweeps", "3"}}, 50, 1},
                    Case{"glauber", {{"sweeps", "3"}, {"heat_bath_loss", "classification"}}, 50, 1},
                    Case{"flow", {}, 60, 100}),
    [](const auto& info) { return info.param.name + (info.param.options.size() > 1 ? "_by_classes" : ""); });

// A step is captured as a CUDA graph: nothing in it may read back a number, or have sizes that depend on
// values.
TEST(Step, ReadsNothingBack) {
  const std::set<std::string> forbidden = {
      "aten::item",       "aten::_local_scalar_dense", "aten::nonzero",  "aten::masked_select", "aten::equal",
      "aten::is_nonzero", "aten::unique_consecutive",  "aten::_unique2", "aten::bincount"};
  static std::set<std::string>* found = nullptr;
  std::set<std::string> names;
  found = &names;
  const auto handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback([](const at::RecordFunction& fn) -> std::unique_ptr<at::ObserverContext> {
        found->insert(fn.name());
        return nullptr;
      }).scopes({at::RecordScope::FUNCTION}));
  const Table table = random_table({4, 3, 3}, 12);
  for (const ProcessRecord* record : processes()) {
    Learner learner{std::string(record->name), table};
    learner.flat.requires_grad_();
    const torch::Tensor x = table.rows;
    names.clear();
    learner.process->loss(learner.denoiser(), x, Noise()).sum().backward();
    EXPECT_GT(names.size(), 10);
    for (const std::string& name : forbidden) EXPECT_EQ(names.count(name), 0) << record->name << " " << name;
    EXPECT_TRUE(learner.flat.grad().defined() && learner.flat.grad().abs().sum().item<double>() > 0);
  }
  at::removeCallback(handle);
}

// Images: the same states through a U-net.
TEST(Net, ImagesGoThroughAUnet) {
  const Table table{.space = {std::vector<std::int64_t>(64, 3)}, .rows = {}, .p = {}};
  for (const ProcessRecord* record : processes()) {
    const auto process = make_process(std::string(record->name), {.space = table.space});
    Layout layout;
    const auto net =
        diffusion::make_score_net(layout, net_spec({.channels = 1,
                                                    .height = 8,
                                                    .width = 8,
                                                    .architecture = diffusion::NetArchitecture::unet,
                                                    .filters = {8, 8}},
                                                   *process, 64));
    const NetDenoiser denoiser(*process, *net,
                               Parameters(layout, fresh_parameters(layout, 1, 1, torch::kFloat32)));
    const torch::Tensor x = torch::randint(3, {5, 64}, torch::kInt64);
    EXPECT_TRUE(process->loss(denoiser, x, Noise()).isfinite().all().item<bool>()) << record->name;
  }
}

}  // namespace
}  // namespace kullback::deep::discrete
