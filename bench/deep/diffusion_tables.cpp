// diffusion_tables [exact|learned|toys]...: diffusion where the truth is known. Prints tables; the exit code
// is 1 where a promise is missed.
//   exact    predictor-corrector against the predictor alone at equal evaluations of an exact score
//   learned  the error of learned scores of mixtures in 2 to 50 dimensions; in 2 at most 1 % of the norm
//   toys     moons, checkerboard and swiss roll: two-sample tests on 40 batches, at most 5 rejections at 5 %,
//   and
//            how many reject data with a tenth of one mode moved to another
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "deep/diffusion/sampler.hpp"
#include "deep/diffusion/training.hpp"
#include "deep/train/train.hpp"
#include "tests/diffusion/targets.hpp"

namespace kullback::deep::diffusion {
namespace {

// A network with its data, trained.
class Trained final {
 public:
  Trained(const Sde& sde, const torch::Tensor& x, std::int64_t steps, std::int64_t batch,
          std::vector<std::int64_t> hidden)
      : sde_(sde), dims_(x.size(1)) {
    NetSpec spec;
    spec.inputs = spec.outputs = dims_;
    spec.hidden = std::move(hidden);
    net_ = make_score_net(layout_, spec);
    flat_ = fresh_parameters(layout_, 1, 1, torch::kFloat32);
    const Network network = this->network();
    const auto objective = make_objective("denoising");
    DiffusionTrainee trainee(network, *objective, layout_, flat_, {.x = x.to(torch::kFloat32)}, {},
                             {.rate = 2e-3, .weighting = &weighting_named("edm"), .averaging = 0.999});
    TrainOptions options;
    options.batch = batch;
    options.epochs = std::max<std::int64_t>(1, steps * batch / x.size(0));
    train(trainee, options, Ranks());
  }

  Network network() const { return {sde_, *net_, parameterisation_named("edm")}; }
  LearnedScore score() const { return {network(), Parameters(layout_, flat_), dims_}; }

