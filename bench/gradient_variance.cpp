// The variance of gradient estimators of the ELBO on three models, near the mean-field optimum: the trace of
// the covariance of a gradient of 16 draws, in the units of the parameters, and relative to the score
// function.
//   bench_gradient_variance            prints the table of docs/objectives.md
#include <cmath>
#include <cstdio>

#include "fit/loaded_model.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/scheme.hpp"

using namespace kullback;
using namespace kullback::infer;

namespace {

constexpr std::size_t kDraws = 16;
constexpr std::uint32_t kCalls = 1000;
constexpr const char* kEstimators[] = {"score",         "score-loo",         "score-cv", "overdispersed",
                                       "rao-blackwell", "local-expectation", "reparam",  "stl"};

std::vector<double> optimum(density::LogDensity& density, Family& family, const Options& options) {
  const std::size_t dim = density.dim();
  const auto scheme = make_scheme({&density,
                                   &family,
                                   &find_objective("elbo"),
                                   &find_estimator("stl"),
                                   &find_optimizer("adam"),
                                   &options,
                                   {1, 0, 1},
                                   {std::vector<double>(dim, 0.0), std::vector<double>(dim, 0.5), {}}});
  while (scheme->step()) {
  }
  return {scheme->lambda().begin(), scheme->lambda().end()};
}

double variance(Estimator& estimator, const std::vector<double>& lambda, const std::vector<double>& units) {
  std::vector<double> mean(lambda.size(), 0.0);
  double squares = 0;
  Estimate estimate;
  for (std::uint32_t call = 0; call < kCalls; ++call) {
    estimator.estimate(lambda, call, estimate);
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      const double value = estimate.gradient[i] * units[i];
      const double gap = value - mean[i];
      mean[i] += gap / (call + 1);
      squares += gap * (value - mean[i]);
    }
  }
  return squares / (kCalls - 1);
}

void print_model(const std::string& name) {
  const std::string base = std::string(KULLBACK_SOURCE_DIR) + "/examples/" + name;
  fit::Inputs inputs;
  inputs.program = base + ".stan";
  inputs.data = base + ".json";
  const auto program = fit::load_program(inputs);
  auto model = fit::load_model(*program, inputs, {});
  density::LogDensity& density = *model.density;
  const Options options;
  const auto family = find_family("meanfield").make({density.dim(), {}, {}, &options});
  const std::vector<double> lambda = optimum(density, *family, options);
  std::vector<double> units(lambda.size());
  family->units(lambda, units);
  const NoiseSource noise({2, 0, 1}, Sampling::iid, family->noise());
  const auto elbo = find_objective("elbo").make(options);
  double plain = 0;
  for (const char* estimator : kEstimators) {
    const EstimatorSetting setting{&density, family.get(), elbo.get(), &noise, kDraws, &options};
    const EstimatorRecord& record = find_estimator(estimator);
    if (const auto reason = record.refuse(setting)) {
      std::printf("| %s (%zu) | `%s` | refused: %s | |\n", name.c_str(), density.dim(), estimator,
                  reason->c_str());
      continue;
    }
    const double found = variance(*record.make(setting), lambda, units);
    if (plain == 0) plain = found;
    std::printf("| %s (%zu) | `%s` | %.3g | %.2g |\n", name.c_str(), density.dim(), estimator, found,
                found / plain);
  }
}

}  // namespace

int main() {
  std::printf("| model (dimension) | estimator | variance | relative |\n|---|---|---|---|\n");
  for (const char* name : {"eight_schools", "logistic", "counts"}) print_model(name);
}
