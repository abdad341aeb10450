// The parts of adaptation: the step size by dual averaging, the windows of warm-up, and moments of draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "infer/archive.hpp"

namespace kullback::infer {

struct AcceptanceGoal {
  double target = 0.8;
  double gamma = 0.05;  // larger: calmer, for acceptances that are noisy because they are of one step
};

// Nesterov's dual averaging of the log step size (Hoffman and Gelman 2014): the mean acceptance goes to its
// target.
class DualAveraging final {
 public:
  DualAveraging(AcceptanceGoal goal, double step_size);

  // Forgets all but draws the next step sizes towards ten times this one.
  void restart(double step_size);
  // The step size of the next iteration.
  double learn(double acceptance);
  // The step size for the time after adaptation.
  double average() const;

  void archive(Archive& archive);

 private:
  AcceptanceGoal goal_;
  double centre_;
  double count_ = 0;
  double mean_error_ = 0;
  double mean_log_step_ = 0;
};

// Stan's stages of warm-up: a fast one (75 iterations), slow windows (25, 50, 100, ...: the metric is that of
// the last whole window), a fast one (50). Shorter than 150, it is divided 15 : 75 : 10; below 20 there is no
// window.
class WindowSchedule final {
 public:
  explicit WindowSchedule(std::size_t warmup);

  bool collects(std::size_t iteration) const { return iteration >= first_ && iteration < last_; }
  bool ends_window(std::size_t iteration) const;
  // The last iteration of each window, from 0.
  const std::vector<std::size_t>& ends() const { return ends_; }

 private:
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  std::vector<std::size_t> ends_;
};

// Welford's running mean and variance or covariance, shrunk towards 1e-3 as if by five draws.
class RunningMoments final {
 public:
  RunningMoments(std::size_t dim, bool is_dense);

  void add(const double* theta);
  void restart();
  double count() const { return count_; }
  const std::vector<double>& mean() const { return mean_; }
  // As in an inverse metric: dim or dim * dim numbers.
  std::vector<double> shrunk() const;

  void archive(Archive& archive);

 private:
  bool is_dense_;
  double count_ = 0;
  std::vector<double> mean_;
  std::vector<double> squares_;
  std::vector<double> before_;  // deviations from the mean before the draw
};

}  // namespace kullback::infer
