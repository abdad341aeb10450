#include "run/progress_log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/json.hpp"
#include "run/folder.hpp"
#include "run/json_text.hpp"

namespace kullback::run {

namespace {

constexpr std::chrono::milliseconds kFirst{300};
constexpr double kShortest = 1;
constexpr double kLongest = 10;
constexpr double kPartOfTime = 600;

std::string part_json(const PartProgress& part) {
  return fmt::format(
      "{{\"name\": {}, \"done\": {}, \"total\": {}, \"warmup\": {}, \"divergences\": {}, \"value_name\": {}, "
      "\"value\": {}}}",
      json_string(part.name), json_number(part.done), json_number(part.total),
      part.is_warming_up ? "true" : "false", part.divergences, json_string(part.value_name),
      json_number(part.value));
}

}  // namespace

ProgressLog::ProgressLog(std::filesystem::path out) : out_(std::move(out)), next_(began_ + kFirst) {}

void ProgressLog::write(const RunProgress& progress) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const double every = std::clamp(seconds / kPartOfTime, kShortest, kLongest);
  std::string parts;
  for (const PartProgress& part : progress.parts) parts += (parts.empty() ? "" : ", ") + part_json(part);
  add_event(out_, "progress",
            fmt::format("\"seconds\": {:.2f}, \"every\": {:.1f}, \"stage\": {}, \"gradients\": {}, "
                        "\"parts\": [{}]",
                        seconds, every, json_string(progress.stage), gradients_of(progress), parts));
  next_ = now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(every));
  has_written_ = true;
}

std::string process_fields() {
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) != 0) host[0] = 0;
  return fmt::format("\"pid\": {}, \"host\": {}", ::getpid(), json_string(host));
}

}  // namespace kullback::run
