// When a stochastic ascent has settled at a step size, when the step size has fallen far enough: from the
// iterates alone, without tuning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "infer/archive.hpp"

namespace kullback::infer {

struct WindowReport {
  double bound = 0;  // mean over the window
  double error = 0;  // its standard error, from the spread of the window's quarters
  bool is_settled = false;
};

class Stages final {
 public:
  static constexpr double kTolerance = 0.02;

  // `units` of the parameters (Family::units). Without step sizes there is one stage. Where the parameters
  // are not identified the bound decides alone.
  Stages(std::vector<double> units, bool has_step_sizes, bool is_identified = true);

  // An iterate with the bound at it; true where it completes a window.
  bool note(std::span<const double> lambda, double bound);
  // Of the window just completed; begins the next one.
  WindowReport end_window();
  // Forgets the window that is going on.
  void restart_window();

  bool is_done() const { return is_done_; }
  // Done because there were enough stages, not because the last one changed little.
  bool has_run_out() const {
    return is_done_ && has_step_sizes_ && !units_.empty() && !(remaining_ < kTolerance);
  }
  double step_scale() const { return step_scale_; }       // of the step size; falls with the stages
  std::span<const double> mean() const { return mean_; }  // of the iterates of the last window; may be empty
  // Expected distance to the optimum: in units of the parameters where they are identified, else of the
  // bound. Infinite before there are two stages.
  double remaining() const { return remaining_; }

  void archive(Archive& archive);

 private:
  double rhat(std::size_t parameter) const;
  double error_of_mean(std::size_t parameter) const;
  bool has_settled() const;
  void end_stage(const WindowReport& report);

  std::vector<double> units_;
  bool has_step_sizes_;
  bool is_identified_;
  std::vector<double> origin_;   // iterates are summed relative to it
  std::vector<double> sums_;     // quarter after quarter
  std::vector<double> squares_;  // of the whole window
  std::vector<double> bounds_;   // quarter sums
  std::uint64_t length_;         // of the window
  std::uint64_t noted_ = 0;
  std::vector<double> mean_;
  std::vector<double> stage_mean_;  // of the stage before
  double last_bound_ = 0;
  std::uint64_t flat_windows_ = 0;  // in a row, without a rise of the bound
  double stage_bound_ = 0;          // of the stage before
  std::uint64_t windows_ = 0;       // of this stage
  std::uint64_t stages_ = 0;
  double step_scale_ = 1;
  double remaining_ = 0;
  bool is_done_ = false;
};

}  // namespace kullback::infer
