#include "conjugate/train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "base/error.hpp"
#include "conjugate/start.hpp"

namespace kullback::conjugate {

namespace {

constexpr std::size_t kSampleRows = 20'000;
constexpr std::size_t kSampleDocuments = 2'000;

void check(const TrainOptions& options, const Source& source) {
  if (options.sampling == UnitSampling::importance && source.in_memory() == nullptr) {
    throw Error(ErrorKind::usage,
                "importance sampling of rows needs all of them in memory, but they are streamed.",
                "Leave out --stream, or use `--row-sampling uniform`.");
  }
  if (options.sampling == UnitSampling::importance && source.shape().kind == DataKind::sequences) {
    throw Error(ErrorKind::usage,
                "sequences are sampled uniformly; importance sampling is for rows and documents.",
                "Leave out --row-sampling.");
  }
}

class Training final {
 public:
  Training(const MakeModel& make, Source& source, const TrainOptions& options, const Ranks& ranks,
           const TrainWatch& watch, const std::vector<double>& prior)
      : options_(options),
        ranks_(ranks),
        watch_(watch),
        sample_(sample_units(source,
                             source.shape().kind == DataKind::documents ? kSampleDocuments : kSampleRows,
                             options.seed, ranks)),
        sample_batch_(sample_.batch()),
        serialised_{.on_progress = [this](const TrainProgress& progress) { report(progress); },
                    .should_stop = watch.should_stop},
        setting_{make, source, options, ranks, serialised_, sample_batch_, prior} {}

  TrainOutcome run() {
    TrainOutcome outcome;
    outcome.starts.resize(options_.starts);
    // Starts share out the threads where nothing else orders them: machines must sum in step, and a stream
    // has one place where it is read.
    const bool is_parallel = ranks_.size() == 1 && setting_.source.in_memory() != nullptr;
    const std::size_t at_once = is_parallel ? std::min(options_.threads, options_.starts) : 1;
    Workers workers(at_once);
    workers.run(options_.starts,
                [&](std::size_t number) { run_start(number, options_.threads / at_once, outcome); });
    for (const StartOutcome& start : outcome.starts) outcome.is_interrupted |= !start.is_complete;
    return outcome;
  }

 private:
  void report(const TrainProgress& progress) {
    const std::lock_guard lock(mutex_);
    if (watch_.on_progress) watch_.on_progress(progress);
  }

  void run_start(std::size_t number, std::size_t threads, TrainOutcome& outcome) {
    Workers workers(threads);
    Start start(setting_, number, workers);
    if (options_.resume) start.load();
    start.run();
    const std::lock_guard lock(mutex_);
    outcome.starts[number] = std::move(start.outcome());
    // Equal bounds: the earlier start, whichever ended first.
    const double best = outcome.starts[outcome.best].elbo;
    const double now = outcome.starts[number].elbo;
    const bool is_better = outcome.model == nullptr || now > best || (now == best && number < outcome.best);
    if (!is_better) return;
    outcome.best = number;
    outcome.statistics = start.statistics();
    outcome.model = start.take_model();
  }

  const TrainOptions& options_;
  const Ranks& ranks_;
  const TrainWatch& watch_;
  Buffer sample_;
  Batch sample_batch_;
  TrainWatch serialised_;
  Setting setting_;
  std::mutex mutex_;
};

}  // namespace

TrainOutcome train(const MakeModel& make, Source& source, const TrainOptions& options, const Ranks& ranks,
                   const TrainWatch& watch, const std::vector<double>& prior) {
  check(options, source);
  return Training(make, source, options, ranks, watch, prior).run();
}

}  // namespace kullback::conjugate
