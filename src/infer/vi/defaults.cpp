// Full rank with natural gradients as long as its triangle is small: on posteriordb's regressions its means
// are within 0.03 posterior standard deviations after 80 to 200 gradients (bench/variational.py). Beyond,
// mean field. Natural gradients are what a mean field takes too where it is asked for in as few coordinates:
// 2 dim + 1 gradients a step are then fewer than those of Adam's steps.
#include "infer/vi/defaults.hpp"

#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kMostFullRank = 256;

bool takes_natural_gradients(std::string_view family) {
  return family == "fullrank" || family == "meanfield";
}

}  // namespace

Preset default_parts(const density::LogDensity& density, const Preset& said, const Options& options) {
  Preset result{density.dim() <= kMostFullRank ? "fullrank" : "meanfield", "elbo", "stl", "adam"};
  const std::string_view family = !said.family.empty()                ? said.family
                                  : !options[option::kFamily].empty() ? options[option::kFamily]
                                                                      : result.family;
  const bool is_elbo = (said.objective.empty() || said.objective == "elbo") &&
                       (options[option::kObjective].empty() || options[option::kObjective] == "elbo");
  const bool has_estimator = !said.estimator.empty() || !options[option::kEstimator].empty();
  const bool has_step_size =
      options[option::kLearningRate] != 0 || options[option::kDecay] != 0;  // natural gradients have none
  if (density.dim() <= kMostFullRank && takes_natural_gradients(family) && is_elbo && !has_estimator &&
      !has_step_size)
    result.optimizer = "natural";
  return result;
}

const EstimatorRecord& default_estimator(const Parts& parts, Family& family, density::LogDensity& density,
                                         const Options& options) {
  if (parts.has_own_scheme() || parts.objective->make == nullptr) return *parts.estimator;
  const auto objective = parts.objective->make(options);
  const EstimatorSetting setting{&density, &family, objective.get(), nullptr, objective->draws(), &options};
  for (const std::string_view name : {"stl", "dreg", "reparam"}) {
    const EstimatorRecord& record = find_estimator(name);
    if (!record.refuse(setting)) return record;
  }
  return *parts.estimator;
}

}  // namespace kullback::infer
