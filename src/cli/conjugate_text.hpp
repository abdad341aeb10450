// What a fit of a conjugate model prints: progress while it runs, then its results.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "conjugate/fit.hpp"

namespace kullback::cli {

// `all`: whole tables, not their first rows and columns.
std::string outcome_text(const conjugate::Outcome& outcome, const std::filesystem::path& folder,
                         bool all = false);

class TrainDisplay final {
 public:
  TrainDisplay(bool quiet, const conjugate::TrainOptions& options);

  void show(const conjugate::TrainProgress& progress);
  void clear();  // before anything else is printed

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_;
  bool is_terminal_;
  const conjugate::TrainOptions& options_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_;
  bool is_shown_ = false;
};

}  // namespace kullback::cli
