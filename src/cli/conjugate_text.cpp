#include "cli/conjugate_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace kullback::cli {

namespace {

constexpr std::chrono::milliseconds kTerminalAfter{300};
constexpr std::chrono::milliseconds kTerminalEvery{100};
constexpr std::chrono::milliseconds kPlainAfter{2000};
constexpr std::chrono::milliseconds kPlainEvery{5000};

}  // namespace

TrainDisplay::TrainDisplay(bool quiet, conjugate::TrainOptions options)
    : quiet_(quiet),
      is_terminal_(::isatty(STDERR_FILENO) != 0),
      options_(std::move(options)),
      next_(began_ + (is_terminal_ ? kTerminalAfter : kPlainAfter)) {}

void TrainDisplay::show(const conjugate::TrainProgress& progress) {
  const Clock::time_point now = Clock::now();
  if (quiet_ || now < next_) return;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const double passes = static_cast<double>(progress.pass) + progress.part;
  std::string text = fmt::format("pass {:.1f} of at most {}", passes, options_.passes);
  if (options_.starts > 1) text = fmt::format("start {} of {}, ", progress.start + 1, options_.starts) + text;
  if (progress.elbo_per_unit != 0) text += fmt::format(", bound {:.6g} per unit", progress.elbo_per_unit);
  if (passes > 0) text += fmt::format(", {:.2g} s per pass", seconds / passes);
  if (is_terminal_) {
    std::fprintf(stderr, "\r\033[K%.79s", text.c_str());
    is_shown_ = true;
    next_ = now + kTerminalEvery;
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
    next_ = now + kPlainEvery;
  }
}

void TrainDisplay::clear() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
  is_shown_ = false;
}

}  // namespace kullback::cli
