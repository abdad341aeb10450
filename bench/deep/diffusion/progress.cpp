#include <unistd.h>

#include <cstdio>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "bench/deep/diffusion/tables.hpp"

namespace kullback::deep::diffusion {

const char* verdict(bool is_kept) { return is_kept ? "kept" : "MISSED"; }

void show_progress(const std::string& text) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
}

void stop_if_interrupted() {
  if (!is_interrupted()) return;
  show_progress("");
  throw Error(ErrorKind::bad_input, "interrupted.");
}

}  // namespace kullback::deep::diffusion
