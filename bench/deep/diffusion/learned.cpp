// Scores learned from draws of mixtures, against the exact ones.
#include <cstdio>

#include "base/filled.hpp"
#include "bench/deep/diffusion/tables.hpp"
#include "tests/diffusion/targets.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr std::int64_t kRows = 1'000'000;

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
      "Learned scores of mixtures of 3 normals, vp, 1,000,000 rows: relative error on the noise-weighted "
      "norm,\n"
      "sqrt(E sigma^2 |s' - s|^2 / E sigma^2 |s|^2) over uniform times (at most 0.01 in 2 dimensions)\n"
      "  dims    error   training\n");
  bool is_kept = true;
  for (const std::int64_t dims : {2, 5, 10, 20, 50}) {
    const auto sde = make_sde("vp");
    const MixtureScore exact(*sde, random_mixture(3, dims, 23));
    at::manual_seed(3);
    const torch::Tensor x = exact.draw(kRows);
    const bool is_plane = dims == 2;
    const Trained trained(make_sde("vp"), x,
                          {.hidden = std::vector<std::int64_t>(3, is_plane ? 64 : 128), .steps = 10'000},
                          filled("learned score, {} dimensions", dims));
    const double error = score_error(trained.sde(), exact, trained.score());
    if (is_plane) is_kept = error <= 0.01;
    std::printf("  %4ld   %.4f   %5.0f s%s\n", static_cast<long>(dims), error, trained.seconds(),
                is_plane ? filled("  {}", verdict(is_kept)).c_str() : "");
    std::fflush(stdout);
  }
  std::printf("\n");
  return is_kept;
}

}  // namespace kullback::deep::diffusion
