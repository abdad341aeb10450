// One chain from its start to its draws, in a thread of its own, with checkpoints.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/finding.hpp"
#include "fit/partial.hpp"
#include "fit/request.hpp"
#include "infer/algorithm.hpp"
#include "infer/draws.hpp"

namespace kullback::fit {

struct ChainResult {
  infer::Draws draws;
  std::optional<infer::Adaptation> adaptation;
  std::optional<infer::Mode> mode;
  Findings findings;
  infer::Facts facts;
  infer::Trace trace;
  std::uint64_t gradients = 0;
  bool is_finished = false;
  double warmup_seconds = 0;
  double sampling_seconds = 0;
};

class ChainRun final {
 public:
  // The density must outlive the run; no other chain may evaluate it while this one runs.
  ChainRun(const Request& request, density::LogDensity& density, infer::Start start);

  // Until the algorithm has finished or `stop` or a request of base/stop.hpp says so; then the state is
  // saved, where the run is long enough to be worth it or was stopped. Throws Error.
  void run(const std::atomic<bool>& stop);

  infer::Progress progress() const;  // from any thread
  const ChainResult& result() const { return result_; }
  ChainResult take_result() { return std::move(result_); }
  // Saves the draws of a chain whose columns were cut off.
  void save();

 private:
  void restore();
  void step();
  void describe();
  void note_progress();

  const Request& request_;
  std::unique_ptr<infer::Algorithm> algorithm_;
  std::uint32_t number_ = 0;
  std::optional<Partial> partial_;  // where the run has a folder
  ChainResult result_;
  bool is_torn_ = false;  // a stop has cut a step: the algorithm is between two states
  mutable std::mutex mutex_;
  infer::Progress progress_;
};

}  // namespace kullback::fit
