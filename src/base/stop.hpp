// Stopping work that is under way. Who wants it to end asks a StopRequest; the work looks with
// stop_if_asked() wherever it may be for long: at a statement of a program, an evaluation of a density, a
// piece of a file.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace kullback {

// What stop_if_asked() throws. It is no std::exception, so that nothing takes it for a failure of the work.
struct Interrupted {};

class StopRequest final {
 public:
  using Clock = std::chrono::steady_clock;

  // From being asked until stop_if_asked() throws: a step that ends by itself in this time is finished and
  // kept.
  static constexpr std::chrono::milliseconds kGrace{300};

  // A request inside another one, which may be null, stops when either is asked.
  constexpr explicit StopRequest(const StopRequest* outer = nullptr, std::chrono::nanoseconds grace = kGrace)
      : outer_(outer), grace_(grace) {}
  ~StopRequest() { withdraw(); }
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  void ask();  // from any thread, and from a signal handler
  void withdraw();
  bool is_asked() const { return asked_at_.load(std::memory_order_relaxed) != 0; }
  bool is_overdue() const;
  const StopRequest* outer() const { return outer_; }

 private:
  const StopRequest* outer_;
  std::chrono::nanoseconds grace_;
  std::atomic<std::int64_t> asked_at_{0};  // nanoseconds of the clock; 0: never
};

// Asked by the signals of base/interrupt.hpp; heeded by every thread.
StopRequest& process_stop();

// While one lives, its thread heeds `request` (and those outside it), and not what it heeded before.
class StopScope final {
 public:
  explicit StopScope(const StopRequest* request);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const StopRequest* before_;
};

// The request that this thread heeds, for the threads that it starts; may be null.
const StopRequest* heeded_stop();

// In its thread, for this time from now on, stop_if_asked() does not throw: the last piece of work, such as
// the outputs of the draws that there are, may begin after the stop.
class StopReprieve final {
 public:
  explicit StopReprieve(std::chrono::nanoseconds time);
  ~StopReprieve();
  StopReprieve(const StopReprieve&) = delete;
  StopReprieve& operator=(const StopReprieve&) = delete;

 private:
  std::int64_t before_;
};

namespace stop_details {
extern std::atomic<int> asked_requests;  // of all that exist
bool is_this_thread_asked();
void stop_this_thread_if_overdue();
}  // namespace stop_details

// For work that can end where it is: it should, as soon as this is true.
inline bool is_stop_asked() {
  return stop_details::asked_requests.load(std::memory_order_relaxed) != 0 &&
         stop_details::is_this_thread_asked();
}

// For work that cannot: throws Interrupted once the grace of a request is over.
inline void stop_if_asked() {
  if (stop_details::asked_requests.load(std::memory_order_relaxed) != 0)
    stop_details::stop_this_thread_if_overdue();
}

}  // namespace kullback
