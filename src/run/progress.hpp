// How far a run is, as its loop says it: to the terminal (run/progress_line.hpp), to its log
// (run/progress_log.hpp) and to the caller of the library.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace kullback::run {

// A chain, a start, a training.
struct PartProgress {
  std::string name = {};  // "chain 1"
  double done = 0;        // steps, passes, epochs
  double total = 0;       // 0: not known
  bool is_warming_up = false;
  std::uint64_t gradients = 0;
  std::uint64_t divergences = 0;
  std::string value_name = {};                              // "lp__", "loss"
  double value = std::numeric_limits<double>::quiet_NaN();  // NaN: none yet
};

enum class Unit : unsigned char { step, pass, epoch, fit };

struct RunProgress {
  std::string stage = {};   // what is being done: "nuts", of several methods in turn; "judging nuts"
  Unit unit = Unit::step;   // of what is done
  bool is_at_most = false;  // the loop may end before its total
  std::vector<PartProgress> parts = {};
};

// Who looks on. The thread that started the run calls both, on_progress about ten times a second.
struct Watch {
  std::function<void(const RunProgress&)> on_progress = {};
  std::function<bool()> should_stop = [] { return false; };
};

std::uint64_t gradients_of(const RunProgress& progress);

}  // namespace kullback::run
