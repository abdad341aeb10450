#include "run/progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kullback::run {

namespace {

// A run that is over before this is not worth a line.
constexpr std::chrono::milliseconds kTerminalAfter{300};
constexpr std::chrono::milliseconds kTerminalEvery{100};
constexpr std::chrono::milliseconds kPlainAfter{2000};
constexpr std::chrono::milliseconds kPlainEvery{5000};
constexpr std::size_t kUsualWidth = 80;

const char* word_of(Unit unit) {
  switch (unit) {
    case Unit::step: return "step";
    case Unit::pass: return "pass";
    case Unit::epoch: return "epoch";
    case Unit::fit: return "fit";
  }
  return "step";
}

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

double done_of(const RunProgress& progress) {
  double done = 0;
  for (const PartProgress& part : progress.parts) done += part.done;
  return done;
}

// Chains go side by side: their steps are added.
std::string steps_text(const RunProgress& progress, double per_second) {
  double done = 0, total = 0;
  std::uint64_t divergences = 0;
  std::size_t finished = 0;
  bool is_known = true, is_warming_up = false;
  for (const PartProgress& part : progress.parts) {
    done += part.done;
    total += part.total;
    divergences += part.divergences;
    is_known = is_known && part.total > 0;
    finished += part.total > 0 && part.done >= part.total ? 1 : 0;
    is_warming_up = is_warming_up || (part.is_warming_up && part.done > 0);
  }
  std::string text = is_warming_up ? "warm-up" : is_known ? "sampling" : "searching";
  if (is_known && total > 0) text += fmt::format(" {:.0f} %", std::floor(100 * done / total));
  text += fmt::format(", {} steps/s",
                      per_second < 10 ? fmt::format("{:.2g}", per_second) : with_commas(per_second));
  if (is_known && done < total && per_second > 0)
    text += fmt::format(", {} left", duration_text((total - done) / per_second));
  if (progress.parts.size() > 1)
    text += fmt::format(", {} of {} chains done", finished, progress.parts.size());
  if (divergences > 0) text += fmt::format(", {} divergence{}", divergences, divergences == 1 ? "" : "s");
  return text;
}

// Starts come one after the other: the last that has begun is at work. Parts without a total are figures.
std::string counted_text(const RunProgress& progress, double per_second) {
  std::size_t at_work = 0, counted = 0;
  for (std::size_t i = 0; i < progress.parts.size(); ++i) {
    counted += progress.parts[i].total > 0 ? 1 : 0;
    if (progress.parts[i].done > 0) at_work = i;
  }
  const PartProgress& part = progress.parts[at_work];
  const char* unit = word_of(progress.unit);
  std::string text;
  if (counted > 1) text += fmt::format("start {} of {}, ", at_work + 1, counted);
  text += fmt::format("{} {:.4g} of {}{:.0f}", unit, part.done, progress.is_at_most ? "at most " : "",
                      part.total);
  for (std::size_t i = 0; i < progress.parts.size(); ++i) {
    const PartProgress& figure = progress.parts[i];
    if ((i == at_work || figure.total == 0) && std::isfinite(figure.value))
      text += fmt::format(", {}{}{} {:.5g}", i == at_work ? "" : figure.name,
                          i == at_work || figure.name.empty() ? "" : " ", figure.value_name, figure.value);
  }
  if (!(per_second > 0)) return text;
  if (progress.is_at_most) return text + fmt::format(", {:.2g} s per {}", 1 / per_second, unit);
  return part.done < part.total
             ? text + fmt::format(", {} left", duration_text((part.total - part.done) / per_second))
             : text;
}

std::size_t terminal_width() {
  ::winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : kUsualWidth;
}

}  // namespace

std::uint64_t gradients_of(const RunProgress& progress) {
  std::uint64_t sum = 0;
  for (const PartProgress& part : progress.parts) sum += part.gradients;
  return sum;
}

std::string progress_text(const RunProgress& progress, double seconds, const StageBegin& begin) {
  if (progress.parts.empty()) return progress.stage;
  const double per_second = (done_of(progress) - begin.done) / std::max(seconds - begin.seconds, 1e-3);
  const std::string text =
      progress.unit == Unit::step ? steps_text(progress, per_second) : counted_text(progress, per_second);
  return progress.stage.empty() ? text : progress.stage + ": " + text;
}

ProgressLine::ProgressLine(bool is_quiet)
    : is_quiet_(is_quiet),
      is_terminal_(::isatty(STDERR_FILENO) != 0),
      next_(began_ + (is_terminal_ ? kTerminalAfter : kPlainAfter)) {}

bool ProgressLine::is_due() const { return !is_quiet_ && Clock::now() >= next_; }

void ProgressLine::show(const RunProgress& progress) {
  if (is_quiet_) return;
  if (progress.stage != stage_) {
    stage_ = progress.stage;
    stage_begin_ = {.seconds = seconds(), .done = done_of(progress)};
  }
  if (is_due()) show(progress_text(progress, seconds(), stage_begin_));
}

void ProgressLine::show(const std::string& text) {
  if (!is_due()) return;
  if (is_terminal_) {
    fmt::print(stderr, "\r\033[K{}", text.substr(0, terminal_width() - 1));
    std::fflush(stderr);
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

}  // namespace kullback::run
