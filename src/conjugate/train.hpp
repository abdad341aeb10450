// Fits a conjugate model: coordinate ascent, stochastic or streaming VI, from several starts, on threads and
// machines. Results do not depend on the number of threads, nor on that of machines beyond rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/ranks.hpp"
#include "conjugate/data.hpp"
#include "conjugate/model.hpp"
#include "conjugate/train_options.hpp"

namespace kullback::conjugate {

// A pass over the data (svi: its mean over the minibatches of the pass).
struct TracePoint {
  std::size_t pass = 0;
  double elbo = 0;
  double seconds = 0;
};

struct StartOutcome {
  double elbo = 0;  // of all data, at the end
  std::size_t passes = 0;
  bool is_converged = false;
  bool is_complete = false;  // false: interrupted
  double largest_fall = 0;   // of the bound between two passes of coordinate ascent, as part of its size
  std::vector<TracePoint> trace = {};
  std::vector<double> state = {};  // of the model
};

struct TrainOutcome {
  std::vector<StartOutcome> starts;
  std::size_t best = 0;
  std::unique_ptr<Model> model;  // of the best start
  Statistics statistics;         // at its end, of all data
  bool is_interrupted = false;
};

struct TrainProgress {
  std::size_t start = 0;
  std::size_t pass = 0;  // whole ones
  double part = 0;       // of the next
  double elbo_per_unit = 0;
};

struct TrainWatch {
  std::function<void(const TrainProgress&)> on_progress = {};  // may be called by several threads in turn
  std::function<bool()> should_stop = {};
};

using MakeModel = std::function<std::unique_ptr<Model>()>;

// `prior`: the state of an earlier fit whose posterior is this fit's prior and start; empty: none. Throws
// Error.
TrainOutcome train(const MakeModel& make, Source& source, const TrainOptions& options, const Ranks& ranks,
                   const TrainWatch& watch = {}, const std::vector<double>& prior = {});

}  // namespace kullback::conjugate
