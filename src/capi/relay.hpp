// The caller's watch, as fit::Watch.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "capi/kullback.h"
#include "fit/fit.hpp"

namespace kullback::capi {

// Calls `watch` in the thread that made the relay and nowhere else, also while nothing but certificates is
// computed.
class Relay final {
 public:
  Relay(kb_watch watch, void* user) : watch_(watch), user_(user) {}
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  fit::Watch as_watch();  // the relay must outlive it

 private:
  using Clock = std::chrono::steady_clock;

  void tell(const std::vector<infer::Progress>& chains);
  bool should_stop();
  void call();

  kb_watch watch_;
  void* user_;
  std::thread::id owner_ = std::this_thread::get_id();
  Clock::time_point began_ = Clock::now();
  Clock::time_point called_ = began_;
  std::vector<kb_progress> progress_;
  std::atomic<bool> is_stopped_{false};
};

}  // namespace kullback::capi
