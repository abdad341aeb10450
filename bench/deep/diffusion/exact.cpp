// Exact scores of mixtures of normals: nothing is learned, all errors are those of the solvers.
#include <fmt/format.h>

#include <cstdio>

#include "base/interrupt.hpp"
#include "bench/deep/diffusion/tables.hpp"
#include "deep/diffusion/likelihood.hpp"
#include "tests/diffusion/exact_checks.hpp"

namespace kullback::deep::diffusion {

namespace {

struct LikelihoodCase {
  const char* sde;
  std::int64_t components;
};

bool likelihood_table() {
  std::printf(
      "Log likelihood through the probability flow: largest error of 8 rows, nats (at most 0.05)\n"
      "  sde      normals   2 dims   10 dims   50 dims\n");
  bool is_kept = true;
  for (const LikelihoodCase& c :
       {LikelihoodCase{"vp", 1}, {"vp", 3}, {"ve", 3}, {"sub-vp", 3}, {"edm", 3}, {"flow", 3}, {"ddpm", 3}}) {
    std::printf("  %-7s  %7ld", c.sde, static_cast<long>(c.components));
    for (const std::int64_t dims : {2, 10, 50}) {
      stop_if_interrupted();
      show_progress(fmt::format("likelihood, {}, {} dimensions", c.sde, dims));
      const auto sde = make_sde(c.sde);
      const MixtureScore score(*sde, random_mixture(c.components, dims, 7));
      const torch::Tensor x = score.draw(8);
      const Likelihood found = log_likelihood(*sde, score, x,
                                              {.ode = {.relative = 1e-5, .absolute = 1e-5},
                                               .t_min = std::min(1e-5, sde->t_min()),
                                               .wants_ode_error = false});
      const double error = largest(found.log_density - score.data_log_density(x));
      is_kept = is_kept && error <= 0.05;
      show_progress("");
      std::printf("   %7.5f", error);
      std::fflush(stdout);
    }
    std::printf("\n");
  }
  std::printf("  %s\n\n", verdict(is_kept));
  return is_kept;
}

struct OrderCase {
  const char* sampler;
  const char* sde;
  double promised;
};

bool order_table() {
  std::printf(
      "Order of convergence by regression over 4 doublings of the steps, mixtures of 3 (euler: the "
      "covariance\n"
      "of normal data, without random numbers)\n  sampler   sde      promised   2 dims   10 dims   50 "
      "dims\n");
  bool is_kept = true;
  const std::vector<double> steps = {80, 160, 320, 640, 1280};
  for (const OrderCase& c : {OrderCase{"euler", "vp", 1},
                             {"euler", "sub-vp", 1},
                             {"heun", "vp", 2},
                             {"heun", "sub-vp", 2},
                             {"ddim", "vp", 1},
                             {"ddim", "flow", 1}}) {
    std::printf("  %-8s  %-7s  %8.0f", c.sampler, c.sde, c.promised);
    for (const std::int64_t dims : {2, 10, 50}) {
      stop_if_interrupted();
      const std::string name = c.sampler;
      const double found = order(steps, name == "euler" ? euler_errors(c.sde, dims, steps)
                                                        : flow_errors(c.sampler, c.sde, dims, steps));
      is_kept = is_kept && std::abs(found - c.promised) <= 0.15;
      std::printf("   %6.3f ", found);
      std::fflush(stdout);
    }
    std::printf("\n");
  }
  std::printf("  %s (within 0.15)\n\n", verdict(is_kept));
  return is_kept;
}

struct MomentCase {
  const char* sampler;
  const char* sde;
  std::int64_t steps;
  Grid grid = Grid::uniform;
};

bool moment_table() {
  constexpr std::int64_t kRows = 4000;
  std::printf(
      "Means and covariances of 4,000 samples, mixtures of 3: largest error in standard errors (at most 5)\n"
      "  sampler    sde      evaluations   2 dims   10 dims   50 dims\n");
  bool is_kept = true;
  for (const MomentCase& c : {MomentCase{"euler", "vp", 1000},
                              {"euler", "ve", 1000},
                              {"ancestral", "vp", 500},
                              {"pc", "vp", 500},
                              {"heun", "vp", 60, Grid::edm},
                              {"heun", "edm", 60, Grid::edm},
                              {"heun", "flow", 60},
                              {"ddim", "vp", 500, Grid::log_ratio},
                              {"rk45", "sub-vp", 1},
                              {"langevin", "ve", 150, Grid::log_ratio}}) {
    const auto sampler = make_sampler(c.sampler);
    const std::string name = c.sampler;
    const std::int64_t evaluations = name == "rk45" ? 0 : sampler->evaluations(c.steps);
    std::printf("  %-9s  %-7s  %11s", c.sampler, c.sde,
                evaluations == 0 ? "adaptive" : std::to_string(evaluations).c_str());
    for (const std::int64_t dims : {2, 10, 50}) {
      stop_if_interrupted();
      const auto sde = make_sde(c.sde);
      const Mixture mixture = random_mixture(3, dims, 11);
      const MixtureScore score(*sde, mixture);
      at::manual_seed(3);
      const torch::Tensor start = draw_prior(*sde, kRows, dims, torch::kFloat64);
      SampleOptions options{.steps = c.steps, .grid = c.grid};
      options.should_stop = is_interrupted;
      options.on_step = [&](std::int64_t done, std::int64_t steps, const torch::Tensor&) {
        show_progress(
            fmt::format("moments, {}, {} dimensions: {} of {} steps", c.sampler, dims, done, steps));
      };
      const torch::Tensor x = sampler->run(*sde, score, start, options);
      stop_if_interrupted();
      const double error = moment_error(x, mixture);
      is_kept = is_kept && error <= 5;
      show_progress("");
      std::printf("   %6.2f ", error);
      std::fflush(stdout);
    }
    std::printf("\n");
  }
  std::printf("  %s\n\n", verdict(is_kept));
  return is_kept;
}

// Errors of samples from 0 evaluations on: of their covariance, and of the mean of the data's log density.
void corrector_table() {
  constexpr std::int64_t kRows = 20'000;
  std::printf(
      "Predictor (euler) and predictor-corrector (pc) at equal evaluations, vp, mixtures of 3, 20,000 "
      "samples:\n"
      "relative error of the covariance, and error of the mean log density in nats\n"
      "  dims   evaluations   euler              pc\n");
  for (const std::int64_t dims : {2, 10, 50}) {
    const auto sde = make_sde("vp");
    const Mixture mixture = random_mixture(3, dims, 17);
    const MixtureScore score(*sde, mixture);
    const torch::Tensor exact = covariance_of(mixture);
    at::manual_seed(1);
    const double truth = score.data_log_density(score.draw(200'000)).mean().item<double>();
    for (const std::int64_t evaluations : {40, 100, 200, 400}) {
      std::printf("  %4ld   %11ld", static_cast<long>(dims), static_cast<long>(evaluations));
      for (const char* name : {"euler", "pc"}) {
        const auto sampler = make_sampler(name);
        at::manual_seed(2);
        const torch::Tensor start = draw_prior(*sde, kRows, dims, torch::kFloat64);
        const torch::Tensor x =
            sampler->run(*sde, score, start,
                         {.steps = evaluations / sampler->evaluations(1), .should_stop = is_interrupted});
        stop_if_interrupted();
        const torch::Tensor away = x - x.mean(0);
        const double error =
            ((away.t().mm(away) / static_cast<double>(kRows) - exact).norm() / exact.norm()).item<double>();
        std::printf("   %.4f  %+.4f", error, score.data_log_density(x).mean().item<double>() - truth);
        std::fflush(stdout);
      }
      std::printf("\n");
    }
  }
  std::printf("\n");
}

}  // namespace

bool exact_tables() {
  const bool has_likelihood = likelihood_table(), has_order = order_table(), has_moments = moment_table();
  corrector_table();
  return has_likelihood && has_order && has_moments;
}

}  // namespace kullback::deep::diffusion
