// Objectives, parameterisations, times, guidance and the learned schedule.
#include "deep/diffusion/training.hpp"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "base/ranks.hpp"
#include "deep/train/train.hpp"
#include "tests/diffusion/exact_checks.hpp"
#include "tests/diffusion/made.hpp"

namespace kullback::deep::diffusion {
namespace {

constexpr double kTime = 0.3;

// For the parameterisation `score` at one time: a times a known score, plus b times the tangens hyperbolicus
// of the state. The least loss is at a = 1, b = 0.
class KnownNet final : public ScoreNet {
 public:
  KnownNet(Layout& layout, const Sde& sde, const MixtureScore& score)
      : slot_(layout.add({.name = "a and b", .shape = {2}})), score_(score) {
    const Level here = level(sde, at_time(kTime));
    scale_ = (here.alpha.square() + here.sigma.square()).sqrt().item<double>();
  }
  torch::Tensor forward(const Parameters& parameters, const torch::Tensor& x, const torch::Tensor&,
                        const torch::Tensor&) const override {
    const torch::Tensor state = x * scale_, by = parameters[slot_].squeeze(0);
    return by[0] * score_.at(state, at_time(kTime)) + by[1] * at::tanh(state);
  }

 private:
  std::size_t slot_;
  const MixtureScore& score_;
  double scale_ = 1;
};

using Words = GivenTexts;

struct Known {
  explicit Known(Mixture mixture)
      : sde(make_sde("sub-vp")), score(*sde, std::move(mixture)), net(layout, *sde, score) {}

  // With the weight 1 of errors of the score. [rows]
  torch::Tensor loss(const char* objective, const Words& options, const torch::Tensor& flat,
                     std::int64_t rows) const {
    const Coefficients at = sde->at(torch::full({rows}, kTime, torch::kFloat64));
    const torch::Tensor x = score.draw(rows);
    const Noise noise;
    return made_objective(objective, options)
        ->loss({.network = {*sde, net, parameterisation_named("score")},
                .parameters = Parameters(layout, flat),
                .at = at,
                .x = x,
                .normal = torch::randn_like(x),
                .label = {},
                .weight = (at.mean.flatten() / at.variance.flatten()).square(),
                .noise = noise});
  }

