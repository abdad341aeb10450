// RED-Diff (Mardani, Song, Kautz, Vahdat 2023): the posterior is approximated by a narrow normal around mu,
// and
//   |y - A(mu)|^2 / (2 noise^2) + E_t,e lambda_t sg[e'(z_t) - e] mu,   z_t = alpha mu + sigma e,
// is minimised, where e'(z) = -sigma score(z) is the noise that the network sees in z; sg: without slope.
// Adam does it, with t falling from noise to data, as theirs. Here e comes in pairs e and -e, which take most
// of the noise out of the gradient at the cost of two evaluations, and Adam walks in coordinates in which J^T
// J / noise^2 + I is the unit matrix.
//
// Weights. `score`: lambda_t = alpha / sigma, so that the second term pulls along the score of x + q n, q =
// sigma / alpha: at the end that of x itself, and of a normal posterior mu is the mean. `ratio`: lambda_t =
// sigma / alpha, as in the paper, where the prior fades towards the end.
//
// Particles differ by their starts and by e alone: they are points of high density, and their sd says little.
// With
// --repulsion c each also goes down c grad log q(u_i) (Zilberstein et al. 2024), where q is the density of
// the others by a normal kernel with the bandwidth^2 h^2 = median |u_i - u_j|^2 / (2 log(n + 1)). c = 1 makes
// it the gradient flow of the divergence of q from the posterior.
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "deep/counts.hpp"
#include "deep/diffusion/conditioning/method.hpp"
#include "deep/train/adam.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kSteps = CountOption("steps", 500, "Of Adam, from noise to data").from(1).to(10'000'000);
constexpr auto kRate = NumberOption("rate", 0.1, "Of Adam at the beginning; it falls to 0").above(0);
enum class RedWeight { score, ratio };
constexpr auto kRedWeight = ChoiceOption("red_weight", RedWeight::score, "score|ratio",
                                         "Of the prior at each level; ratio: the paper's");
constexpr auto kPriorWeight =
    NumberOption("prior_weight", 1, "Weight that the prior has beside that").above(0);
constexpr auto kRepulsion =
    NumberOption("repulsion", 0, "Between particles, for diverse answers; 1: as diverse as the posterior")
        .from(0);

constexpr double kFirst = 3;  // noise for data with the sd 1

struct RedDiffOptions {
  std::int64_t steps = 500;
  double rate = 0.1;
  bool weighs_by_ratio = false;
  double prior_weight = 1;
  double repulsion = 0;
};

// grad_i of log q by the kernel density of all particles, made up for what it loses: of a normal with the
// variance s^2 the kernel makes the variance s^2 + h^2, and the particle's own kernel, which has no slope
// there, stands for a share of the sum.
torch::Tensor crowding(const torch::Tensor& u) {
  const std::int64_t n = u.size(0);
  const torch::Tensor square = (u.unsqueeze(1) - u.unsqueeze(0)).square().sum(2);
  const torch::Tensor others = torch::eye(n, square.options().dtype(torch::kBool)).logical_not();
  const torch::Tensor middle = square.masked_select(others).median();
  const torch::Tensor width = (middle / (2 * std::log(static_cast<double>(n) + 1))).clamp_min(1e-12);
  const torch::Tensor share = at::softmax(-square / (2 * width), 1);
  const torch::Tensor variance = u.var(0).mean().clamp_min(1e-12);
  const torch::Tensor of_others = 1 - share.diagonal().mean();
  return (share.mm(u) - u) / width * ((1 + width / variance) / of_others.clamp_min(0.05));
}

class RedDiff final : public Method {
 public:
  explicit RedDiff(RedDiffOptions options) : options_(options) {}

  std::int64_t rows(std::int64_t count) const override { return count; }

