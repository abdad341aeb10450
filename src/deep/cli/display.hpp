// Progress on standard error: one line that is rewritten on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "deep/train/train.hpp"

namespace kullback::deep::cli {

// Shows what a run is at, not before it lasts and not too often; cleared from a terminal in the end.
class ProgressLine final {
 public:
  explicit ProgressLine(bool is_quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool is_due() const;  // whether a text would be shown now
  void show(const std::string& text);
  void clear();  // before anything else is printed

 private:
  using Clock = std::chrono::steady_clock;

  bool is_quiet_;
  bool is_terminal_;
  Clock::time_point next_;
  bool is_shown_ = false;
};

class EpochDisplay final {
 public:
  // held_out_name: what the held-out figure is, "held-out log likelihood".
  EpochDisplay(bool is_quiet, std::string held_out_name);

  // `more`: other figures, as ", acceptance 0.61".
  void show(const EpochFigures& figures, std::int64_t epochs, const std::string& more = {});
  void clear() { line_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  ProgressLine line_;
  std::string held_out_name_;
  Clock::time_point began_ = Clock::now();
  std::int64_t before_ = -1;  // epochs of earlier runs
};

// "epoch 12 of 200, loss 0.512, held-out log likelihood -2.31, 14 s left"
std::string epoch_text(const EpochFigures& figures, std::int64_t epochs, const std::string& held_out_name,
                       double seconds_left);

}  // namespace kullback::deep::cli
