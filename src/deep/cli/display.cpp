#include "deep/cli/display.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

namespace kullback::deep::cli {

namespace {

// A run that is over before this is not worth a line.
constexpr std::chrono::milliseconds kTerminalAfter{300};
constexpr std::chrono::milliseconds kTerminalEvery{100};
constexpr std::chrono::milliseconds kPlainAfter{2000};
constexpr std::chrono::milliseconds kPlainEvery{5000};

std::string two_digits(long number) { return (number < 10 ? "0" : "") + std::to_string(number); }

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, two_digits(whole % 60));
  return fmt::format("{} h {} min", whole / 3600, two_digits(whole / 60 % 60));
}

}  // namespace

std::string epoch_text(const EpochFigures& figures, std::int64_t epochs, const std::string& held_out_name,
                       double seconds_left) {
  std::string text = fmt::format("epoch {} of {}, loss {:.4g}", figures.epoch, epochs, figures.loss);
  if (std::isfinite(figures.held_out)) text += fmt::format(", {} {:.4g}", held_out_name, figures.held_out);
  if (figures.epoch < epochs) text += fmt::format(", {} left", duration_text(seconds_left));
  return text;
}

ProgressLine::ProgressLine(bool is_quiet)
    : is_quiet_(is_quiet),
      is_terminal_(::isatty(STDERR_FILENO) != 0),
      next_(Clock::now() + (is_terminal_ ? kTerminalAfter : kPlainAfter)) {}

bool ProgressLine::is_due() const { return !is_quiet_ && Clock::now() >= next_; }

void ProgressLine::show(const std::string& text) {
  if (!is_due()) return;
  if (is_terminal_) {
    std::fprintf(stderr, "\r\033[K%.99s", text.c_str());
    is_shown_ = true;
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  next_ = Clock::now() + (is_terminal_ ? kTerminalEvery : kPlainEvery);
}

void ProgressLine::clear() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
  is_shown_ = false;
}

EpochDisplay::EpochDisplay(bool is_quiet, std::string held_out_name)
    : line_(is_quiet), held_out_name_(std::move(held_out_name)) {}

void EpochDisplay::show(const EpochFigures& figures, std::int64_t epochs, const std::string& more) {
  if (before_ < 0) before_ = figures.epoch - 1;
  if (!line_.is_due()) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  const double left =
      seconds / static_cast<double>(figures.epoch - before_) * static_cast<double>(epochs - figures.epoch);
  line_.show(epoch_text(figures, epochs, held_out_name_, left) + more);
}

}  // namespace kullback::deep::cli
