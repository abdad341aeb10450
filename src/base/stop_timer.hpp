// A time limit: asks a StopRequest when its time has come.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/stop.hpp"

namespace kullback {

// The request must outlive it. Where it is gone before its time, nothing is asked.
class StopTimer final {
 public:
  StopTimer(StopRequest& request, StopRequest::Clock::time_point at);

 private:
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::jthread thread_;
};

}  // namespace kullback
