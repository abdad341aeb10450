// How far a run is, as lines of its events.jsonl, for those who look on from outside.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "run/progress.hpp"

namespace kullback::run {

// Lines come about once a second, rarer in long runs (a 600th of the time so far, 10 s at most), and a run
// that is over in no time has none. One thread at a time.
class ProgressLog final {
 public:
  explicit ProgressLog(std::filesystem::path out);

  bool is_due() const { return Clock::now() >= next_; }
  // {"event": "progress", "seconds": 12.3, "every": 1, ...}. Throws Error cannot_write.
  void write(const RunProgress& progress);
  bool has_written() const { return has_written_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path out_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_;
  bool has_written_ = false;
};

// Which process runs, as fields of the event that begins a run: "pid": 123, "host": "name".
std::string process_fields();

}  // namespace kullback::run
