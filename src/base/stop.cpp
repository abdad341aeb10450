#include "base/stop.hpp"

namespace kullback {

namespace {

constinit StopRequest process_request;
constinit thread_local const StopRequest* heeded = nullptr;
constinit thread_local std::int64_t reprieved_until = 0;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(StopRequest::Clock::now().time_since_epoch())
      .count();
}

template <class Test>
bool any_heeded(const Test& test) {
  if (test(process_request)) return true;
  for (const StopRequest* request = heeded; request != nullptr; request = request->outer()) {
    if (test(*request)) return true;
  }
  return false;
}

}  // namespace

namespace stop_details {

constinit std::atomic<int> asked_requests{0};

bool is_this_thread_asked() {
  return any_heeded([](const StopRequest& request) { return request.is_asked(); });
}

void stop_this_thread_if_overdue() {
  const bool is_overdue = any_heeded([](const StopRequest& request) { return request.is_overdue(); });
  if (is_overdue && now() >= reprieved_until) throw Interrupted();
}

}  // namespace stop_details

void StopRequest::ask() {
  std::int64_t never = 0;
  if (asked_at_.compare_exchange_strong(never, now())) ++stop_details::asked_requests;
}

void StopRequest::withdraw() {
  if (asked_at_.exchange(0) != 0) --stop_details::asked_requests;
}

bool StopRequest::is_overdue() const {
  const std::int64_t asked = asked_at_.load(std::memory_order_relaxed);
  return asked != 0 && now() - asked >= grace_.count();
}

StopRequest& process_stop() { return process_request; }

StopScope::StopScope(const StopRequest* request) : before_(heeded) { heeded = request; }
StopScope::~StopScope() { heeded = before_; }

StopReprieve::StopReprieve(std::chrono::nanoseconds time) : before_(reprieved_until) {
  reprieved_until = now() + time.count();
}
StopReprieve::~StopReprieve() { reprieved_until = before_; }

const StopRequest* heeded_stop() { return heeded; }

}  // namespace kullback
