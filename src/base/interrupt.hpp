// Ctrl-C (SIGINT) and SIGTERM ask a run to stop; the run finishes what it is doing and writes what exists. A
// second signal ends the program at once, and so does a first one that a run has not heeded within a second
// (up to three where the machine is busy with other things): files are written beside their place and
// renamed, so that those on disk are whole at any moment.
#pragma once

namespace kullback {

struct InterruptRules {
  bool is_announced = true;  // the first signal says on standard error what is happening
  // The work looks at base/stop.hpp and is over in a second: the first signal asks process_stop(), and
  // what does not look is ended by then.
  bool is_bounded = false;
};

// While one lives, the first signal only sets a flag; a second one ends the program at once. There is one at
// a time.
class InterruptGuard final {
 public:
  explicit InterruptGuard(InterruptRules rules = {});
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

bool is_interrupted();

// While one lives, in any thread, a stopping run is not ended for being slow: what is finished is written, or
// other processes are waited for.
class Unhurried final {
 public:
  Unhurried();
  ~Unhurried();
  Unhurried(const Unhurried&) = delete;
  Unhurried& operator=(const Unhurried&) = delete;
};

// The exit code of a run that was interrupted, by either signal.
inline constexpr int kInterruptedCode = 130;

}  // namespace kullback
