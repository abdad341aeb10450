// What a fit of a conjugate model prints while it runs.
#pragma once

#include <chrono>

#include "conjugate/fit.hpp"

namespace kullback::cli {

class TrainDisplay final {
 public:
  TrainDisplay(bool quiet, conjugate::TrainOptions options);

  void show(const conjugate::TrainProgress& progress);
  void clear();  // before anything else is printed

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_;
  bool is_terminal_;
  const conjugate::TrainOptions options_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_;
  bool is_shown_ = false;
};

}  // namespace kullback::cli
