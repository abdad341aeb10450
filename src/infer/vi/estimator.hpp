// Estimators of the gradient of an objective to lambda.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "density/log_density.hpp"
#include "infer/archive.hpp"
#include "infer/options.hpp"
#include "infer/vi/evaluated_draws.hpp"
#include "infer/vi/family.hpp"
#include "infer/vi/noise.hpp"
#include "infer/vi/objective.hpp"

namespace kullback::infer {

struct Estimate {
  bool is_finite = false;        // else the rest means nothing
  double bound = 0;              // of the objective, to be maximised
  double bound_error = 0;        // its Monte-Carlo standard error; NaN where it is not known
  std::vector<double> gradient;  // parameters()
  bool has_new_scale = false;    // the bound is not to be compared with those of earlier estimates
  // By parameter, where some are not to be touched by this step: those of rows that were not drawn.
  std::vector<unsigned char> frozen;
};

// What an estimator is made of. All must outlive it. `objective` is null for objectives that bring their own
// estimator.
struct EstimatorSetting {
  density::LogDensity* density = nullptr;
  Family* family = nullptr;
  const Objective* objective = nullptr;
  const NoiseSource* noise = nullptr;
  std::size_t draws = 1;  // of one gradient: a multiple of objective->draws()
  const Options* options = nullptr;
};

class Estimator {
 public:
  virtual ~Estimator() = default;

  virtual Bias bias() const = 0;
  // At lambda, with the noise of this index: same index, same estimate.
  virtual void estimate(std::span<const double> lambda, std::uint32_t index, Estimate& result) = 0;
  virtual const EvaluatedDraws& draws() const = 0;
  virtual void archive(Archive& archive) = 0;
};

struct EstimatorRecord {
  std::string_view name;     // on the command line: "reparam"
  std::string_view summary;  // one clause
  std::string_view citation;
  OptionTable options;  // that it reads
  // Nothing where the combination makes sense; else a sentence that says why not and what would work.
  std::optional<std::string> (*refuse)(const EstimatorSetting& setting);
  std::unique_ptr<Estimator> (*make)(const EstimatorSetting& setting);
};

// In the order of infer/vi/estimators.def.
std::span<const EstimatorRecord* const> estimators();
// Throws Error usage that lists the names.
const EstimatorRecord& find_estimator(std::string_view name);

// The objective at replicate draws: their mean into the estimate, with its standard error; slopes joined in
// the order of the draws, where they are wanted, as derivatives of that mean.
void evaluate_bound(const Objective& objective, const DrawLogs& logs, Sampling sampling, Estimate& estimate,
                    BoundSlopes* slopes);
// The standard error of the mean of values at draws that one call of NoiseSource::fill made: antithetic
// mates count as one; NaN where there are not two independent values, as with Sobol's draws.
double error_of_mean(std::span<const double> values, Sampling sampling);

}  // namespace kullback::infer
