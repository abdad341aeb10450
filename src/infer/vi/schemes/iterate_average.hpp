// Averages over windows of iterates of a Gaussian, each window twice as long as the one before, with the
// Monte-Carlo error of the average.
#pragma once

#include <cstdint>
#include <vector>

#include "infer/archive.hpp"
#include "infer/vi/family.hpp"

namespace kullback::infer {

class IterateAverage final {
 public:
  // `gaussian` has the same shape each time. True where a window has ended: then mean() and the errors are
  // those of that window until the next ends.
  bool push(const GaussianGuess& gaussian);
  // Covariances are averaged.
  const GaussianGuess& mean() const { return mean_; }
  // Largest standard error of a mean, in standard deviations, and of a logarithm of a standard deviation;
  // with the autocorrelation of a first-order autoregression. Infinite where iterates still drift.
  double mean_error() const { return mean_error_; }
  double scale_error() const { return scale_error_; }
  void restart();

  void archive(Archive& archive);

 private:
  void begin(std::size_t size);
  void add(const GaussianGuess& gaussian);
  void end_window();

  std::uint64_t length_ = 16;
  std::uint64_t count_ = 0;
  GaussianGuess mean_;
  double mean_error_ = 0;
  double scale_error_ = 0;
  std::vector<double> scale_;     // of the window's first iterate
  std::vector<double> sum_;       // of the covariance, or the variances
  std::vector<double> total_;     // of the tracked numbers: means in standard deviations, then log sds
  std::vector<double> squares_;   // of them
  std::vector<double> products_;  // of neighbours
  std::vector<double> first_;     // iterate, tracked
  std::vector<double> last_;
};

}  // namespace kullback::infer