 private:
  const Sde& sde_;
  std::int64_t dims_;
  Layout layout_;
  std::unique_ptr<ScoreNet> net_;
  torch::Tensor flat_;
};

bool exact_table() {
  std::printf(
      "Exact score of a mixture, vp: error of the covariance (relative) and of the mean log density (nats), "
      "20,000 "
      "rows\n dims  evaluations   predictor            predictor-corrector\n");
  for (const std::int64_t dims : {2, 10, 50}) {
    const auto sde = make_sde("vp");
    const Mixture mixture = random_mixture(3, dims, 17);
    const MixtureScore score(*sde, mixture);
    at::manual_seed(1);
    const double truth = score.data_log_density(score.draw(200'000)).mean().item<double>();
    for (const std::int64_t evaluations : {40, 100, 200, 400}) {
      std::printf("%5ld  %11ld", static_cast<long>(dims), static_cast<long>(evaluations));
      for (const char* name : {"euler", "pc"}) {
        const auto sampler = make_sampler(name);
        at::manual_seed(2);
        const torch::Tensor start = draw_prior(*sde, 20'000, dims, torch::kFloat64);
        const torch::Tensor x = sampler->run(
            *sde, score, start, {.steps = evaluations / sampler->evaluations(1), .is_denoised = true});
        const torch::Tensor away = x - x.mean(0), exact = covariance_of(mixture);
        const double error = ((away.t().mm(away) / 20'000 - exact).norm() / exact.norm()).item<double>();
        std::printf("   %.4f  %+.4f nats", error, score.data_log_density(x).mean().item<double>() - truth);
      }
      std::printf("\n");
    }
  }
  return true;
}

// sqrt(E sigma^2 |s' - s|^2 / E sigma^2 |s|^2) over times and noised rows.
double score_error(const Sde& sde, const MixtureScore& exact, const Score& learned) {
  const torch::NoGradGuard no_gradient;
  at::manual_seed(99);
  constexpr std::int64_t kRows = 20'000;
  const torch::Tensor t = sde.training_time(torch::rand({kRows}, torch::kFloat64));
  const Coefficients at = sde.at(t);
  const torch::Tensor x = exact.draw(kRows);
  const torch::Tensor state = perturb(at, x, torch::randn_like(x)), truth = exact.at(state, t);
  const torch::Tensor found = learned.at(state.to(torch::kFloat32), t).to(torch::kFloat64);
  const torch::Tensor weight = at.variance.flatten().unsqueeze(1);
  return ((weight * (found - truth).square()).sum() / (weight * truth.square()).sum()).sqrt().item<double>();
}

bool learned_table() {
  std::printf(
      "Learned scores of mixtures of 3 normals, vp, 200,000 rows: relative error on the noise-weighted "
      "norm\n dims  "
      " error\n");
  bool is_kept = true;
  for (const std::int64_t dims : {2, 5, 10, 20, 50}) {
    const auto sde = make_sde("vp");
    const MixtureScore exact(*sde, random_mixture(3, dims, 23));
    at::manual_seed(3);
    const Trained trained(*sde, exact.draw(200'000), 20'000, 1024, {128, 128, 128});
    const double error = score_error(*sde, exact, trained.score());
    if (dims == 2) is_kept = error <= 0.01;
    std::printf("%5ld  %.4f%s\n", static_cast<long>(dims), error,
                dims == 2 ? (is_kept ? "  (kept)" : "  MISSED: 0.01") : "");
    std::fflush(stdout);
  }
  return is_kept;
}

// Points in the plane, sd about 1; `moved`: the part of one mode that is put into another.
torch::Tensor toy(const std::string& name, std::int64_t rows, double moved) {
  const auto number = torch::TensorOptions(torch::kFloat64);
  const torch::Tensor u = torch::rand({rows}, number), noise = torch::randn({rows, 2}, number);
  const torch::Tensor shifts = torch::rand({rows}, number) < moved;
  if (name == "moons") {
    const torch::Tensor upper = torch::rand({rows}, number) < 0.5, is_upper = upper.logical_or(shifts);
    const torch::Tensor a = u * std::numbers::pi;
    const torch::Tensor x = at::where(is_upper, at::cos(a), 1 - at::cos(a)),
                        y = at::where(is_upper, at::sin(a), 0.5 - at::sin(a));
    return (at::stack({x - 0.5, y - 0.25}, 1) + 0.08 * noise) * 1.4;
  }
  if (name == "checkerboard") {
    const torch::Tensor column = (4 * u).floor(), v = torch::rand({rows}, number);
    torch::Tensor half = (2 * torch::rand({rows}, number)).floor();
    half = at::where(shifts, torch::zeros_like(half), half);
    const torch::Tensor y = 2 * half + column.remainder(2) + v;
    return (at::stack({4 * u, y}, 1) - 2) / 1.15;
  }
  const torch::Tensor a = at::where(shifts, 0.2 * u, u);
  const torch::Tensor angle = 1.5 * std::numbers::pi * (1 + 2 * a);
  return at::stack({angle * at::cos(angle), angle * at::sin(angle)}, 1) / 7 + 0.03 * noise;
}

// Squared maximum mean discrepancy with a normal kernel, by 200 permutations: the p value.
double two_sample_p(const torch::Tensor& x, const torch::Tensor& y) {
  const torch::Tensor all = at::cat({x, y});
  const torch::Tensor distance = at::cdist(all, all);
  const torch::Tensor kernel =
      at::exp(-distance.square() / (2 * 0.3 * 0.3)) + at::exp(-distance.square() / 2);
  const std::int64_t n = x.size(0), size = all.size(0);
  const auto statistic = [&](const torch::Tensor& sign) { return sign.dot(kernel.mv(sign)).item<double>(); };
  const torch::Tensor sign =
      at::cat({torch::ones({n}, torch::kFloat64), -torch::ones({size - n}, torch::kFloat64)});
  const double seen = statistic(sign);
  int above = 1;
  for (int i = 0; i < 200; ++i)
    above += statistic(sign.index_select(0, torch::randperm(size, torch::kInt64))) >= seen ? 1 : 0;
  return above / 201.0;
}

int rejections(const torch::Tensor& x, const torch::Tensor& y, std::int64_t batches) {
  int count = 0;
  const std::int64_t rows = x.size(0) / batches;
  for (std::int64_t i = 0; i < batches; ++i)
    count += two_sample_p(x.narrow(0, i * rows, rows), y.narrow(0, i * rows, rows)) <= 0.05 ? 1 : 0;
  return count;
}

bool toy_table() {
  constexpr std::int64_t kBatches = 40, kRows = kBatches * 500;
  std::printf(
      "Two-sample tests (kernel, level 5 %%) on 40 batches of 500: rejections\n data           samples  "
      "moved tenth\n");
  bool is_kept = true;
  for (const char* name : {"moons", "checkerboard", "swiss"}) {
    const auto sde = make_sde("vp");
    at::manual_seed(5);
    const Trained trained(*sde, toy(name, 200'000, 0), 20'000, 1024, {128, 128, 128});
    const LearnedScore score = trained.score();
    at::manual_seed(6);
    const torch::Tensor start = draw_prior(*sde, kRows, 2, torch::kFloat32);
    const torch::Tensor x =
        make_sampler("heun")
            ->run(*sde, score, start, {.steps = 60, .grid = Grid::edm, .is_denoised = true})
            .to(torch::kFloat64);
    const int ours = rejections(x, toy(name, kRows, 0), kBatches),
              moved = rejections(toy(name, kRows, 0.1), toy(name, kRows, 0), kBatches);
    const bool is_good = ours <= 5 && moved >= 20;
    is_kept = is_kept && is_good;
    std::printf(" %-13s  %7d  %11d%s\n", name, ours, moved,
                is_good ? "" : "  MISSED: at most 5, at least 20");
    std::fflush(stdout);
  }
  return is_kept;
}

}  // namespace
}  // namespace kullback::deep::diffusion

int main(int argc, char** argv) {
  using namespace kullback::deep::diffusion;
  std::vector<std::string> parts(argv + 1, argv + argc);
  if (parts.empty()) parts = {"exact", "learned", "toys"};
  bool is_kept = true;
  for (const std::string& part : parts) {
    if (part == "exact") {
      is_kept = exact_table() && is_kept;
    } else if (part == "learned") {
      is_kept = learned_table() && is_kept;
    } else if (part == "toys") {
      is_kept = toy_table() && is_kept;
    } else {
      std::fprintf(stderr, "there is no part '%s': exact, learned, toys\n", part.c_str());
      return 64;
    }
  }
  return is_kept ? 0 : 1;
}
