#include "base/interrupt.hpp"

#include <csignal>

namespace kullback {

namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void note_interrupt(int signal) {
  interrupted = 1;
  // Ctrl-C again ends at once. SIGTERM may come twice at a time: timeout(1) sends it to its child and then to
  // the whole group.
  if (signal == SIGINT) std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = 0;
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool is_interrupted() { return interrupted != 0; }

}  // namespace kullback
