#include "fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/file.hpp"
#include "base/json.hpp"
#include "fit/chain_outputs.hpp"
#include "fit/chain_run.hpp"
#include "fit/finish.hpp"
#include "fit/fixed.hpp"
#include "fit/folder.hpp"
#include "fit/gather.hpp"
#include "fit/record.hpp"
#include "fit/starts.hpp"

namespace kullback::fit {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLookEvery{100};

// The chains of this rank: those whose number leaves its own when divided by the number of ranks.
std::vector<std::uint32_t> chains_here(const Request& request, const Ranks& ranks) {
  std::vector<std::uint32_t> mine;
  for (std::size_t c = 0; c < request.chains; ++c) {
    if (c % static_cast<std::size_t>(ranks.size()) == static_cast<std::size_t>(ranks.rank()))
      mine.push_back(static_cast<std::uint32_t>(c));
  }
  return mine;
}

// Runs all chains on so many threads; the calling thread watches. The first exception of a thread is thrown
// here.
class Pool final {
 public:
  Pool(const Request& request, const LoadedModel& model, std::vector<std::unique_ptr<ChainRun>>& runs,
       const std::vector<std::uint32_t>& numbers, std::vector<FinishedChain>& finished)
      : request_(request), model_(model), runs_(runs), numbers_(numbers), finished_(finished) {}

  void run(const Watch& watch) {
    std::size_t count = request_.threads > 0 ? request_.threads : std::thread::hardware_concurrency();
    count = std::clamp<std::size_t>(count, 1, std::max<std::size_t>(runs_.size(), 1));
    std::vector<std::jthread> threads;
    running_ = count;
    for (std::size_t t = 0; t < count; ++t) threads.emplace_back([this] { work(); });
    std::unique_lock lock(mutex_);
    while (running_ > 0) {
      woken_.wait_for(lock, kLookEvery, [this] { return running_ == 0; });
      lock.unlock();
      if (watch.should_stop()) stop_ = true;
      if (watch.on_progress) watch.on_progress(progress());
      lock.lock();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work() {
    try {
      for (std::size_t i = next_++; i < runs_.size(); i = next_++) {
        runs_[i]->run(stop_);
        finished_[i].result = runs_[i]->take_result();
        finished_[i].number = numbers_[i];
        finished_[i].chain =
            make_chain(request_, model_, numbers_[i], finished_[i].result, finished_[i].problem);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
    const std::lock_guard lock(mutex_);
    --running_;
    woken_.notify_one();
  }

  std::vector<infer::Progress> progress() const {
    std::vector<infer::Progress> all;
    for (const auto& run : runs_) all.push_back(run->progress());
    return all;
  }

  const Request& request_;
  const LoadedModel& model_;
  std::vector<std::unique_ptr<ChainRun>>& runs_;
  const std::vector<std::uint32_t>& numbers_;
  std::vector<FinishedChain>& finished_;
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable woken_;
  std::size_t running_ = 0;
  std::exception_ptr failure_;
};

void settle_method(Request& request, const LoadedModel& model) {
  if (model.density->dim() == 0) request.method = &fixed_method();
  if (!request.method->has_chains) request.chains = 1;
}

// Chains evaluate clones, so that the tape is made once; the first evaluation makes it.
std::vector<std::unique_ptr<ChainRun>> make_runs(const Request& request, const LoadedModel& model,
                                                 std::vector<infer::Start> starts) {
  std::vector<std::unique_ptr<ChainRun>> runs;
  for (infer::Start& start : starts)
    runs.push_back(std::make_unique<ChainRun>(request, model.density->clone(), std::move(start)));
  return runs;
}

void begin(const Request& request, const posterior::RunRecord& record, const LoadedModel& model,
           const Ranks& ranks) {
  if (ranks.is_first()) {
    if (request.resume)
      remove_torn_files(request.out);
    else
      begin_folder(request.out, record, model.program->text, request.force);
    add_event(request.out, request.resume ? "resume" : "start",
              fmt::format("\"method\": {}, \"chains\": {}, \"seed\": {}", json_string(record.method),
                          record.chains, record.seed));
  }
  ranks.barrier();
  std::filesystem::create_directories(partial_folder(request.out));  // on a machine with a disk of its own
}

}  // namespace

Outcome run(Request request, const LoadedModel& model, const Ranks& ranks, const Watch& watch) {
  const Clock::time_point began = Clock::now();
  settle_method(request, model);
  Outcome outcome;
  outcome.record = make_record(request, model);
  const std::vector<std::uint32_t> numbers = chains_here(request, ranks);
  std::vector<infer::Start> starts = find_starts(request, model, numbers);
  Findings at_start;
  if (ranks.is_first() && !starts.empty()) at_start = check_start(model, starts.front());
  begin(request, outcome.record, model, ranks);
  std::vector<std::unique_ptr<ChainRun>> runs = make_runs(request, model, std::move(starts));
  std::vector<FinishedChain> finished(runs.size());
  Pool(request, model, runs, numbers, finished).run(watch);
  finished = gather(std::move(finished), ranks);
  if (!ranks.is_first()) return outcome;
  outcome.summary.findings = std::move(at_start);
  outcome.record.seconds += std::chrono::duration<double>(Clock::now() - began).count();
  finish(request, model, std::move(finished), outcome);
  return outcome;
}

}  // namespace kullback::fit
