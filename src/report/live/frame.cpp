#include "report/live/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "base/advice.hpp"
#include "base/utf8.hpp"
#include "run/text.hpp"

namespace kullback::report {

namespace {

constexpr std::string_view kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kLetters[] = {"_", ".", "-", "=", "+", "*", "%", "#"};
constexpr double kLevels = 8;
constexpr double kFence = 3;  // quartile ranges beyond the quartiles
constexpr std::size_t kBar = 12;
constexpr std::size_t kMostParts = 24;
constexpr std::size_t kMostFacts = 8;

std::string with_commas(double number) {
  const std::string digits = fmt::format("{:.0f}", number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string cut(std::string_view text, std::size_t width) {
  std::size_t shown = 0, at = 0;
  for (; at < text.size(); ++at)
    if (begins_character(text[at]) && shown++ == width) break;
  return std::string(text.substr(0, at));
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t size = length(text);
  return size < width ? text + std::string(width - size, ' ') : text;
}

// C0, DEL and C1 (U+0080 to U+009F) would be orders to the terminal.
std::string plain(std::string_view text, bool has_blocks) {
  const std::string valid = replace_invalid_utf8(text);
  std::string shown;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    const bool is_c1 =
        byte == 0xC2 && i + 1 < valid.size() && static_cast<unsigned char>(valid[i + 1]) < 0xA0;
    if (byte < 0x20 || byte == 0x7F || is_c1) {
      shown += '?';
      i += is_c1 ? 1 : 0;
    } else if (byte < 0x80 || has_blocks) {
      shown += valid[i];
    } else if (begins_character(valid[i])) {
      shown += '?';
    }
  }
  return shown;
}

struct Range {
  double low = 0;
  double high = 0;
};

Range range_of(std::vector<double> finite) {
  std::sort(finite.begin(), finite.end());
  const double q1 = finite[finite.size() / 4];
  const double q3 = finite[finite.size() - 1 - finite.size() / 4];
  const double beyond = kFence * (q3 - q1);
  if (beyond == 0) return {finite.front(), finite.back()};
  return {std::max(finite.front(), q1 - beyond), std::min(finite.back(), q3 + beyond)};
}

class Frame final {
 public:
  Frame(const RunState& state, const FrameStyle& style, std::int64_t now)
      : state_(state), style_(style), now_(now) {}

  std::string text() {
    add_head();
    add_life();
    for (const TriedMethod& tried : state_.tried)
      add(fmt::format("  {}: {}, {} gradients", tried.method, tried.verdict,
                      with_commas(static_cast<double>(tried.gradients))));
    add_parts();
    add_counts();
    if (state_.life == Life::over) add_end();
    if (style_.height > 0 && lines_.size() > style_.height) lines_.resize(style_.height);
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    return text;
  }

 private:
  void add(const std::string& line) {
    std::string shown = cut(plain(line, style_.has_blocks), style_.width);
    while (!shown.empty() && shown.back() == ' ') shown.pop_back();
    lines_.push_back(std::move(shown));
  }
  void add_wrapped(const std::string& words) {
    std::string text;
    run::append_wrapped(text, "", plain(words, style_.has_blocks), style_.width);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      add(text.substr(at, end - at));
      at = end + 1;
    }
  }

  void add_head() {
    const run::RunRecord& record = state_.record;
    std::string line = state_.folder.string() + ": ";
    if (record.kind != run::Kind::posterior) line += std::string(run::name_of(record.kind)) + " ";
    line += record.method;
    if (record.kind == run::Kind::posterior && record.chains > 1)
      line += fmt::format(", {} chains", record.chains);
    add(line + fmt::format(", seed {}", record.seed));
  }

  std::string resuming_text() const {
    if (state_.record.kind != run::Kind::posterior) return "The same command with --resume";
    return fmt::format("'kullback fit --resume {}'", state_.folder.string());
  }

  void add_life() {
    switch (state_.life) {
      case Life::running: return add(running_text());
      case Life::silent:
        return add_wrapped(fmt::format("no sign of life since {} ({} ago){}.", utc_text(state_.last_sign),
                                       duration_text(silence()), process_text(" of ")));
      case Life::died:
        return add_wrapped(
            fmt::format("no sign of life since {}: {} is gone and has not said that it ended. {} goes on.",
                        utc_text(state_.last_sign), process_text(""), resuming_text()));
      case Life::over: return add(fmt::format("{} after {}", state_.status, duration_text(state_.seconds)));
    }
  }

  double silence() const { return std::max(0.0, static_cast<double>(now_ - state_.last_sign)); }

  std::string process_text(std::string_view before) const {
    return state_.pid == 0 ? std::string()
                           : fmt::format("{}process {} on {}", before, state_.pid, state_.host);
  }

  std::string running_text() const {
    std::string line = fmt::format("running for {}", duration_text(state_.seconds + silence()));
    if (!state_.doing.empty() && state_.doing != state_.record.method) line += ", " + state_.doing;
    if (state_.seconds_left)
      line += fmt::format(", {} {} left", state_.is_left_at_most ? "at most" : "about",
                          duration_text(*state_.seconds_left));
    return line;
  }

  std::string bar(double part) const {
    const auto full = static_cast<std::size_t>(std::clamp(part, 0.0, 1.0) * kBar);
    std::string text = style_.has_blocks ? "▕" : "[";
    for (std::size_t i = 0; i < kBar; ++i)
      text += style_.has_blocks ? (i < full ? "█" : "·") : (i < full ? "#" : ".");
    return text + (style_.has_blocks ? "▏" : "]");
  }

  std::string done_text(const RunPart& part) const {
    if (part.total <= 0)
      return part.done > 0 ? padded(with_commas(part.done), kBar + 8) : std::string(kBar + 8, ' ');
    const double share = part.done / part.total;
    const std::string percent = fmt::format("{:.0f}", std::floor(100 * std::min(share, 1.0)));
    return bar(share) + std::string(4 - std::min<std::size_t>(percent.size(), 3), ' ') + percent + " %";
  }

  std::string doing_text(const RunPart& part) const {
    if (part.total > 0 && part.done >= part.total) return "done";
    if (part.done == 0) return part.total > 0 ? "waits" : "";
    return part.is_warming_up ? "warm-up" : "";
  }

  void add_parts() {
    std::size_t name = 0, value = 0;
    for (const RunPart& part : state_.parts) {
      name = std::max(name, length(part.name));
      value = std::max(value, length(value_text(part)));
    }
    if (!state_.parts.empty()) add("");
    const std::size_t shown = std::min(state_.parts.size(), kMostParts);
    for (std::size_t i = 0; i < shown; ++i) {
      const RunPart& part = state_.parts[i];
      std::string line = "  " + padded(part.name, name) + "  " + done_text(part) + " ";
      if (state_.life != Life::over) line += " " + padded(doing_text(part), 7);
      const std::size_t room = style_.width - std::min(style_.width, length(line) + value + 4);
      line += " " + padded(sparkline(part.values, room, style_.has_blocks), room) + "  " + value_text(part);
      add(line);
    }
    if (shown < state_.parts.size()) add(fmt::format("  ... and {} more", state_.parts.size() - shown));
  }

  std::string value_text(const RunPart& part) const {
    const double last = part.last();
    if (std::isnan(last)) return {};
    return part.value_name + " " + fmt::format("{:.5g}", last);
  }

  void add_counts() {
    std::string line;
    if (state_.gradients > 0) {
      line = with_commas(static_cast<double>(state_.gradients)) + " gradients";
      if (state_.life == Life::running && state_.seconds > 1)
        line +=
            fmt::format(", {} a second", with_commas(static_cast<double>(state_.gradients) / state_.seconds));
    }
    if (state_.divergences > 0)
      line += fmt::format("{}{} divergence{}", line.empty() ? "" : "; ", state_.divergences,
                          state_.divergences == 1 ? "" : "s");
    if (line.empty()) return;
    add("");
    add("  " + line);
  }

  void add_end() {
    const run::RunRecord& record = state_.record;
    if (!record.facts.empty()) add("");
    for (std::size_t i = 0; i < std::min(record.facts.size(), kMostFacts); ++i)
      add(fmt::format("  {}: {}", record.facts[i].first, record.facts[i].second));
    if (record.findings.empty()) return;
    add("");
    const std::string text = for_terminal(run::findings_text(record.findings, style_.width));
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      add(text.substr(at, end - at));
      at = end + 1;
    }
  }

