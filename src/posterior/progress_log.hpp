// How far a run is, as lines of its events.jsonl, for those who look on from outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace kullback::posterior {

// A chain, a start, a training.
struct PartProgress {
  std::string name = {};  // "chain 1"
  double done = 0;        // steps, passes, epochs
  double total = 0;       // 0: not known
  bool is_warming_up = false;
  std::uint64_t divergences = 0;
  std::string value_name = {};                              // "lp__", "loss"
  double value = std::numeric_limits<double>::quiet_NaN();  // NaN: none yet
};

struct RunProgress {
  std::string stage = {};  // the method at work, of several in turn
  std::uint64_t gradients = 0;
  std::vector<PartProgress> parts = {};
};

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

}  // namespace kullback::posterior
