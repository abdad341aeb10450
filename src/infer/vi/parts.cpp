#include "infer/vi/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

using Table = std::vector<const OptionRecord*>;

constexpr const OptionRecord* kAlways[] = {&option::kDraws, &option::kSampling, &option::kBatchSize,
                                           &option::kRowSampling, &option::kRowControl};
constexpr const OptionRecord* kParts[] = {&option::kFamily, &option::kObjective, &option::kEstimator,
                                          &option::kOptimizer};
constexpr const OptionRecord* kAscent[] = {&option::kGradDraws, &option::kMaxSteps};
constexpr const OptionRecord* kStepSizes[] = {&option::kLearningRate, &option::kDecay};

void add(Table& table, OptionTable more) {
  for (const OptionRecord* option : more) {
    if (std::find(table.begin(), table.end(), option) == table.end()) table.push_back(option);
  }
}

Table read_by(const Parts& parts) {
  Table table;
  add(table, kAlways);
  add(table, parts.family->options);
  add(table, parts.objective->options);
  add(table, parts.optimizer->options);
  if (parts.has_own_scheme()) return table;
  add(table, parts.estimator->options);
  add(table, kAscent);
  if (parts.optimizer->has_step_size) add(table, kStepSizes);
  return table;
}

template <class Record>
void add_options(Table& table, std::span<const Record* const> records, std::string_view only) {
  for (const Record* record : records) {
    if (only.empty() || record->name == only) add(table, record->options);
  }
}

std::string_view chosen(std::string_view preset, std::string_view given, std::string_view fallback) {
  if (!preset.empty()) return preset;
  return given.empty() ? fallback : given;
}

void refuse_idle_options(const Parts& parts, const Options& options) {
  const Table read = read_by(parts);
  for (const OptionRecord* option : options_of({})) {
    const bool is_part = std::find(std::begin(kParts), std::end(kParts), option) != std::end(kParts);
    if (is_part || std::find(read.begin(), read.end(), option) != read.end()) continue;
    if (options.is_default(*option)) continue;
    throw Error(
        ErrorKind::usage,
        fmt::format("{} cannot be used with `--family {} --objective {} --estimator {} --optimizer {}`.",
                    flag_of(option->name), parts.family->name, parts.objective->name, parts.estimator->name,
                    parts.optimizer->name),
        "Leave it out; `kullback methods vi` says which part reads it.");
  }
}

void refuse_idle_parts(const Parts& parts, const Options& options) {
  const bool objective_estimates = parts.objective->make_estimator != nullptr;
  const std::string_view master = parts.optimizer->make_scheme != nullptr ? "--optimizer " : "--objective ";
  const std::string_view name =
      parts.optimizer->make_scheme != nullptr ? parts.optimizer->name : parts.objective->name;
  if (!options[option::kEstimator].empty() && (objective_estimates || parts.has_own_scheme()) &&
      parts.estimator->name != name) {
    throw Error(ErrorKind::usage,
                fmt::format("`--estimator {}` has no effect: `{}{}` brings its own.",
                            options[option::kEstimator], master, name),
                "Leave --estimator out.");
  }
  if (!options[option::kOptimizer].empty() && parts.optimizer->make_scheme == nullptr &&
      parts.objective->make_scheme != nullptr) {
    throw Error(ErrorKind::usage,
                fmt::format("`--optimizer {}` has no effect: `--objective {}` has updates of its own.",
                            options[option::kOptimizer], parts.objective->name),
                "Leave --optimizer out.");
  }
}

}  // namespace

Parts choose_parts(const Preset& preset, const Options& options, const Preset& fallback) {
  const Parts parts{
      &find_family(chosen(preset.family, options[option::kFamily], fallback.family)),
      &find_objective(chosen(preset.objective, options[option::kObjective], fallback.objective)),
      &find_estimator(chosen(preset.estimator, options[option::kEstimator], fallback.estimator)),
      &find_optimizer(chosen(preset.optimizer, options[option::kOptimizer], fallback.optimizer))};
  refuse_idle_parts(parts, options);
  refuse_idle_options(parts, options);
  return parts;
}

std::vector<const OptionRecord*> options_of(const Preset& preset) {
  Table table;
  add(table, kAlways);
  if (preset.family.empty()) table.push_back(&option::kFamily);
  if (preset.objective.empty()) table.push_back(&option::kObjective);
  if (preset.estimator.empty()) table.push_back(&option::kEstimator);
  if (preset.optimizer.empty()) table.push_back(&option::kOptimizer);
  add(table, kAscent);
  add(table, kStepSizes);
  add_options(table, families(), preset.family);
  add_options(table, objectives(), preset.objective);
  add_options(table, estimators(), preset.estimator);
  add_options(table, optimizers(), preset.optimizer);
  return table;
}

}  // namespace kullback::infer