  const RunState& state_;
  FrameStyle style_;
  std::int64_t now_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "an unknown time";
  if (seconds < 0.1) return fmt::format("{:.0f} ms", 1000 * seconds);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(std::ceil(seconds));
  const auto two = [](long number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, two(whole % 60));
  return fmt::format("{} h {} min", whole / 3600, two(whole / 60 % 60));
}

std::string sparkline(std::span<const double> values, std::size_t width, bool has_blocks) {
  std::vector<double> finite;
  for (const double value : values)
    if (std::isfinite(value)) finite.push_back(value);
  if (finite.empty() || width == 0) return {};
  const Range range = range_of(finite);
  const std::size_t columns = std::min(width, values.size());
  std::string text;
  for (std::size_t c = 0; c < columns; ++c) {
    const std::size_t first = c * values.size() / columns;
    const std::size_t last = (c + 1) * values.size() / columns;
    double sum = 0, count = 0;
    for (std::size_t i = first; i < last; ++i) {
      if (!std::isfinite(values[i])) continue;
      sum += std::clamp(values[i], range.low, range.high);
      ++count;
    }
    if (count == 0) {
      text += ' ';
      continue;
    }
    const double width_of_range = range.high - range.low;
    const double place = width_of_range > 0 ? (sum / count - range.low) / width_of_range : 0.5;
    const auto level = static_cast<std::size_t>(std::clamp(std::floor(place * kLevels), 0.0, kLevels - 1));
    text += has_blocks ? kBlocks[level] : kLetters[level];
  }
  return text;
}

std::string frame_text(const RunState& state, const FrameStyle& style, std::int64_t now) {
  FrameStyle used = style;
  used.width = std::max<std::size_t>(style.width, 40);
  return Frame(state, used, now).text();
}

}  // namespace kullback::report
