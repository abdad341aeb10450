// Fits a conjugate model: coordinate ascent, stochastic or streaming VI, from several starts, on threads and
// machines. Results do not depend on the number of threads, nor on that of machines beyond rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "conjugate/data.hpp"
#include "conjugate/model.hpp"

namespace kullback::conjugate {

enum class Method {
  cavi,       // all units, then each block of q(theta) to its optimum
  svi,        // minibatches, then a step of natural gradient (Hoffman, Blei, Wang, Paisley 2013)
  streaming,  // piece after piece, each piece's posterior the prior of the next (Broderick et al. 2013)
};

enum class StepRule { robbins_monro, adam };
enum class UnitSampling { uniform, importance };

struct TrainOptions {
  Method method = Method::cavi;
  std::size_t passes = 500;     // over the data, at most
  double tolerance = 1e-6;      // cavi: ends when a pass raises the bound by less than this part of its size
  std::size_t first_steps = 1;  // cavi of data in memory: steps of the first pass
  std::size_t batch = 1024;     // svi: units of a minibatch; streaming: of a piece
  double delay = 10;            // svi: step t has length (delay + t)^-forgetting
  double forgetting = 0.7;
  StepRule step_rule = StepRule::robbins_monro;
  double rate = 0.02;  // of Adam
  UnitSampling sampling = UnitSampling::uniform;
  std::size_t polish =
      2;  // svi of data in memory: passes of cavi at the end, which remove what noise is left
  std::size_t inner = 50;  // streaming: updates on one piece, at most
  std::size_t starts = 1;
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::filesystem::path checkpoint = {};  // folder; empty: none
  double save_every = 10;                 // seconds
  bool resume = false;                    // from what is in `checkpoint`
};

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
