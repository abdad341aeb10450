// The caller's watch, as fit::Watch.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/stop.hpp"
#include "capi/kullback.h"
#include "fit/fit.hpp"

namespace kullback::capi {

// Runs work in a thread of its own and calls `watch` meanwhile, in the thread that made the relay and nowhere
// else: so it is called in time, and heard, whatever the work is at.
class Relay final {
 public:
  using Work = std::function<void(const fit::Watch&)>;

  Relay(kb_watch watch, void* user) : watch_(watch), user_(user) {}
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // Throws what the work throws: Interrupted where the watch has stopped it and it has no result. Without a
  // watch the work is done in this thread.
  void run(const Work& work);

 private:
  using Clock = std::chrono::steady_clock;

  void do_work(const Work& work);
  void note(const run::RunProgress& progress);
  void call();

  kb_watch watch_;
  void* user_;
  StopRequest stop_;
  Clock::time_point began_ = Clock::now();
  std::vector<kb_progress> shown_;  // of the calling thread
  std::mutex mutex_;
  std::condition_variable woken_;
  std::vector<kb_progress> progress_;
  std::exception_ptr failure_;
  bool is_over_ = false;
};

}  // namespace kullback::capi