  std::unique_ptr<Sde> sde;
  MixtureScore score;
  Layout layout;
  KnownNet net;
};

struct ObjectiveCase {
  const char* name;
  Words options;
};
const ObjectiveCase kObjectives[] = {
    {"denoising", {}}, {"explicit", {}}, {"explicit", {{"exact_dims", "0"}}}, {"sliced", {{"slices", "2"}}}};

TEST(Objectives, ShareTheirMinimum) {
  const Known known(random_mixture(3, 2, 1));
  for (const ObjectiveCase& c : kObjectives) {
    at::manual_seed(6);
    std::vector<torch::Tensor> at_minimum, beside;
    for (int batch = 0; batch < 40; ++batch) {
      const auto gradient = [&](double a, double b) {
        const torch::Tensor flat = torch::tensor({{a, b}}, torch::kFloat64).requires_grad_();
        return torch::autograd::grad({known.loss(c.name, c.options, flat, 2000).mean()}, {flat})[0].flatten();
      };
      at_minimum.push_back(gradient(1, 0));
      beside.push_back(gradient(1.2, 0.2));
    }
    const auto in_errors = [](const std::vector<torch::Tensor>& gradients) {
      const torch::Tensor all = at::stack(gradients);
      return all.mean(0) / (all.std(0) / std::sqrt(static_cast<double>(all.size(0))));
    };
    EXPECT_LT(largest(in_errors(at_minimum)), 5) << c.name;
    EXPECT_GT(in_errors(beside).abs().min().item<double>(), 5) << c.name;  // the test can fail
  }
}

// Data N(0, 0.5) in 2 dimensions: states have the variance C and the score -z / C. With a times that score
// the losses have the means 2 (a^2 - 2 a) / C; the denoising one has 2 / sigma^2 more.
TEST(Objectives, HaveTheirValueForNormalData) {
  constexpr std::int64_t kRows = 100'000;
  Mixture normal = random_mixture(1, 2, 1);
  normal.covariance = 0.5 * torch::eye(2, torch::kFloat64).unsqueeze(0);
  const Known known(normal);
  const Level here = level(*known.sde, at_time(kTime));
  const double variance = here.sigma.square().item<double>(),
               c = 0.5 * here.alpha.square().item<double>() + variance;
  for (const double a : {1.0, 0.6}) {
    for (const ObjectiveCase& objective : kObjectives) {
      at::manual_seed(7);
      const torch::Tensor loss =
          known.loss(objective.name, objective.options, torch::tensor({{a, 0.0}}, torch::kFloat64), kRows);
      const double more = std::string(objective.name) == "denoising" ? 2 / variance : 0;
      const double error = loss.std().item<double>() / std::sqrt(static_cast<double>(kRows));
      EXPECT_NEAR(loss.mean().item<double>(), 2 * (a * a - 2 * a) / c + more, 5 * error + 1e-9)
          << objective.name;
      EXPECT_LT(error, 0.1) << objective.name;
    }
  }
}

struct Truth {
  torch::Tensor x, n, z;
  Level at;
};

Truth draw_truth(const Sde& sde) {
  at::manual_seed(8);
  const torch::Tensor t = sde.training_time(torch::rand({50}, torch::kFloat64));
  Truth truth{.x = torch::randn({50, 2}, torch::kFloat64),
              .n = torch::randn({50, 2}, torch::kFloat64),
              .z = {},
              .at = level(sde, t)};
  truth.z = truth.at.alpha.unsqueeze(1) * truth.x + truth.at.sigma.unsqueeze(1) * truth.n;
  return truth;
}

// A network that gives what its parameterisation names gives the data.
TEST(Parameterisations, MeanWhatTheySay) {
  const auto sde = make_sde("flow");
  const Truth truth = draw_truth(*sde);
  const torch::Tensor alpha = truth.at.alpha.unsqueeze(1), sigma = truth.at.sigma.unsqueeze(1);
  const std::map<std::string, torch::Tensor> outputs = {{"noise", truth.n},
                                                        {"data", truth.x},
                                                        {"score", -truth.n / sigma},
                                                        {"velocity", alpha * truth.n - sigma * truth.x},
                                                        {"flow", truth.n - truth.x}};
  for (const auto& [name, output] : outputs) {
    const Scaling by = parameterisation_named(name).scaling(truth.at);
    const torch::Tensor data = by.skip.unsqueeze(1) * truth.z + by.out.unsqueeze(1) * output;
    EXPECT_LT(largest(data - truth.x), 1e-9) << name;
  }
}

// Karras et al. 2022, table 1, with data of sd 1, at z / alpha with the noise r.
TEST(Parameterisations, EdmIsTheirs) {
  const auto sde = make_sde("vp");
  const Truth truth = draw_truth(*sde);
  const Scaling by = parameterisation_named("edm").scaling(truth.at);
  const torch::Tensor r = truth.at.sigma / truth.at.alpha;
  EXPECT_LT(largest(by.skip * truth.at.alpha - 1 / (r.square() + 1)), 1e-12);
  EXPECT_LT(largest(by.out - r / (r.square() + 1).sqrt()), 1e-12);
  const torch::Tensor weight = weighting_named("edm").weight(truth.at, {});
  EXPECT_LT(largest(weight * by.out.square() - 1), 1e-9);
}

TEST(Weightings, AreErrorsOfWhatTheyName) {
  const auto sde = make_sde("vp");
  at::manual_seed(9);
  const torch::Tensor t = sde->training_time(torch::rand({50}, torch::kFloat64));
  const Coefficients here = sde->at(t);
  const Level at = level(*sde, t);
  const torch::Tensor diffusion = here.diffusion.flatten(), error = torch::randn({50}, torch::kFloat64);
  // Of the data by `error`; what follows from z = alpha x + sigma n with the same z.
  const torch::Tensor of_noise = -at.alpha / at.sigma * error;
  const std::map<std::string, torch::Tensor> costs = {
      {"noise", of_noise.square()},
      {"data", error.square()},
      {"velocity", (at.alpha * of_noise - at.sigma * error).square()},
      {"likelihood", diffusion / 2 * (of_noise / at.sigma).square()}};
  for (const auto& [name, cost] : costs)
    EXPECT_LT(largest(weighting_named(name).weight(at, diffusion) * error.square() / cost - 1), 1e-9) << name;
}

// E f(t) / density(t) is the integral of f, here of 1 + t.
TEST(Times, InverseDensityIsThat) {
  constexpr std::int64_t kRows = 200'000;
  const auto sde = made_sde("edm", {{"sigma_min", "0.02"}, {"sigma_max", "10"}});
  const RatioTable table(*sde);
  const double low = sde->t_min(), exact = (1 - low) + (1 - low * low) / 2;
  for (const TimesKind kind : {TimesKind::uniform, TimesKind::log_ratio, TimesKind::lognormal}) {
    at::manual_seed(10);
    const DrawnTimes times = draw_times(*sde, kind, table, torch::rand({kRows}, torch::kFloat64));
    const torch::Tensor each = (1 + times.t) * times.inverse;
    const double error = each.std().item<double>() / std::sqrt(static_cast<double>(kRows));
    EXPECT_NEAR(each.mean().item<double>(), exact, 5 * error) << static_cast<int>(kind);
    EXPECT_LT(error, 0.05) << static_cast<int>(kind);
    EXPECT_GE(times.t.min().item<double>(), low);
    EXPECT_LE(times.t.max().item<double>(), 1);
  }
}

TEST(Guidance, IsTheDifferenceOfScores) {
  const auto sde = make_sde("vp");
  Layout layout;
  NetSpec spec;
  spec.inputs = spec.outputs = 2;
  spec.labels = 3;
  spec.hidden = {16, 16};
  const auto net = make_score_net(layout, spec);
  const Parameters parameters(layout, fresh_parameters(layout, 1, 2, torch::kFloat64));
  const Network network{*sde, *net, parameterisation_named("edm")};
  at::manual_seed(11);
  const torch::Tensor state = torch::randn({4, 2}, torch::kFloat64), t = at_time(0.4).expand({4});
  const torch::Tensor label =
      torch::eye(3, torch::kFloat64).index_select(0, torch::tensor({0, 1, 2, 0}, torch::kInt64));
  const auto score = [&](const torch::Tensor& given) {
    return predicted_score(network, parameters, sde->at(t), state, given);
  };
  const torch::Tensor given = score(label), free = score(torch::zeros_like(label));
  EXPECT_GT(largest(given - free), 0.01);
  const auto guided = [&](double w) { return LearnedScore(network, parameters, 2, label, w).at(state, t); };
  EXPECT_EQ(largest(guided(0) - given), 0);
  EXPECT_LT(largest(guided(1.5) - (given + 1.5 * (given - free))), 1e-12);
}

struct TrainedNet {
  TrainedNet(const char* sde_name, const torch::Tensor& x, Training options, std::int64_t steps)
      : sde(make_sde(sde_name)) {
    NetSpec spec;
    spec.inputs = spec.outputs = x.size(1);
    spec.hidden = {32, 32};
    net = make_score_net(layout, spec);
    sde->add_parameters(layout);
    flat = fresh_parameters(layout, 1, 1, torch::kFloat32);
    sde->start(Parameters(layout, flat));
    network = std::make_unique<Network>(Network{*sde, *net, parameterisation_named("edm")});
    const auto objective = make_objective("denoising");
    DiffusionTrainee trainee(*network, *objective, layout, flat, {.x = x.to(torch::kFloat32)}, {}, options);
    TrainOptions train_options;
    train_options.batch = 256;
    train_options.epochs = steps * 256 / x.size(0);
    train(trainee, train_options, Ranks());
  }

