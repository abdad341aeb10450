// Progress of a run on standard error: one line that is rewritten on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "infer/algorithm.hpp"

namespace kullback::cli {

class Display final {
 public:
  explicit Display(bool quiet);

  void show(const std::vector<infer::Progress>& chains);
  void clear();  // before anything else is printed

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_;
  bool is_terminal_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_;
  bool is_shown_ = false;
};

// "warm-up 45 %, 3,120 steps/s, 4 s left, 2 divergences"
std::string progress_text(const std::vector<infer::Progress>& chains, double seconds);

}  // namespace kullback::cli
