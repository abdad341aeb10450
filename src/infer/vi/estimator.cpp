#include "infer/vi/estimator.hpp"

#include <cmath>
#include <limits>

#include "infer/vi/lookup.hpp"

namespace kullback::infer {

#define KULLBACK_ESTIMATOR(name) const EstimatorRecord& name##_estimator();
#include "infer/vi/estimators.def"
#undef KULLBACK_ESTIMATOR

namespace {

void append(std::vector<double>& to, const std::vector<double>& from, double scale) {
  for (const double value : from) to.push_back(scale * value);
}

}  // namespace

double error_of_mean(std::span<const double> values, Sampling sampling) {
  const bool has_mates = sampling == Sampling::antithetic;
  const std::size_t mate = (values.size() + 1) / 2;
  const std::size_t count =
      has_mates ? values.size() - mate : values.size();  // one without a mate is left out
  if (count < 2 || sampling == Sampling::sobol) return std::numeric_limits<double>::quiet_NaN();
  double mean = 0;
  double squares = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double value = has_mates ? 0.5 * (values[k] + values[k + mate]) : values[k];
    const double gap = value - mean;
    mean += gap / static_cast<double>(k + 1);
    squares += gap * (value - mean);
  }
  return std::sqrt(squares / static_cast<double>(count - 1) / static_cast<double>(count));
}

// Replicates of several draws that are not independent have mates in other replicates: no error is known.
void evaluate_bound(const Objective& objective, const DrawLogs& logs, Sampling sampling, Estimate& estimate,
                    BoundSlopes* slopes) {
  const std::size_t size = objective.draws();
  const std::size_t count = logs.log_p.size() / size;
  const double share = 1 / static_cast<double>(count);
  if (slopes != nullptr) *slopes = {};
  BoundSlopes one;
  std::vector<double> values(count);
  double mean = 0;
  for (std::size_t r = 0; r < count; ++r) {
    values[r] = objective.value({logs.log_p.subspan(r * size, size), logs.log_q.subspan(r * size, size)},
                                slopes == nullptr ? nullptr : &one);
    mean += (values[r] - mean) / static_cast<double>(r + 1);
    if (slopes == nullptr) continue;
    append(slopes->p, one.p, share);
    append(slopes->q, one.q, share);
    append(slopes->q_p, one.q_p, share);
    append(slopes->q_q, one.q_q, share);
  }
  estimate.bound = mean;
  estimate.bound_error = size > 1 && sampling != Sampling::iid ? std::numeric_limits<double>::quiet_NaN()
                                                               : error_of_mean(values, sampling);
}

std::span<const EstimatorRecord* const> estimators() {
  static const std::vector<const EstimatorRecord*> all{
#define KULLBACK_ESTIMATOR(name) &name##_estimator(),
#include "infer/vi/estimators.def"
#undef KULLBACK_ESTIMATOR
  };
  return all;
}

const EstimatorRecord& find_estimator(std::string_view name) {
  return find_record(estimators(), name, "--estimator");
}

}  // namespace kullback::infer
