// SWAG: a normal distribution with the moments of the parameters in the last part of a training, one point an
// epoch. The iterates are Adam's (Maddox et al. have SGD's), with a rate that falls as a cosine to swag-rate
// until the collection begins and then stays.
#include <numbers>

#include "deep/bnn/posteriors/point.hpp"
#include "deep/bnn/posteriors/swag_moments.hpp"
#include "deep/bnn/seeded_normal.hpp"
#include "deep/counts.hpp"

namespace kullback::deep {

namespace {

constexpr auto kRate = NumberOption("rate", 0.005, "Rate of Adam at the beginning").above(0);
constexpr auto kSwagRate =
    NumberOption("swag_rate", 0.002, "Rate of Adam while points are collected: the larger, the wider")
        .above(0);
constexpr auto kCollectFrom =
    NumberOption("collect_from", 0.5, "The part of the epochs before points are collected").above(0).below(1);
constexpr auto kRank =
    CountOption("rank", 20, "The last points whose deviations are kept").from(2).to(10'000);
constexpr auto kScale = NumberOption("scale", 1, "Factor of the covariance").above(0);
constexpr const OptionRecord* kOptions[] = {&kRate, &kSwagRate, &kCollectFrom, &kRank, &kScale};

PointOptions falling_rate(const OptionValues& values) {
  const double rate = values[kRate], last = values[kSwagRate] / rate, start = values[kCollectFrom];
  return {.rate = rate, .scale = [=](const torch::Tensor& progress) {
            const torch::Tensor part = at::clamp_max(progress / start, 1);
            return last + (1 - last) * (1 + at::cos(part * std::numbers::pi)) / 2;
          }};
}

class Swag final : public Posterior {
 public:
  Swag(const BayesNet& net, const OptionValues& values, const PosteriorStart& start)
      : net_(net),
        seed_(start.seed),
        first_net_(start.first_net),
        collect_from_(values[kCollectFrom]),
        rank_(count_of(values, kRank)),
        scale_(values[kScale]),
        point_(net, falling_rate(values), start),
        moments_(point_.center(), rank_) {}

  torch::Tensor step(const Minibatch& batch) override { return point_.step(batch); }

  void end_epoch(double progress) override {
    if (progress > collect_from_) moments_.collect(point_.center());
  }

  Predictive predict(const torch::Tensor& x, std::int64_t draws) override {
    return predict_draws(net_, draw_parameters(draws), x);
  }

  torch::Tensor draw_parameters(std::int64_t draws) override {
    const torch::Tensor flat = point_.center();
    if (moments_.count() < 2) return flat.unsqueeze(1);
    const auto normal = [&](std::uint32_t index, std::int64_t size) {
      return seeded_normal({.seed = seed_, .index = index, .first_net = first_net_}, flat.size(0),
                           {draws, size}, flat.options());
    };
    return moments_.draw(normal(0, flat.size(1)), normal(1, rank_), scale_);
  }

  torch::Tensor center() override { return moments_.count() < 2 ? point_.center() : moments_.mean(); }

  void visit(const VisitTensor& visit) override {
    point_.visit(visit);
    moments_.visit(visit);
  }

  Findings findings() const override {
    if (moments_.count() >= rank_) return {};
    return {{.code = "few-points",
             .message = "SWAG collected " + std::to_string(moments_.count()) +
                        " points, fewer than its rank of " + std::to_string(rank_) + ".",
             .evidence = "one point is collected an epoch, after the first part of the training",
             .advice = "Give more --epochs, or a smaller --rank."}};
  }

 private:
  const BayesNet& net_;
  std::uint64_t seed_;
  std::int64_t first_net_;
  double collect_from_;
  std::int64_t rank_;
  double scale_;
  Point point_;
  SwagMoments moments_;
};

}  // namespace

extern const PosteriorRecord kSwag;
const PosteriorRecord kSwag{
    .name = "swag",
    .summary = "a normal distribution with the moments of the parameters late in a training",
    .use_when = "You have a training that works and want error bars from it for little more.",
    .citation =
        "Maddox, Garipov, Izmailov, Vetrov, Wilson 2019, A simple baseline for Bayesian uncertainty in deep "
        "learning",
    .options = kOptions,
    .suits_early_stopping = false,
    .make = [](const BayesNet& net, const OptionValues& values, const PosteriorStart& start)
        -> std::unique_ptr<Posterior> { return std::make_unique<Swag>(net, values, start); }};

}  // namespace kullback::deep
