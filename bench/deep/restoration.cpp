// restoration: posteriors of inverse problems whose truth is known, with exact scores. Prints tables; the
// exit code is 1 where a promise is missed.
#include <chrono>
#include <cmath>
#include <cstdio>

#include "tests/diffusion/inverse_problems.hpp"
#include "tests/diffusion/made.hpp"

namespace kullback::deep::diffusion {
namespace {

using Words = GivenTexts;

struct Way {
  const char* label;
  const char* method;
  Words options;
  std::int64_t count = 256;
};

const Way kWays[] = {{"tsmc", "tsmc", {{"particles", "2000"}, {"runs", "16"}}},
                     {"langevin", "langevin", {{"chains", "500"}}},
                     {"red-diff", "red-diff", {}, 16},
                     {"red-diff, repulsion 1", "red-diff", {{"repulsion", "1"}}, 256}};

Restored restored(const InverseProblem& problem, const Way& way, const char* sde_name, double& seconds) {
  const auto sde = make_sde(sde_name);
  const MixtureScore score(*sde, problem.prior);
  at::manual_seed(5);
  const auto began = std::chrono::steady_clock::now();
  const Measurement measurement = problem.measurement();
  Restored found = made_method(way.method, way.options)->run(*sde, score, measurement, {.count = way.count});
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return found;
}

bool normal_table(const char* sde) {
  std::printf(
      "Normal prior, linear operator (%s): largest error of the mean in posterior sds and of the covariance "
      "in "
      "variances, with z: over its standard error\n"
      " problem          method                  mean      z   covariance      z   log p(y)   found       "
      "ESS  "
      "seconds\n",
      sde);
  bool is_kept = true;
  for (int which = 0; which < 3; ++which) {
    const InverseProblem problem = normal_problem(which);
    const Mixture truth = posterior_of(problem);
    for (const Way& way : kWays) {
      double seconds = 0;
      const Restored found = restored(problem, way, sde, seconds);
      const Comparison errors = compare(found, truth);
      const bool is_exact = std::string(way.method) != "red-diff";
      is_kept = is_kept && (!is_exact || (errors.mean_z < 5 && errors.covariance_z < 5)) &&
                (is_exact || way.options.count("repulsion") > 0 || errors.mean_error < 0.02);
      std::printf(" %-16s %-22s %6.3f %6s       %6.3f %6s", problem.name.c_str(), way.label,
                  errors.mean_error, is_exact ? std::to_string(errors.mean_z).substr(0, 4).c_str() : "",
                  errors.covariance_error,
                  is_exact ? std::to_string(errors.covariance_z).substr(0, 4).c_str() : "");
      if (found.log_evidence.defined()) {
        const Evidence evidence = evidence_of(found);
        std::printf("   %8.3f   %7.3f +- %.3f %5.0f of 2000", log_evidence_of(problem), evidence.log_value,
                    evidence.error, *found.last_ess);
      }
      std::printf("  %.1f\n", seconds);
      std::fflush(stdout);
    }
  }
  return is_kept;
}

bool mode_table() {
  const InverseProblem problem = two_mode_problem();
  const double truth = posterior_of(problem).weight[1].item<double>();
  std::printf("Inpainting a target with two modes: share of the right one, exactly %.4f\n", truth);
  bool is_kept = true;
  for (const Way& way : kWays) {
    double seconds = 0;
    const Restored found = restored(problem, way, "vp", seconds);
    const torch::Tensor is_right = (found.x.narrow(2, 0, 1) > 0).to(torch::kFloat64);
    const Average share = average(found, is_right);
    const double value = share.value.item<double>(), error = share.error.item<double>();
    std::printf(" %-22s %.4f +- %.4f (%+.1f standard errors)\n", way.label, value, error,
                (value - truth) / error);
    if (std::string(way.method) == "tsmc") is_kept = std::abs(value - truth) < 3 * error;
  }
  return is_kept;
}

}  // namespace
}  // namespace kullback::deep::diffusion

int main() {
  using namespace kullback::deep::diffusion;
  const bool normals = normal_table("vp"), others = normal_table("ve"), modes = mode_table();
  return normals && others && modes ? 0 : 1;
}
