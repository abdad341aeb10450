// Inside stats: autocovariances of halves, each computed when it is asked for.
#pragma once

#include <cstddef>
#include <vector>

#include "stats/halves.hpp"

namespace kullback::stats {

class MeanAutocovariance final {
 public:
  // The halves are centred, and outlive this.
  explicit MeanAutocovariance(const Halves& centred);

  // Mean over halves of (1/n) sum_i y_i y_{i + lag}: with n, not n - lag (Geyer 1992, section 3.1).
  double operator()(std::size_t lag);

 private:
  const Halves& centred_;
  std::size_t transform_size_;
  std::size_t direct_lags_;
  std::vector<double> all_;  // filled when a lag beyond direct_lags_ is asked for
};

}  // namespace kullback::stats
