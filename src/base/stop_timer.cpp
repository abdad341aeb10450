#include "base/stop_timer.hpp"

#include <stop_token>

namespace kullback {

StopTimer::StopTimer(StopRequest& request, StopRequest::Clock::time_point at)
    : thread_([this, &request, at](const std::stop_token& ends) {
        std::unique_lock lock(mutex_);
        woken_.wait_until(lock, ends, at, [] { return false; });
        if (!ends.stop_requested()) request.ask();
      }) {}

}  // namespace kullback
