// Scores learned from draws of mixtures, against the exact ones. Networks are trained at log-normal levels of
// noise with EDM's weighting and parameterisation, by Adam with a cosine rate, and the running mean of their
// parameters is kept.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/ranks.hpp"
#include "bench/deep/diffusion/tables.hpp"
#include "deep/diffusion/training.hpp"
#include "deep/train/train.hpp"
#include "tests/diffusion/targets.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr std::int64_t kRows = 1'000'000, kBatch = 1024, kSteps = 6000, kReports = 100;

class Trained final {
 public:
  Trained(const Sde& sde, const torch::Tensor& x, std::int64_t units);

  LearnedScore score() const { return {network(), Parameters(layout_, flat_), dims_}; }
  double seconds() const { return seconds_; }

 private:
  Network network() const { return {sde_, *net_, parameterisation_named("edm")}; }

  const Sde& sde_;
  std::int64_t dims_;
  Layout layout_;
  std::unique_ptr<ScoreNet> net_;
  torch::Tensor flat_;
  double seconds_ = 0;
};

Trained::Trained(const Sde& sde, const torch::Tensor& x, std::int64_t units) : sde_(sde), dims_(x.size(1)) {
  NetSpec spec;
  spec.inputs = spec.outputs = dims_;
  spec.hidden = std::vector<std::int64_t>(3, units);
  net_ = make_score_net(layout_, spec);
  flat_ = fresh_parameters(layout_, 1, 1, torch::kFloat32);
  const Network network = this->network();
  const auto objective = make_objective("denoising");
  DiffusionTrainee trainee(network, *objective, layout_, flat_, {.x = x.to(torch::kFloat32)}, {},
                           {.rate = 5e-3,
                            .times = TimesKind::lognormal,
                            .weighting = &weighting_named("edm"),
                            .averaging = 0.999});
  TrainOptions options;
  options.batch = kBatch;
  options.epochs = kSteps * kBatch / x.size(0);
  options.seed = 1;
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::int64_t done = 0;
  TrainWatch watch;
  watch.should_stop = [&] {
    if (++done % (kSteps / kReports) == 0)
      show_progress(fmt::format("learned score in {} dimensions: {} of {} steps, {} s", dims_, done, kSteps,
                                static_cast<int>(seconds())));
    return is_interrupted();
  };
  const TrainOutcome outcome = train(trainee, options, Ranks(), watch);
  stop_if_interrupted();
  if (!outcome.failure.empty()) throw Error(ErrorKind::internal, outcome.failure);
  show_progress("");
  seconds_ = seconds();
}

// sqrt(E sigma^2 |s' - s|^2 / E sigma^2 |s|^2) over uniform times and noised rows.
double score_error(const Sde& sde, const MixtureScore& exact, const Score& learned) {
  const torch::NoGradGuard no_gradient;
  at::manual_seed(99);
  double error = 0, size = 0;
  for (int batch = 0; batch < 20; ++batch) {
    const torch::Tensor t = sde.training_time(torch::rand({5'000}, torch::kFloat64));
    const Coefficients at = sde.at(t);
    const torch::Tensor x = exact.draw(t.size(0));
    const torch::Tensor state = perturb(at, x, torch::randn_like(x)), truth = exact.at(state, t);
    const torch::Tensor found = learned.at(state.to(torch::kFloat32), t).to(torch::kFloat64);
    const torch::Tensor weight = at.variance.flatten().unsqueeze(1);
    error += (weight * (found - truth).square()).sum().item<double>();
    size += (weight * truth.square()).sum().item<double>();
  }
  return std::sqrt(error / size);
}

}  // namespace

bool learned_table() {
  std::printf(
      "Learned scores of mixtures of 3 normals, vp, 1,000,000 rows, 6,000 steps of 1,024: relative error on "
      "the\n"
      "noise-weighted norm, sqrt(E sigma^2 |s' - s|^2 / E sigma^2 |s|^2) over uniform times (in 2 dimensions "
      "at\n"
      "most 0.01)\n"
      "  dims   hidden        error   training\n");
  bool is_kept = true;
  for (const std::int64_t dims : {2, 5, 10, 20, 50}) {
    const std::int64_t units = dims == 2 ? 64 : 128;
    const auto sde = make_sde("vp");
    const MixtureScore exact(*sde, random_mixture(3, dims, 23));
    at::manual_seed(3);
    const Trained trained(*sde, exact.draw(kRows), units);
    const double error = score_error(*sde, exact, trained.score());
    if (dims == 2) is_kept = error <= 0.01;
    std::printf("  %4ld   %-11s   %.4f   %6.0f s%s\n", static_cast<long>(dims),
                fmt::format("{},{},{}", units, units, units).c_str(), error, trained.seconds(),
                dims == 2 ? fmt::format("   {}", verdict(is_kept)).c_str() : "");
    std::fflush(stdout);
  }
  std::printf("\n");
  return is_kept;
}

}  // namespace kullback::deep::diffusion
