#include "infer/ep/scaled_terms.hpp"

#include <algorithm>

namespace kullback::infer {

// The last lanes are filled up with copies: terms then keep memory for one number of lanes.
void ScaledTerms::evaluate(std::size_t points, const PointWriter& write, const ValueReader& read) {
  std::vector<double> x(dim());
  std::vector<double> theta(dim() * kLanes);
  std::vector<double> values(count() * kLanes);
  for (std::size_t first = 0; first < points; first += kLanes) {
    const std::size_t lanes = std::min(kLanes, points - first);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (lane < lanes) write(first + lane, x.data());
      for (std::size_t i = 0; i < dim(); ++i) theta[i * kLanes + lane] = center_[i] + scale_[i] * x[i];
    }
    terms_.evaluate(kLanes, theta.data(), values.data());
    read(first, lanes, values.data());
  }
  points_ += points;
}

}  // namespace kullback::infer
