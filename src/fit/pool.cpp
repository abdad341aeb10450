#include "fit/pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/stop.hpp"
#include "base/try_thread.hpp"
#include "fit/chain_outputs.hpp"
#include "model/likelihood_split.hpp"
#include "posterior/netcdf_file.hpp"
#include "run/progress_log.hpp"

namespace kullback::fit {

namespace {

constexpr std::chrono::milliseconds kLookEvery{100};

// A chain with what only it uses: clones share the tape, which the first evaluation made. A library that runs
// in one thread only has none; then the chains take turns with the model itself.
struct Work {
  std::unique_ptr<density::LogDensity> density;
  std::unique_ptr<model::OutputWriter> outputs;
  std::unique_ptr<ChainRun> run;
  std::uint32_t number = 0;
};

std::size_t wanted_threads(const Request& request) {
  return request.threads > 0 ? request.threads : std::thread::hardware_concurrency();
}

std::vector<Work> prepare(const Request& request, const LoadedModel& model,
                          std::vector<infer::Start> starts) {
  std::vector<Work> all;
  for (infer::Start& start : starts) {
    Work work{model.density->clone(), model.outputs->clone(), nullptr, start.chain};
    density::LogDensity& density = work.density ? *work.density : *model.density;
    // Cores that have no chain of their own help with batches.
    if (auto* stan = dynamic_cast<model::StanModel*>(&density))
      stan->use_threads(std::max<std::size_t>(1, wanted_threads(request) / starts.size()));
    work.run = std::make_unique<ChainRun>(request, density, std::move(start));
    all.push_back(std::move(work));
  }
  return all;
}

class Pool final {
 public:
  Pool(const Request& request, const LoadedModel& model, std::vector<infer::Start> starts)
      : request_(request),
        model_(model),
        work_(prepare(request, model, std::move(starts))),
        finished_(work_.size()) {
    const bool is_of_first_rank = !work_.empty() && work_.front().number == 0;
    if (is_of_first_rank && !request.out.empty()) log_.emplace(request.out);
  }

  std::vector<FinishedChain> run(const Watch& watch) {
    running_ = thread_count();
    std::vector<std::jthread> threads;
    while (threads.size() < thread_count() && try_start(threads, [this] { take_chains(); })) {
    }
    forget_missing(thread_count() - threads.size());
    if (threads.empty()) take_chains();
    if (!request_.out.empty()) posterior::begin_loading_netcdf();  // the draws will go there
    std::unique_lock lock(mutex_);
    while (running_ > 0) {
      woken_.wait_for(lock, kLookEvery, [this] { return running_ == 0; });
      lock.unlock();
      if (watch.should_stop()) stop_ = true;
      const run::RunProgress now = progress();
      if (watch.on_progress) watch.on_progress(now);
      if (log_ && log_->is_due()) log_->write(now);
      lock.lock();
    }
    if (failure_) std::rethrow_exception(failure_);
    if (log_ && log_->has_written()) log_->write(progress());
    return std::move(finished_);
  }

 private:
  std::size_t thread_count() const {
    if (work_.empty() || !work_.front().density) return 1;
    return std::clamp<std::size_t>(wanted_threads(request_), 1, work_.size());
  }

  // Threads that could not be made. The last one's work is done by this thread.
  void forget_missing(std::size_t missing) {
    const std::lock_guard lock(mutex_);
    running_ -= std::min(missing, thread_count() - 1);
  }

  void take_chains() {
    try {
      for (std::size_t i = next_++; i < work_.size(); i = next_++) finish_chain(work_[i], finished_[i]);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
    const std::lock_guard lock(mutex_);
    --running_;
    woken_.notify_one();
  }

  void finish_chain(Work& work, FinishedChain& finished) {
    work.run->run(stop_);
    finished.number = work.number;
    const bool is_cut = !request_.defers_outputs && !add_outputs(work, finished);
    if (is_cut) work.run->save();
    finished.result = work.run->take_result();
    if (is_cut) finished.result.is_finished = false;
  }

  // False where a stop came before all of them.
  bool add_outputs(Work& work, FinishedChain& finished) const {
    const ChainResult& result = work.run->result();
    model::OutputWriter& outputs = work.outputs ? *work.outputs : *model_.outputs;
    finished.chain = make_chain(request_, outputs, work.number, result, finished.problem);
    if (finished.chain.draws < result.draws.count()) return false;
    if (!request_.sensitivity) return true;
    try {
      split_density(result.draws, finished);
      return true;
    } catch (const Interrupted&) {
      return false;
    }
  }

  void split_density(const infer::Draws& draws, FinishedChain& finished) const {
    model::LikelihoodSplit split(model_.stan->prepared());
    finished.log_prior.resize(draws.count());
    finished.log_likelihood.resize(draws.count());
    for (std::size_t i = 0; i < draws.count(); ++i)
      split.evaluate(draws.theta.data() + i * draws.dim, finished.log_prior[i], finished.log_likelihood[i]);
  }

  run::RunProgress progress() const {
    const infer::Method& method = *request_.method;
    run::RunProgress made{.stage = std::string(method.name)};
    for (const Work& work : work_) {
      const infer::Progress chain = work.run->progress();
      made.parts.push_back({.name = method.has_chains ? "chain " + std::to_string(work.number + 1) : "steps",
                            .done = static_cast<double>(chain.done),
                            .total = static_cast<double>(chain.total),
                            .is_warming_up = chain.is_warming_up,
                            .gradients = chain.gradients,
                            .divergences = chain.divergences,
                            .value_name = std::string(method.value_name),
                            .value = chain.value});
    }
    return made;
  }

  const Request& request_;
  const LoadedModel& model_;
  std::vector<Work> work_;
  std::optional<run::ProgressLog> log_;
  std::vector<FinishedChain> finished_;
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable woken_;
  std::size_t running_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

std::vector<FinishedChain> run_chains(const Request& request, const LoadedModel& model,
                                      std::vector<infer::Start> starts, const Watch& watch) {
  return Pool(request, model, std::move(starts)).run(watch);
}

}  // namespace kullback::fit