  std::unique_ptr<Sde> sde;
  Layout layout;
  std::unique_ptr<ScoreNet> net;
  torch::Tensor flat;
  std::unique_ptr<Network> network;
};

TEST(Training, FindsTheScore) {
  const auto sde = make_sde("vp");
  const MixtureScore exact(*sde, random_mixture(3, 2, 23));
  at::manual_seed(3);
  const TrainedNet trained(
      "vp", exact.draw(25'600),
      {.rate = 5e-3, .times = TimesKind::lognormal, .weighting = &weighting_named("edm")}, 1000);
  const torch::NoGradGuard no_gradient;
  const torch::Tensor t = sde->training_time(torch::rand({5000}, torch::kFloat64));
  const Coefficients at = sde->at(t);
  const torch::Tensor x = exact.draw(5000), state = perturb(at, x, torch::randn_like(x));
  const torch::Tensor truth = exact.at(state, t);
  const torch::Tensor found = LearnedScore(*trained.network, Parameters(trained.layout, trained.flat), 2)
                                  .at(state.to(torch::kFloat32), t);
  const torch::Tensor weight = at.variance.flatten().unsqueeze(1);
  const double error =
      ((weight * (found - truth).square()).sum() / (weight * truth.square()).sum()).sqrt().item<double>();
  EXPECT_LT(error, 0.04);
}

// Data of a small sd, so that losses differ much between levels of noise.
TEST(Training, ALearnedScheduleRisesAndItsLossVariesLess) {
  at::manual_seed(12);
  const torch::Tensor x = torch::randn({12'800, 2}, torch::kFloat64);
  const TrainedNet trained("learned", x, {.rate = 5e-3, .weighting = &weighting_named("likelihood")}, 1000);
  const torch::NoGradGuard no_gradient;
  const auto variance_with = [&](const torch::Tensor& flat) {
    const Parameters parameters(trained.layout, flat);
    const auto sde = trained.sde->with(parameters);
    const torch::Tensor t = torch::linspace(0, 1, 500, torch::kFloat64);
    const Coefficients along = sde->at(t);
    const torch::Tensor ratio = at::log(along.variance.flatten() / along.mean.flatten().square());
    EXPECT_GT((ratio.narrow(0, 1, 499) - ratio.narrow(0, 0, 499)).min().item<double>(), 0);
    at::manual_seed(13);
    const Coefficients at = sde->at(torch::rand({x.size(0)}, torch::kFloat64));
    const Noise noise;
    const torch::Tensor loss =
        make_objective("denoising")
            ->loss({.network = {*sde, *trained.net, parameterisation_named("edm")},
                    .parameters = parameters,
                    .at = at,
                    .x = x.to(torch::kFloat32),
                    .normal = torch::randn({x.size(0), 2}),
                    .label = {},
                    .weight = weighting_named("likelihood")
                                  .weight({.alpha = at.mean.flatten(), .sigma = at.variance.flatten().sqrt()},
                                          at.diffusion.flatten()),
                    .noise = noise});
    return std::pair(loss.mean().item<double>(), loss.var().item<double>());
  };
  torch::Tensor straight = trained.flat.clone();  // the same network and ends, the shares as they were
  const Slot& shares = trained.layout.slots()[trained.sde->variance_slots().at(0)];
  straight.narrow(1, shares.first, shares.size).zero_();
  const auto [before_mean, before] = variance_with(straight);
  const auto [after_mean, after] = variance_with(trained.flat);
  EXPECT_LT(after, 0.8 * before);
  const double error = std::sqrt((before + after) / static_cast<double>(x.size(0)));
  EXPECT_NEAR(after_mean, before_mean, 5 * error);  // the bound does not depend on the way
}

// Ends that training has swapped are still a schedule.
TEST(Training, ALearnedScheduleRisesWhateverItsEnds) {
  const auto sde = make_sde("learned");
  Layout layout;
  sde->add_parameters(layout);
  const torch::Tensor flat = torch::zeros({1, layout.size()}, torch::kFloat64);
  const Parameters parameters(layout, flat);
  parameters[0].select(1, 0).fill_(3);
  parameters[0].select(1, 1).fill_(-2);
  const torch::Tensor variance =
      sde->with(parameters)->at(torch::linspace(0, 1, 100, torch::kFloat64)).variance.flatten();
  EXPECT_GT((variance.narrow(0, 1, 99) - variance.narrow(0, 0, 99)).min().item<double>(), 0);
}

}  // namespace
}  // namespace kullback::deep::diffusion
