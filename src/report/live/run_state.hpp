// What a run is doing, read from its folder while another process writes there. Nothing is changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_value.hpp"
#include "run/record.hpp"

namespace kullback::report {

enum class Life {
  running,
  silent,  // nothing has been written for too long, and nothing tells why
  died,    // the process is gone, and has not said that it ended
  over,    // complete, interrupted or stopped
};

// A chain, a start, a training.
struct RunPart {
  std::string name = {};
  double done = 0;
  double total = 0;  // 0: not known
  bool is_warming_up = false;
  std::uint64_t divergences = 0;
  std::string value_name = {};
  std::vector<double> values = {};  // oldest first, thinned evenly; NaN where there was none

  double last() const;  // NaN where there is none
};

struct TriedMethod {
  std::string method = {};
  std::string verdict = {};
  std::uint64_t gradients = 0;
};

struct RunState {
  std::filesystem::path folder = {};
  run::RunRecord record = {};  // complete once the run is over
  Life life = Life::running;
  std::string status = {};  // "running", "complete", "interrupted", "stopped"
  std::string doing = {};   // "nuts", "judging nuts"; may be empty
  double seconds = 0;       // since the run began or was resumed, when it last said so
  std::optional<double> seconds_left = {};
  bool is_left_at_most = false;  // the run may end before
  std::uint64_t gradients = 0;
  std::uint64_t divergences = 0;
  std::uint64_t pid = 0;  // 0: not known
  std::string host = {};
  std::int64_t last_sign = 0;  // seconds since 1970; 0: none
  std::vector<TriedMethod> tried = {};
  std::vector<RunPart> parts = {};
};

// JSON for the page: numbers that are not finite are null.
std::string to_json(const RunState& state);

// Follows one folder. Each look reads what has been added since the last.
class RunFollower final {
 public:
  // Throws Error where there is no folder or it holds no result.
  explicit RunFollower(std::filesystem::path folder);

  // `now`: seconds since 1970. Throws Error where the folder is gone or damaged.
  const RunState& look(std::int64_t now);

 private:
  void start_over();
  void read_events();
  void take(const JsonValue& event);
  void begin(const JsonValue& event);
  void take_progress(const JsonValue& event);
  void note_values(const JsonValue& parts);
  void estimate_end();
  Life find_life(std::int64_t now) const;
  void finish();

  struct Moment {
    double seconds = 0;
    double done = 0;
  };

  RunState state_;
  std::uint64_t offset_ = 0;
  std::uint64_t file_number_ = 0;  // of events.jsonl: another one is another run
  bool has_begun_ = false;
  bool has_ended_ = false;
  bool is_resumed_ = false;
  bool is_finished_ = false;  // values are those of the result's files
  double every_ = 1;
  std::size_t stride_ = 1;  // of notes of values
  std::size_t notes_ = 0;
  std::vector<Moment> moments_;  // of this stage
};

// The values of a result, from the files that its kind has: lp__ of chains, bounds, losses. Empty where there
// are none.
std::vector<RunPart> finished_parts(const std::filesystem::path& folder);

// "2026-11-15T17:30:00Z" in seconds since 1970; 0 where it is none.
std::int64_t time_of(const std::string& text);
std::string utc_text(std::int64_t time);  // "17:30:00 UTC"

}  // namespace kullback::report
