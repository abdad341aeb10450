// A line of events.jsonl counts with its line end. Lines that are no JSON are passed over: a crash may leave
// one in the middle, before the run was resumed. The time left is that of the last half minute's pace.
#include "report/live/run_state.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "run/folder.hpp"

namespace kullback::report {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostValues = 512;
constexpr double kPace = 30;           // seconds that the estimate looks back
constexpr std::int64_t kPatience = 5;  // seconds beyond what a run said
constexpr std::int64_t kPatienceWhileJudging = 120;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double number_in(const JsonValue& object, std::string_view name, double otherwise) {
  const JsonValue* value = object.find(name);
  const JsonNumber* number = value != nullptr ? value->number() : nullptr;
  return number != nullptr ? number->value : otherwise;
}

std::uint64_t count_in(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.find(name);
  const JsonNumber* number = value != nullptr ? value->number() : nullptr;
  return number != nullptr ? number->count.value_or(0) : 0;
}

std::string text_in(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.find(name);
  const std::string* text = value != nullptr ? value->string() : nullptr;
  return text != nullptr ? *text : std::string();
}

bool truth_in(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.find(name);
  const bool* truth = value != nullptr ? value->boolean() : nullptr;
  return truth != nullptr && *truth;
}

void check_folder(const fs::path& folder) {
  std::error_code none;
  if (!fs::exists(folder, none))
    throw Error(ErrorKind::missing_file, folder.string() + ": there is no such folder.",
                "Name the folder of a run: the one given as --out.");
  if (!fs::is_directory(folder, none))
    throw Error(ErrorKind::bad_input, folder.string() + ": is a file; the folder of a run is needed.",
                "Name the folder that was given as --out.");
  if (!fs::exists(folder / "run.json", none))
    throw Error(ErrorKind::missing_file, folder.string() + ": holds no run: it has no run.json.",
                "Name the folder that was given as --out.");
}

std::string own_host() {
  char host[256] = {};
  return ::gethostname(host, sizeof host - 1) == 0 ? host : "";
}

// Gone for certain: a process of another user is there, too.
bool is_gone(std::uint64_t pid) {
  return pid > 0 && pid < 1U << 30 && ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
}

}  // namespace

double RunPart::last() const {
  for (auto value = values.rbegin(); value != values.rend(); ++value)
    if (std::isfinite(*value)) return *value;
  return kNone;
}

std::int64_t time_of(const std::string& text) {
  std::tm parts{};
  const char* const end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return end != nullptr && *end == 0 ? static_cast<std::int64_t>(::timegm(&parts)) : 0;
}

std::string utc_text(std::int64_t time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%H:%M:%S UTC", &parts)};
}

RunFollower::RunFollower(fs::path folder) {
  state_.folder = std::move(folder);
  check_folder(state_.folder);
}

void RunFollower::start_over() {
  const fs::path folder = state_.folder;
  const std::uint64_t file = file_number_;
  *this = RunFollower(folder);
  file_number_ = file;
}

void RunFollower::read_events() {
  const fs::path path = run::current_folder(state_.folder) / "events.jsonl";
  struct ::stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const auto number = static_cast<std::uint64_t>(status.st_ino);
  if (number != file_number_ || size < offset_) {
    file_number_ = number;
    if (offset_ > 0) start_over();
  }
  if (size == offset_) return;
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset_));
  std::string text(size - offset_, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    try {
      take(parse_json(std::string_view(text).substr(begin, end - begin), "events.jsonl"));
    } catch (const Error&) {  // torn by a crash
    }
  }
  offset_ += begin;
}

void RunFollower::take(const JsonValue& event) {
  const std::string name = text_in(event, "event");
  const std::int64_t time = time_of(text_in(event, "time"));
  state_.last_sign = std::max(state_.last_sign, time);
  if (name == "start" || name == "resume") {
    is_resumed_ = name == "resume";
    begin(event);
  } else if (name == "progress") {
    take_progress(event);
  } else if (name == "judging") {
    state_.doing = "judging " + text_in(event, "method");
    state_.seconds_left.reset();
  } else if (name == "rung") {
    state_.tried.push_back(
        {text_in(event, "method"), text_in(event, "verdict"), count_in(event, "gradients")});
  } else if (name == "finish" || name == "complete" || name == "interrupted" || name == "stopped") {
    has_ended_ = true;
    state_.status = name == "finish" ? "complete" : name;
  }
}

void RunFollower::begin(const JsonValue& event) {
  has_begun_ = true;
  has_ended_ = false;
  is_finished_ = false;
  state_.status = "running";
  state_.pid = count_in(event, "pid");
  state_.host = text_in(event, "host");
  state_.seconds = 0;
  state_.tried.clear();
  moments_.clear();
}

