// The handlers do what POSIX lets them do: atomics without locks, clock_gettime, write, timer_settime, _exit.
#include "base/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>

#include "base/stop.hpp"

namespace kullback {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// timeout(1) and process managers send a signal to the child and then to its group: both are one.
constexpr std::int64_t kOneSignal = 100 * kMillisecond;
// A run that has had this much time and this much of the processors since the first signal does not look, or
// has too much to do. On a busy machine it may need longer for as much.
constexpr std::int64_t kPatience = 900 * kMillisecond;
constexpr std::int64_t kShareOfIt = 600 * kMillisecond;
constexpr std::int64_t kMostPatience = 3000 * kMillisecond;
constexpr std::int64_t kAskAgain = 50 * kMillisecond;

constexpr const char* kClearLine = "\r\033[K";  // of the progress display
constexpr const char* kStopping = "Stopping; what is finished is kept. Press Ctrl-C again to stop at once.\n";
constexpr const char* kStoppedAtOnce = "Stopped at once; what was saved before is kept.\n";

static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

std::atomic<std::int64_t> first_signal{0};  // nanoseconds of the clock; 0: none yet
// Patience begins there: with it, and anew after what must not be hurried.
std::atomic<std::int64_t> patience_began{0};
std::atomic<std::int64_t> processor_time_before{0};
std::atomic<int> unhurried{0};
InterruptRules active_rules;
bool is_terminal = false;
bool has_timer = false;
timer_t timer;

std::int64_t read_clock(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1000 * kMillisecond + time.tv_nsec;
}

void say(const char* text) {
  if (!active_rules.is_announced) return;
  if (is_terminal && ::write(STDERR_FILENO, kClearLine, std::strlen(kClearLine)) < 0) return;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

[[noreturn]] void end_at_once() {
  say(kStoppedAtOnce);
  ::_exit(kInterruptedCode);
}

void begin_patience() {
  patience_began = read_clock(CLOCK_MONOTONIC);
  processor_time_before = read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

bool is_patience_over() {
  const std::int64_t passed = read_clock(CLOCK_MONOTONIC) - patience_began;
  const std::int64_t used = read_clock(CLOCK_PROCESS_CPUTIME_ID) - processor_time_before;
  return unhurried == 0 && passed >= kPatience && (used >= kShareOfIt || passed >= kMostPatience);
}

void set_timer(std::int64_t after) {
  itimerspec time{};
  time.it_value.tv_nsec = after;
  ::timer_settime(timer, 0, &time, nullptr);
}

extern "C" void note_interrupt(int) {
  const int errno_before = errno;
  const std::int64_t at = read_clock(CLOCK_MONOTONIC);
  std::int64_t first = 0;
  if (first_signal.compare_exchange_strong(first, at)) {
    say(kStopping);
    if (active_rules.is_bounded) {
      process_stop().ask();
      begin_patience();
      set_timer(kPatience);
    }
  } else if (at - first > kOneSignal) {
    end_at_once();
  }
  errno = errno_before;
}

extern "C" void ask_for_patience(int) {
  const int errno_before = errno;
  if (is_patience_over()) end_at_once();
  set_timer(kAskAgain);
  errno = errno_before;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (const int other : {SIGINT, SIGTERM, SIGALRM}) ::sigaddset(&action.sa_mask, other);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard(InterruptRules rules) {
  first_signal = 0;
  process_stop().withdraw();
  active_rules = rules;
  is_terminal = ::isatty(STDERR_FILENO) != 0;
  if (rules.is_bounded) {
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGALRM;
    handle(SIGALRM, ask_for_patience);
    has_timer = ::timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
    active_rules.is_bounded = has_timer;
  }
  handle(SIGINT, note_interrupt);
  handle(SIGTERM, note_interrupt);
}

InterruptGuard::~InterruptGuard() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
  if (has_timer) ::timer_delete(timer);
  if (has_timer) handle(SIGALRM, SIG_DFL);
  has_timer = false;
  process_stop().withdraw();
}

bool is_interrupted() { return first_signal != 0; }

Unhurried::Unhurried() { ++unhurried; }
Unhurried::~Unhurried() {
  if (is_interrupted()) begin_patience();
  --unhurried;
}

}  // namespace kullback
