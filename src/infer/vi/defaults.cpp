// Full rank as long as its triangle is small against the work of the gradients that it needs.
#include "infer/vi/defaults.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kMostFullRank = 100;

}  // namespace

Preset default_parts(const density::LogDensity& density, const Preset&, const Options&) {
  return {density.dim() <= kMostFullRank ? "fullrank" : "meanfield", "elbo", "stl", "adam"};
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
