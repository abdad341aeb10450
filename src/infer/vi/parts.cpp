#include "infer/vi/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "infer/option_text.hpp"

namespace kullback::infer {

namespace {

using Names = std::vector<std::string_view>;

constexpr std::string_view kAlways[] = {"draws", "sampling", "batch_size", "row_sampling", "row_control"};
constexpr std::string_view kParts[] = {"family", "objective", "estimator", "optimizer"};
constexpr std::string_view kAscent[] = {"grad_draws", "max_steps"};
constexpr std::string_view kStepSizes[] = {"learning_rate", "decay"};

void add(Names& names, std::span<const std::string_view> more) {
  for (const std::string_view name : more) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

Names read_by(const Parts& parts) {
  Names names;
  add(names, kAlways);
  add(names, parts.family->options);
  add(names, parts.objective->options);
  add(names, parts.optimizer->options);
  if (parts.has_own_scheme()) return names;
  add(names, parts.estimator->options);
  add(names, kAscent);
  if (parts.optimizer->has_step_size) add(names, kStepSizes);
  return names;
}

template <class Record>
void add_options(Names& names, std::span<const Record* const> records, std::string_view only) {
  for (const Record* record : records) {
    if (only.empty() || record->name == only) add(names, record->options);
  }
}

std::string_view chosen(std::string_view preset, const std::string& given, std::string_view fallback) {
  if (!preset.empty()) return preset;
  return given.empty() ? fallback : std::string_view(given);
}

void refuse_idle_options(const Parts& parts, const Options& options) {
  const Options defaults;
  const Names read = read_by(parts);
  for (const std::string_view name : options_of({})) {
    const bool is_part = std::find(std::begin(kParts), std::end(kParts), name) != std::end(kParts);
    if (is_part || std::find(read.begin(), read.end(), name) != read.end()) continue;
    if (option_text(options, name) == option_text(defaults, name)) continue;
    throw Error(
        ErrorKind::usage,
        fmt::format("{} cannot be used with `--family {} --objective {} --estimator {} --optimizer {}`.",
                    flag_of(name), parts.family->name, parts.objective->name, parts.estimator->name,
                    parts.optimizer->name),
        "Leave it out; `kullback methods vi` says which part reads it.");
  }
}

void refuse_idle_parts(const Parts& parts, const Options& options) {
  const bool objective_estimates = parts.objective->make_estimator != nullptr;
  const std::string_view master = parts.optimizer->make_scheme != nullptr ? "--optimizer " : "--objective ";
  const std::string_view name =
      parts.optimizer->make_scheme != nullptr ? parts.optimizer->name : parts.objective->name;
  if (!options.estimator.empty() && (objective_estimates || parts.has_own_scheme()) &&
      parts.estimator->name != name) {
    throw Error(ErrorKind::usage,
                fmt::format("`--estimator {}` has no effect: `{}{}` brings its own.", options.estimator,
                            master, name),
                "Leave --estimator out.");
  }
  if (!options.optimizer.empty() && parts.optimizer->make_scheme == nullptr &&
      parts.objective->make_scheme != nullptr) {
    throw Error(ErrorKind::usage,
                fmt::format("`--optimizer {}` has no effect: `--objective {}` has updates of its own.",
                            options.optimizer, parts.objective->name),
                "Leave --optimizer out.");
  }
}

}  // namespace

Parts choose_parts(const Preset& preset, const Options& options, const Preset& fallback) {
  const Parts parts{&find_family(chosen(preset.family, options.family, fallback.family)),
                    &find_objective(chosen(preset.objective, options.objective, fallback.objective)),
                    &find_estimator(chosen(preset.estimator, options.estimator, fallback.estimator)),
                    &find_optimizer(chosen(preset.optimizer, options.optimizer, fallback.optimizer))};
  refuse_idle_parts(parts, options);
  refuse_idle_options(parts, options);
  return parts;
}

std::vector<std::string_view> options_of(const Preset& preset) {
  Names names;
  add(names, kAlways);
  if (preset.family.empty()) names.push_back("family");
  if (preset.objective.empty()) names.push_back("objective");
  if (preset.estimator.empty()) names.push_back("estimator");
  if (preset.optimizer.empty()) names.push_back("optimizer");
  add(names, kAscent);
  add(names, kStepSizes);
  add_options(names, families(), preset.family);
  add_options(names, objectives(), preset.objective);
  add_options(names, estimators(), preset.estimator);
  add_options(names, optimizers(), preset.optimizer);
  return names;
}

}  // namespace kullback::infer
