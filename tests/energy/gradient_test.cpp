// Must show: a machine with 12 hidden units, whose likelihood and slope are exact, against what each training
// takes for the slope. With 9 visible units there are 512 states, so that the distribution of the chains is a
// vector, and a sweep two products with matrices: what a training expects of its slope is known without
// noise. All are asked at the same parameters, along the path of the exact training; persistent chains follow
// the path.
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstdio>
#include <vector>

#include "deep/train/adam.hpp"
#include "tests/energy/toy.hpp"

namespace kullback::deep {
namespace {

constexpr std::int64_t kSide = 3, kVisible = kSide * kSide, kHidden = 12;

BuiltEbm machine(std::int64_t visible, const Told& training) {
  return BuiltEbm(
      toy_model(visible, {"rbm", {{"hidden_units", std::to_string(kHidden)}}}, {"gibbs"}, training),
      torch::kCPU);
}

// The sweep of all states at given parameters.
class Sweep final {
 public:
  explicit Sweep(const BuiltEbm& built) {
    const torch::NoGradGuard no_gradient;
    const Parameters parameters = built.parameters();
    const Layout& layout = built.energy().layout();
    const torch::Tensor w = parameters[layout.find("weight")][0];
    const torch::Tensor v = all_states(kVisible), h = all_states(kHidden);
    hidden_ = chances(v.matmul(w.t()) + parameters[layout.find("hidden_bias")][0], h);
    visible_ = chances(h.matmul(w) + parameters[layout.find("visible_bias")][0], v);
  }

  torch::Tensor moved(torch::Tensor shares, int sweeps) const {
    shares = shares.to(torch::kFloat32);
    for (int i = 0; i < sweeps; ++i) shares = shares.matmul(hidden_).matmul(visible_);
    return shares.to(torch::kFloat64);
  }

 private:
  // Of each state of independent bits with log odds `field` [from, bits]: [from, to].
  static torch::Tensor chances(const torch::Tensor& field, const torch::Tensor& states) {
    const torch::Tensor odds = field.to(torch::kFloat32);
    return odds.matmul(states.to(torch::kFloat32).t()).sub_(at::softplus(odds).sum(1, true)).exp_();
  }

