// Hamiltonian Monte Carlo on all rows (Duane et al. 1987; Neal 1996 for networks): one transition a step.
// Chains are independent and move at once: the length of a trajectory is uniform on `trajectory` *
// (0.5, 1.5), so that no direction returns to where it began each time, in as many leapfrogs as the chain's
// step size needs; a chain that has arrived waits for the others. In the warm-up step sizes are found by dual
// averaging (Hoffman, Gelman 2014) and inverse masses start at the prior's variances and become the variances
// of the draws of two windows.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "deep/bnn/minibatch_gradient.hpp"
#include "deep/bnn/posteriors/kept_draws.hpp"
#include "deep/bnn/posteriors/stochastic_gradient.hpp"
#include "deep/chains/dual_averaging.hpp"
#include "deep/chains/hamiltonian.hpp"
#include "deep/counts.hpp"

namespace kullback::deep {

namespace {

constexpr auto kTrajectory =
    NumberOption("trajectory", 1.57, "Mean length of a transition, in units of the sd of a parameter")
        .above(0);
constexpr auto kMaxLeapfrogs =
    CountOption("max_leapfrogs", 1000, "The most steps of a transition").from(1).to(1'000'000);
constexpr auto kTargetAccept =
    NumberOption("target_accept", 0.8, "Mean acceptance that the step size is adapted to").above(0).below(1);
constexpr auto kWarmUp =
    NumberOption("warm_up", 0.5, "The part of the epochs in which step sizes and masses are adapted")
        .above(0)
        .below(1);
constexpr auto kManyDrawsKept =
    CountOption("draws_kept", 1000, "The most draws that are kept of each chain").from(1).to(100'000);
constexpr const OptionRecord* kOptions[] = {&kTrajectory, &kMaxLeapfrogs, &kTargetAccept, &kWarmUp,
                                            &kManyDrawsKept};

// Inverse masses, [nets, size], from the variances of draws.
class DiagonalMass final {
 public:
  DiagonalMass(const BayesNet& net, const torch::Tensor& flat)
      : inverse(torch::ones_like(flat)),
        mean_(torch::zeros_like(flat)),
        squares_(torch::zeros_like(flat)),
        count_(torch::zeros({1}, torch::kInt64)) {
    const torch::Tensor precisions = net.prior().precisions(net.layout());
    if (precisions.defined()) inverse.copy_((1 / precisions).to(flat.options()).expand_as(flat));
    prior_ = inverse.clone();
  }

  torch::Tensor inverse;

  void add(const torch::Tensor& flat) {
    const auto count = static_cast<double>(++count_.data_ptr<std::int64_t>()[0]);
    const torch::Tensor difference = flat - mean_;
    mean_.add_(difference / count);
    squares_.add_(difference * (flat - mean_));
  }

  // Pulled towards a thousandth of the prior's variance with the weight of 5 draws, as Stan does to 1/1000.
  void finish_window() {
    constexpr double kWeight = 5, kOfPrior = 1e-3;
    const auto count = static_cast<double>(count_.data_ptr<std::int64_t>()[0]);
    if (count >= 10)
      inverse.copy_((count * squares_ / (count - 1) + kWeight * kOfPrior * prior_) / (count + kWeight));
    mean_.zero_();
    squares_.zero_();
    count_.zero_();
  }

  void visit(const VisitTensor& visit) {
    visit("mass.inverse", inverse);
    visit("mass.mean", mean_);
    visit("mass.squares", squares_);
    visit("mass.count", count_);
  }

 private:
  torch::Tensor prior_, mean_, squares_, count_;
};

class Hmc final : public Posterior {
 public:
  Hmc(const BayesNet& net, const OptionValues& values, const PosteriorStart& start)
      : net_(net),
        trajectory_(values[kTrajectory]),
        most_leapfrogs_(static_cast<double>(values[kMaxLeapfrogs])),
        warm_up_(values[kWarmUp]),
        flat_(fresh_parameters(net.layout(), start)),
        steps_(flat_.options(), start.nets, values[kTargetAccept]),
        mass_(net, flat_),
        stage_(torch::zeros({1}, torch::kInt64)),
        sampled_(torch::zeros({start.nets, 3}, torch::kFloat64)),
        kept_(flat_, count_of(values, kManyDrawsKept)) {}

  torch::Tensor step(const Minibatch& batch) override {
    if (batch.step.batch < batch.all_rows) {
      throw Error(ErrorKind::usage,
                  "hmc needs all rows in each step: --batch " + std::to_string(batch.step.batch) +
                      " is smaller than the " + std::to_string(batch.all_rows) +
                      " rows of the training data.",
                  "Give --batch " + std::to_string(batch.all_rows) + ", or take sghmc.");
    }
    const auto [made, loss] = transition(batch);
    const torch::NoGradGuard no_gradient;
    flat_.copy_(at::where(made.is_accepted, made.end, flat_));
    const double progress = batch.step.progress.item<double>();
    if (progress < warm_up_) {
      warm_up(progress / warm_up_, made.acceptance);
    } else {
      if (stage() < kSampling) begin_sampling();
      sampled_.select(1, 0).add_(1);
      sampled_.select(1, 1).add_(made.acceptance.squeeze(1).to(torch::kCPU));
      sampled_.select(1, 2).add_(made.is_divergent.squeeze(1).to(torch::kCPU));
    }
    return loss;
  }

  void end_epoch(double progress) override { kept_.offer(flat_, clock_after(warm_up_, progress)); }

  Predictive predict(const torch::Tensor& x, std::int64_t draws) override {
    return predict_draws(net_, kept_.take(flat_, draws), x);
  }

  torch::Tensor draw_parameters(std::int64_t draws) override { return kept_.take(flat_, draws); }
  torch::Tensor center() override { return flat_; }
  bool is_capturable() const override { return false; }  // the number of leapfrogs is read back

  void visit(const VisitTensor& visit) override {
    visit("flat", flat_);
    steps_.visit(visit);
    mass_.visit(visit);
    visit("stage", stage_);
    visit("sampled", sampled_);
    kept_.visit(visit);
  }

  Findings findings() const override {
    Findings found;
    const torch::Tensor acceptance = sampled_.select(1, 1) / at::clamp_min(sampled_.select(1, 0), 1);
    const double divergences = sampled_.select(1, 2).sum().item<double>(),
                 all = sampled_.select(1, 0).sum().item<double>();
    if (all == 0) {
      found.push_back({"no-draws", "The chains kept no draw: training ended before their warm-up did.",
                       "predictions are those of the last state of each chain", "Give more --epochs."});
      return found;
    }
    if (const double lowest = acceptance.min().item<double>(); lowest < 0.5) {
      found.push_back({"low-acceptance",
                       "A chain of hmc accepted few of its proposals: " +
                           std::to_string(static_cast<int>(100 * lowest)) + " %.",
                       "the step size of the warm-up does not suit where the chain is now",
                       "Give more --epochs, or a larger --target-accept."});
    }
    if (divergences > 0) {
      found.push_back({"divergences",
                       std::to_string(static_cast<std::int64_t>(divergences)) + " of " +
                           std::to_string(static_cast<std::int64_t>(all)) + " transitions of hmc diverged.",
                       "the energy was wrong by more than 1000", "Give a larger --target-accept."});
    }
    return found;
  }

 private:
  enum Stage : std::int64_t { kFirstWindow, kSecondWindow, kLastSteps, kSampling };

  struct Moved {
    Transition made;
    torch::Tensor loss;  // of the start, one number
  };

  Potential potential(const torch::Tensor& flat, const Minibatch& batch) const {
    PlainRule plain;
    auto [loss, gradient] = minibatch_gradient(net_, flat, batch, plain);
    torch::Tensor value = loss.to(torch::kFloat64).unsqueeze(1);
    batch.step.sum->add_up(value);
    const auto rows = static_cast<double>(batch.all_rows);
    return {value * rows, gradient.mul_(rows)};
  }

  Moved transition(const Minibatch& batch) const {
    const Noise& noise = batch.step.noise;
    const auto options = flat_.options();
    const torch::Tensor momentum = noise.normal(flat_.sizes(), options, -1) * mass_.inverse.rsqrt();
    const torch::Tensor lengths = trajectory_ * (0.5 + noise.uniform({flat_.size(0), 1}, options, -1));
    const torch::Tensor uniform = noise.uniform({flat_.size(0), 1}, options.dtype(torch::kFloat64), -1);
    const torch::Tensor step = steps_.step_sizes();
    const torch::Tensor leapfrogs = at::clamp(at::ceil(lengths / step), 1, most_leapfrogs());
    Transition made =
        hamiltonian_transition([&](const torch::Tensor& flat) { return potential(flat, batch); }, flat_,
                               {.momentum = momentum,
                                .inverse_mass = mass_.inverse,
                                .step = step,
                                .leapfrogs = leapfrogs,
                                .most = static_cast<std::int64_t>(leapfrogs.max().item<double>()),
                                .uniform = uniform});
    const torch::Tensor loss =
        made.before.value.mean() * (batch.step.share / static_cast<double>(batch.all_rows));
    return {.made = std::move(made), .loss = loss};
  }

  // While masses are the prior's and step sizes are looked for, long trajectories are not worth their price.
  double most_leapfrogs() const {
    constexpr double kEarly = 50;
    const bool is_early = stage_.data_ptr<std::int64_t>()[0] == kFirstWindow;
    return is_early ? std::min(kEarly, most_leapfrogs_) : most_leapfrogs_;
  }

  std::int64_t& stage() { return stage_.data_ptr<std::int64_t>()[0]; }

  // `part` of the warm-up is done.
  void warm_up(double part, const torch::Tensor& acceptance) {
    constexpr double kSettled = 0.15, kFirstEnd = 0.45, kSecondEnd = 0.9;
    steps_.update(acceptance);
    if (part >= kSettled && part < kSecondEnd) mass_.add(flat_);
    if ((stage() == kFirstWindow && part >= kFirstEnd) || (stage() == kSecondWindow && part >= kSecondEnd)) {
      mass_.finish_window();
      steps_.restart();
      ++stage();
    }
  }

  void begin_sampling() {
    steps_.finish();
    stage() = kSampling;
  }

  const BayesNet& net_;
  double trajectory_, most_leapfrogs_, warm_up_;
  torch::Tensor flat_;
  DualAveraging steps_;
  DiagonalMass mass_;
  torch::Tensor stage_;
  torch::Tensor sampled_;  // [nets, 3]: transitions after the warm-up, sums of their acceptance, divergences
  KeptDraws kept_;
};

}  // namespace

extern const PosteriorRecord kHmc;
const PosteriorRecord kHmc{
    .name = "hmc",
    .summary = "draws by Hamiltonian Monte Carlo on all rows, several chains",
    .use_when =
        "The net and the data are small and you want the posterior itself; an epoch is one transition.",
    .citation =
        "Neal 1996, Bayesian learning for neural networks; Hoffman, Gelman 2014, The No-U-Turn sampler",
    .options = kOptions,
    .members = 4,
    .suits_early_stopping = false,
    .needs_all_rows = true,
    .suits_short_products = false,
    .make = [](const BayesNet& net, const OptionValues& values, const PosteriorStart& start)
        -> std::unique_ptr<Posterior> { return std::make_unique<Hmc>(net, values, start); }};

}  // namespace kullback::deep
