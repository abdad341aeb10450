#include "cli/display.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kullback::cli {

namespace {

// A run that is over before this is not worth a line.
constexpr std::chrono::milliseconds kTerminalAfter{300};
constexpr std::chrono::milliseconds kPlainAfter{2000};
constexpr std::chrono::milliseconds kPlainEvery{5000};

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string with_commas(double number) {
  const std::string digits = fmt::format("{:.0f}", number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace

std::string progress_text(const std::vector<infer::Progress>& chains, double seconds) {
  double done = 0;
  double total = 0;
  std::uint64_t divergences = 0;
  std::size_t finished = 0;
  bool is_known = true;
  bool is_warming_up = false;
  for (const infer::Progress& chain : chains) {
    done += static_cast<double>(chain.done);
    total += static_cast<double>(chain.total);
    divergences += chain.divergences;
    if (chain.total == 0) is_known = false;
    if (chain.total > 0 && chain.done >= chain.total) ++finished;
    if (chain.is_warming_up && chain.done > 0) is_warming_up = true;
  }
  std::string text = is_warming_up ? "warm-up" : "sampling";
  if (is_known && total > 0) text += fmt::format(" {:3.0f} %", std::floor(100 * done / total));
  const double rate = done / std::max(seconds, 1e-3);
  text += fmt::format(", {} steps/s", rate < 10 ? fmt::format("{:.2g}", rate) : with_commas(rate));
  if (is_known && done > 0 && done < total)
    text += fmt::format(", {} left", duration_text((total - done) / rate));
  if (chains.size() > 1) text += fmt::format(", {} of {} chains done", finished, chains.size());
  if (divergences > 0) text += fmt::format(", {} divergence{}", divergences, divergences == 1 ? "" : "s");
  return text;
}

Display::Display(bool quiet)
    : quiet_(quiet),
      is_terminal_(::isatty(STDERR_FILENO) != 0),
      next_(began_ + (is_terminal_ ? kTerminalAfter : kPlainAfter)) {}

void Display::show(const std::vector<infer::Progress>& chains) {
  const Clock::time_point now = Clock::now();
  if (quiet_ || now < next_) return;
  const std::string text = progress_text(chains, std::chrono::duration<double>(now - began_).count());
  if (is_terminal_) {
    std::fprintf(stderr, "\r\033[K%.79s", text.c_str());
    is_shown_ = true;
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
    next_ = now + kPlainEvery;
  }
}

void Display::clear() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
  is_shown_ = false;
}

}  // namespace kullback::cli