  torch::Tensor hidden_, visible_;  // in single precision: they are large
};

torch::Tensor shares_of(const torch::Tensor& rows) {
  const torch::Tensor number =
      (rows * torch::pow(2.0, torch::arange(rows.size(1), torch::kFloat64))).sum(1).to(torch::kInt64);
  return at::bincount(number, {}, std::int64_t{1} << rows.size(1)).to(torch::kFloat64) /
         static_cast<double>(rows.size(0));
}

// The slope of mean E(data) - mean E(chains), chains with these shares of all states.
torch::Tensor expected_slope(BuiltEbm& built, const torch::Tensor& data, const torch::Tensor& chains) {
  const torch::Tensor flat = built.flat().detach().requires_grad_();
  const Parameters parameters(built.energy().layout(), flat);
  const torch::Tensor energies = built.energy()(parameters, all_states(kVisible));
  return torch::autograd::grad({((data - chains) * energies).sum()}, {flat})[0];
}

torch::Tensor model_shares(const BuiltEbm& built) {
  const torch::NoGradGuard no_gradient;
  return at::softmax(-built.energy()(built.parameters(), all_states(kVisible)), 0);
}

torch::Tensor base_shares(const BuiltEbm& built) {
  const torch::NoGradGuard no_gradient;
  return at::softmax(-built.energy().at(built.parameters(), all_states(kVisible), 0), 0);
}

struct Method {
  const char* name;
  torch::Tensor shares = {};     // of the chains
  double error = 0, cosine = 0;  // means over places
};

TEST(Gradients, OfEachTrainingAgainstTheLikelihoods) {
  const torch::Tensor data = bars_and_stripes(kSide), of_data = shares_of(data);
  ASSERT_EQ(data.size(0), 14);
  BuiltEbm built = machine(kVisible, {"exact"});
  built.start(data);
  std::vector<Method> methods = {{"CD-1"},
                                 {"CD-10"},
                                 {"persistent, 1 sweep"},
                                 {"persistent, 10 sweeps"},
                                 {"short runs, 10 sweeps"},
                                 {"weighted, 1 sweep"}};
  methods[2].shares = methods[3].shares = methods[5].shares = base_shares(built);
  torch::Tensor before = base_shares(built).log();  // of the model, up to a constant
  Adam adam(built.flat(), {.rate = 0.03});
  const torch::Tensor one = torch::ones({}, torch::kFloat64);
  int places = 0;
  constexpr int kSteps = 200, kEvery = 20;
  for (int step = 1; step <= kSteps; ++step) {
    const Sweep sweep(built);
    const torch::Tensor slope = expected_slope(built, of_data, model_shares(built));
    methods[2].shares = sweep.moved(methods[2].shares, 1);
    methods[3].shares = sweep.moved(methods[3].shares, 10);
    const torch::Tensor now = model_shares(built).log();
    const torch::Tensor by_weight = methods[5].shares * (now - before).exp();
    methods[5].shares = sweep.moved(by_weight / by_weight.sum(), 1);
    before = now;
    if (step % kEvery == 0) {
      ++places;
      methods[0].shares = sweep.moved(of_data, 1);
      methods[1].shares = sweep.moved(of_data, 10);
      methods[4].shares = sweep.moved(base_shares(built), 10);
      for (Method& method : methods) {
        const torch::Tensor estimate = expected_slope(built, of_data, method.shares);
        method.error += ((estimate - slope).norm() / slope.norm()).item<double>();
        method.cosine +=
            (estimate * slope).sum().item<double>() / (estimate.norm() * slope.norm()).item<double>();
      }
    }
    const torch::NoGradGuard no_gradient;
    adam.step(built.flat(), slope, one * step, one);
  }
  std::printf(
      "\nexpected slopes of a machine of 9 visible and 12 hidden units, at %d places of the exact "
      "training\n%-24s %14s %8s\n",
      places, "", "relative error", "cosine");
  for (Method& method : methods) {
    method.error /= places;
    method.cosine /= places;
    std::printf("%-24s %14.3f %8.3f\n", method.name, method.error, method.cosine);
  }
  EXPECT_LT(methods[1].error, methods[0].error);  // CD: more sweeps
  EXPECT_LT(methods[3].error, methods[2].error);  // persistent: more sweeps
  EXPECT_LT(methods[3].error, methods[1].error);  // 10 sweeps: chains that persist
  EXPECT_GT(methods[3].cosine, methods[0].cosine);
  EXPECT_GT(methods[3].cosine, 0.9);
  EXPECT_LT(methods[5].error, 1e-3);  // weights: exact, but for the noise of finitely many chains
}

// The program's own slopes are those, within the noise of their chains.
TEST(Gradients, OfTheProgramAreWhatIsExpected) {
  const torch::Tensor data = bars_and_stripes(kSide), of_data = shares_of(data);
  BuiltEbm built = machine(kVisible, {"exact"});
  built.start(data);
  at::manual_seed(32);
  built.flat().copy_(0.8 * torch::randn_like(built.flat()));
  const torch::Tensor rows = data.repeat({3000, 1});
  const Sweep sweep(built);
  const auto check = [&](const std::string& name, const Words& options, const torch::Tensor& shares,
                         double noise) {
    const EnergyTrainingRecord* record = find_energy_training(name);
    const auto training = record->make(read_options(record->options, options, "a part"), built.energy());
    const torch::Tensor flat = built.flat().detach().requires_grad_();
    const Parameters parameters(built.energy().layout(), flat), fixed = built.parameters();
    const EnergyLoss loss = training->loss({.energy = built.energy(),
                                            .parameters = parameters,
                                            .fixed = fixed,
                                            .x = rows,
                                            .sampler = built.sampler()});
    const torch::Tensor slope = torch::autograd::grad({loss.loss}, {flat})[0];
    const double error = (slope - expected_slope(built, of_data, shares)).abs().max().item<double>();
    EXPECT_LE(error, noise) << name;
  };
  // Numbers in [0, 1] have sds of at most 0.5.
  const double noise = 5 * 0.5 / std::sqrt(static_cast<double>(rows.size(0)));
  check("cd", {{"chain_steps", "2"}}, sweep.moved(of_data, 2), noise);
  check("short-run", {{"chain_steps", "3"}}, sweep.moved(base_shares(built), 3), noise);
  check("persistent", {{"chain_steps", "1"}, {"chains", std::to_string(rows.size(0))}},
        sweep.moved(base_shares(built), 1), noise);
  check("exact", {}, model_shares(built), 1e-10);
}

// The parameters go to a machine with steep energies in a few steps, with one sweep each: chains that persist
// lag behind, chains with weights are the model's, whatever the steps were.
TEST(Gradients, WeightsMakeUpForWhatChainsHaveNotFollowed) {
  const torch::Tensor data = bars_and_stripes(kSide), of_data = shares_of(data), rows = data.repeat({100, 1});
  BuiltEbm built = machine(kVisible, {"exact"});
  built.start(data);
  at::manual_seed(33);
  const torch::Tensor end = 1.2 * torch::randn_like(built.flat());
  constexpr int kSteps = 10;
  const auto error = [&](const std::string& name) {
    const EnergyTrainingRecord* record = find_energy_training(name);
    const Words options{{"chain_steps", "1"}, {"chains", "20000"}};
    const auto training = record->make(read_options(record->options, options, "a part"), built.energy());
    built.flat().zero_();
    training->begin(built.energy(), built.parameters());
    torch::Tensor slope;
    for (int step = 1; step <= kSteps; ++step) {
      built.flat().copy_(end * (static_cast<double>(step) / kSteps));
      const torch::Tensor flat = built.flat().detach().requires_grad_();
      const Parameters parameters(built.energy().layout(), flat), fixed = built.parameters();
      const EnergyLoss loss = training->loss({.energy = built.energy(),
                                              .parameters = parameters,
                                              .fixed = fixed,
                                              .x = rows,
                                              .sampler = built.sampler()});
      slope = torch::autograd::grad({loss.loss}, {flat})[0];
    }
    EXPECT_EQ(training->chains().size(0), 20'000);
    return (slope - expected_slope(built, of_data, model_shares(built))).abs().max().item<double>();
  };
  const double lagging = error("persistent"), weighted = error("weighted");
  EXPECT_LT(weighted, 5 * 0.5 / std::sqrt(20'000 * 0.3));  // at least 0.3 of the chains count
  EXPECT_GT(lagging, 2 * weighted);
}

// A machine trained by each: the likelihood that it reaches, exactly.
TEST(Gradients, WhatEachTrainingReaches) {
  const torch::Tensor data = bars_and_stripes(4);
  const auto reached = [&](const Told& training) {
    BuiltEbm built = machine(16, training);
    EXPECT_EQ(train_toy(built, data.repeat({10, 1}), {.epochs = 250, .batch = 100, .rate = 0.01}).failure,
              "");
    return exact_log_likelihood(built, data);
  };
  const double exact = reached({"exact"}), persistent = reached({"persistent"}),
               weighted = reached({"weighted"}), cd1 = reached({"cd"});
  std::printf(
      "\nlog likelihood of 16 visible units after 750 steps: exact %.3f, persistent %.3f, weighted %.3f, "
      "CD-1 %.3f "
      "(best: %.3f)\n",
      exact, persistent, weighted, cd1, -std::log(30.0));
  EXPECT_GT(exact, persistent);
  EXPECT_GT(weighted, cd1 + 0.03);
  EXPECT_GT(persistent, cd1 + 0.03);
  EXPECT_LT(exact, -std::log(30.0));
}

}  // namespace
}  // namespace kullback::deep
