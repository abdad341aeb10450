// How lambda is found, iteration by iteration: stochastic ascent for most, updates of their own for some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/finding.hpp"
#include "density/log_density.hpp"
#include "infer/archive.hpp"
#include "infer/options.hpp"
#include "infer/vi/family.hpp"
#include "infer/vi/noise.hpp"
#include "infer/vi/objective.hpp"

namespace kullback::infer {

class SubsampledDensity;
struct EstimatorRecord;
struct OptimizerRecord;

struct TraceRow {
  std::uint64_t iteration = 0;
  std::uint64_t gradients = 0;  // evaluations of log p with gradient so far
  double bound = 0;             // as people read it: Objective::sign() applied
  double error = 0;             // Monte-Carlo standard error of the bound
  double step_size = 0;
};

class Scheme {
 public:
  virtual ~Scheme() = default;

  // One iteration; false where it has finished: nothing was done. A step that makes lambda or the bound not
  // finite is undone and counted; after repeated failures throws Error that has the density's message.
  virtual bool step() = 0;
  // Finished without an answer that it vouches for.
  virtual bool has_stalled() const { return false; }
  // The answer so far, averaged where the scheme averages.
  virtual std::span<const double> lambda() const = 0;
  // A Gaussian to draw from in place of the family's member, where the scheme knows a better covariance.
  virtual const GaussianGuess* drawn_from() const { return nullptr; }
  virtual Bias bias() const = 0;
  virtual std::uint64_t gradients() const = 0;
  virtual std::uint64_t evaluations() const = 0;  // of log p without gradient
  virtual std::span<const TraceRow> trace() const = 0;
  virtual Findings findings() const = 0;
  virtual void archive(Archive& archive) = 0;
};

// The parts, by record. All must outlive the scheme.
struct SchemeSetting {
  density::LogDensity* density = nullptr;
  Family* family = nullptr;
  const ObjectiveRecord* objective = nullptr;
  const EstimatorRecord* estimator = nullptr;  // null: left to the objective or the optimiser
  const OptimizerRecord* optimizer = nullptr;
  const Options* options = nullptr;
  NoiseName noise;
  GaussianGuess guess;
  SubsampledDensity* subsampled = nullptr;  // the density behind `density`, where it is one by minibatches
  bool has_row_factors = false;             // some factors of the family belong to rows
};

// The scheme of the optimiser, else of the objective, else stochastic ascent. Throws Error usage, in a
// sentence that says what would work, where the parts make no sense together.
std::unique_ptr<Scheme> make_scheme(const SchemeSetting& setting);

void archive_trace(Archive& archive, std::vector<TraceRow>& trace);

}  // namespace kullback::infer
