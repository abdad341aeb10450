// Ctrl-C (SIGINT) and SIGTERM ask a run to stop; the run finishes what it is doing and writes what exists.
#pragma once

namespace kullback {

// While one lives, the first signal only sets a flag; a second one ends the program at once.
class InterruptGuard final {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

bool is_interrupted();

// The exit code of a run that was interrupted.
inline constexpr int kInterruptedCode = 130;

}  // namespace kullback
