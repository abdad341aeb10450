// Progress on standard error: one line that is rewritten on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "deep/train/train.hpp"

namespace kullback::deep::cli {

class EpochDisplay final {
 public:
  // held_out_name: what the held-out figure is, "held-out log likelihood".
  EpochDisplay(bool is_quiet, std::string held_out_name);

  // `more`: other figures, as ", acceptance 0.61".
  void show(const EpochFigures& figures, std::int64_t epochs, const std::string& more = {});
  void clear();  // before anything else is printed

 private:
  using Clock = std::chrono::steady_clock;

  bool is_quiet_;
  bool is_terminal_;
  std::string held_out_name_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_;
  std::int64_t before_ = -1;  // epochs of earlier runs
  bool is_shown_ = false;
};

// "epoch 12 of 200, loss 0.512, held-out log likelihood -2.31, 14 s left"
std::string epoch_text(const EpochFigures& figures, std::int64_t epochs, const std::string& held_out_name,
                       double seconds_left);

}  // namespace kullback::deep::cli