  Restored run(const Sde& sde, const Score& score, const Measurement& measurement,
               const RestoreOptions& options) const override {
    refuse_velocity(sde);
    if (options_.repulsion > 0 && options.count < 2)
      throw Error(ErrorKind::usage, "--repulsion needs two draws or more.", "Raise --count.");
    const torch::NoGradGuard no_gradient;
    const Measurement::Metric metric{};
    const std::vector<double> times = falling_times(sde, options);
    // A draw of the posterior if the prior were standard normal and A linear: near where Adam will go.
    const torch::Tensor zero = torch::zeros({1, score.dims()}, measurement.options());
    torch::Tensor u = measurement.times_covariance(measurement.gradient(zero), metric, 0.5) +
                      torch::randn({options.count, score.dims()}, measurement.options());
    Adam adam(u, {.rate = options_.rate, .beta1 = 0.9, .beta2 = 0.99});
    Restored result;
    for (std::int64_t i = 1; i <= options_.steps && !result.is_interrupted; ++i) {
      const double t = times[static_cast<std::size_t>(i)];
      const torch::Tensor mu = measurement.times_covariance(u, metric, 0.5);
      const torch::Tensor uphill = prior_pull(sde, score, mu, t) + measurement.gradient(mu);
      torch::Tensor gradient = -measurement.times_covariance(uphill, metric, 0.5);
      if (options_.repulsion > 0) gradient = gradient + options_.repulsion * crowding(u);
      const auto number = [&](double x) { return torch::full({1}, x, u.options()); };
      const torch::Tensor progress = number(static_cast<double>(i - 1) / static_cast<double>(options_.steps));
      adam.step(u, gradient, number(static_cast<double>(i)), rate_scale(Schedule::cosine, progress));
      check_finite(u, t);
      result.is_interrupted = after_step(options, i, options_.steps);
    }
    result.x = measurement.times_covariance(u, metric, 0.5).unsqueeze(1);
    result.evaluations = 2 * options_.steps;
    return result;
  }

 private:
  // Geometric in sigma / alpha, from kFirst: above it the score says nothing but where the middle is, and
  // repulsion would drive particles out as far as the noise reaches.
  std::vector<double> falling_times(const Sde& sde, const RestoreOptions& options) const {
    const double end = ratio_of(sde, restoring_times(sde, 1, options).back());
    const double first = std::min(kFirst, ratio_of(sde, sde.t_max()));
    std::vector<double> times;
    for (std::int64_t i = 0; i <= options_.steps; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(options_.steps);
      times.push_back(time_of_ratio(sde, first * std::pow(end / first, part)));
    }
    return times;
  }
  // -lambda_t (e'(z+) + e'(z-)) / 2; the e themselves cancel.
  torch::Tensor prior_pull(const Sde& sde, const Score& score, const torch::Tensor& mu, double t) const {
    const torch::Tensor time = time_of(t, mu);
    const Level here = level(sde, time);
    const torch::Tensor alpha = here.alpha.to(mu.scalar_type()), sigma = here.sigma.to(mu.scalar_type());
    const torch::Tensor noise = sigma * torch::randn_like(mu), middle = alpha * mu;
    const torch::Tensor mean = (score.at(middle + noise, time) + score.at(middle - noise, time)) / 2;
    const torch::Tensor weight = options_.weighs_by_ratio ? sigma * (sigma / alpha) : alpha;
    return options_.prior_weight * weight * mean;
  }

  RedDiffOptions options_;
};

constexpr const OptionRecord* kOptions[] = {&kSteps, &kRate, &kRedWeight, &kPriorWeight, &kRepulsion};

}  // namespace

extern const MethodRecord k_red_diff;
const MethodRecord k_red_diff = {.name = "red-diff",
                                 .summary = "Variational RED-Diff: optimisation, for points of high density",
                                 .options = kOptions,
                                 .make = [](const OptionValues& values) -> std::unique_ptr<Method> {
                                   return std::make_unique<RedDiff>(RedDiffOptions{
                                       .steps = count_of(values, kSteps),
                                       .rate = values[kRate],
                                       .weighs_by_ratio = values[kRedWeight] == RedWeight::ratio,
                                       .prior_weight = values[kPriorWeight],
                                       .repulsion = values[kRepulsion]});
                                 }};

}  // namespace kullback::deep::diffusion
