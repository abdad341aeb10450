// Progress on standard error: one line that is rewritten on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "run/progress.hpp"

namespace kullback::run {

// When a stage was first seen, and how far it was: what a run that goes on had done before tells nothing of
// its speed.
struct StageBegin {
  double seconds = 0;
  double done = 0;
};

// "nuts: warm-up 45 %, 3,120 steps/s, 4 s left, 2 divergences";
// "cavi: start 1 of 3, pass 2.5 of at most 500, bound per unit -3.2, 0.1 s per pass".
std::string progress_text(const RunProgress& progress, double seconds, const StageBegin& begin = {});

// Shows what a run is at, not before it lasts and not too often; cleared from a terminal in the end.
class ProgressLine final {
 public:
  explicit ProgressLine(bool is_quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool is_due() const;  // whether a text would be shown now
  void show(const RunProgress& progress);
  void show(const std::string& text);
  void clear();  // before anything else is printed

 private:
  using Clock = std::chrono::steady_clock;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  bool is_quiet_;
  bool is_terminal_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_;
  std::string stage_;
  StageBegin stage_begin_;
  bool is_shown_ = false;
};

}  // namespace kullback::run