void RunFollower::take_progress(const JsonValue& event) {
  const std::string stage = text_in(event, "stage");
  const double seconds = number_in(event, "seconds", 0);
  if (stage != state_.doing && "judging " + stage != state_.doing) {  // another method: other numbers
    state_.parts.clear();
    stride_ = 1;
    notes_ = 0;
  }
  if (stage != state_.doing || seconds < state_.seconds) moments_.clear();
  state_.doing = stage;
  state_.seconds = seconds;
  state_.gradients = count_in(event, "gradients");
  every_ = std::clamp(number_in(event, "every", 1), 0.0, 3600.0);
  if (const JsonValue* parts = event.find("parts")) note_values(*parts);
  double done = 0;
  for (const RunPart& part : state_.parts) done += part.total > 0 ? part.done : 0;
  moments_.push_back({state_.seconds, done});
  while (moments_.size() > 2 && moments_.back().seconds - moments_[1].seconds > kPace)
    moments_.erase(moments_.begin());
  estimate_end();
}

void RunFollower::note_values(const JsonValue& parts) {
  if (parts.array() == nullptr) return;
  state_.divergences = 0;
  const bool is_kept = notes_++ % stride_ == 0;
  std::size_t i = 0;
  for (const JsonValue& noted : *parts.array()) {
    if (i == state_.parts.size()) state_.parts.emplace_back();
    RunPart& part = state_.parts[i++];
    part.name = text_in(noted, "name");
    part.value_name = text_in(noted, "value_name");
    part.done = number_in(noted, "done", 0);
    part.total = number_in(noted, "total", 0);
    part.is_warming_up = truth_in(noted, "warmup");
    part.divergences = count_in(noted, "divergences");
    state_.divergences += part.divergences;
    if (is_kept) part.values.push_back(number_in(noted, "value", kNone));
  }
  if (!is_kept || state_.parts.empty() || state_.parts.front().values.size() < kMostValues) return;
  stride_ *= 2;
  for (RunPart& part : state_.parts) {
    for (std::size_t k = 0; 2 * k < part.values.size(); ++k) part.values[k] = part.values[2 * k];
    part.values.resize((part.values.size() + 1) / 2);
  }
}

void RunFollower::estimate_end() {
  state_.seconds_left.reset();
  double done = 0, total = 0;
  for (const RunPart& part : state_.parts) {
    const bool is_known = part.total > 0;
    if (!is_known && part.done > 0) return;
    done += is_known ? part.done : 0;
    total += part.total;
  }
  const double time = moments_.back().seconds - moments_.front().seconds;
  const double gain = moments_.back().done - moments_.front().done;
  if (total > 0 && time > 0 && gain > 0) state_.seconds_left = (total - done) * time / gain;
}

Life RunFollower::find_life(std::int64_t now) const {
  const bool says_over = state_.record.status != "running" && !state_.record.status.empty();
  if (has_ended_ || (says_over && !is_resumed_)) return Life::over;
  const bool is_judging = state_.doing.starts_with("judging");
  const std::int64_t silence = now - state_.last_sign;
  const auto usual = static_cast<std::int64_t>(std::ceil(every_)) + kPatience;
  // A process in another container has a number of its own: what writes is alive.
  if (state_.host == own_host() && is_gone(state_.pid) && silence > usual) return Life::died;
  return silence > (is_judging ? kPatienceWhileJudging : usual) ? Life::silent : Life::running;
}

void RunFollower::finish() {
  if (state_.status == "running" || state_.status.empty()) state_.status = state_.record.status;
  state_.doing.clear();
  state_.seconds_left.reset();
  state_.seconds = state_.record.seconds;
  state_.gradients = state_.record.gradients;
  std::vector<RunPart> parts = finished_parts(run::current_folder(state_.folder));
  for (RunPart& part : parts) {
    for (const RunPart& before : state_.parts) {
      if (before.name != part.name) continue;
      part.divergences = before.divergences;
      part.value_name = before.value_name;
      // Epochs that were not made count to the whole.
      if (state_.status != "complete" && before.value_name == "loss")
        part.total = std::max(part.total, before.total);
    }
  }
  if (!parts.empty()) state_.parts = std::move(parts);
  is_finished_ = true;
}

const RunState& RunFollower::look(std::int64_t now) {
  check_folder(state_.folder);
  read_events();
  state_.record = run::read_run_record((run::current_folder(state_.folder) / "run.json").string());
  state_.is_left_at_most = state_.record.kind != run::Kind::posterior;
  if (!has_begun_) {
    state_.status = state_.record.status;
    if (state_.last_sign == 0) state_.last_sign = now;
  }
  state_.life = find_life(now);
  if (state_.life == Life::over && !is_finished_) finish();
  return state_;
}

}  // namespace kullback::report
