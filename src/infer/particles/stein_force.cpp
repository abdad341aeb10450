// The force on particle i (Liu and Wang 2016), kernel k = f(|y_j - y_i|^2) of the places y,
//   phi_i = 1/n sum_j [k_ji score_j + d k_ji / d x_j],   d k_ji / d x_ja = 2 f'_ji (y_ja - y_ia) dy_ja /
//   dx_ja.
// Sums run over j with the particles i innermost, so that the loops are vectors without reordering a sum.
// The floor is 3 n^2 dim multiply-adds (distances, and two for the force), n^2 / 2 exponentials or square
// roots, and n^2 / 2 comparisons or some more for the median.
#include "infer/particles/stein_force.hpp"

#include <algorithm>

namespace kullback::infer {

SteinForce::SteinForce(std::size_t count, std::size_t dim, stats::RadialKernel::Kind kind, double bandwidth)
    : count_(count),
      dim_(dim),
      kernel_{kind, bandwidth > 0 ? bandwidth : 1},
      is_adaptive_(!(bandwidth > 0)),
      mean_kernels_(count),
      squares_(count * count),
      values_(count * count),
      derivatives_(count * count) {
  sorted_.reserve(count * (count + 1) / 2);
}

// Row j, from the diagonal on.
void SteinForce::measure(const std::vector<double>& places) {
  std::fill(squares_.begin(), squares_.end(), 0.0);
  for (std::size_t j = 0; j < count_; ++j) {
    double* row = squares_.data() + j * count_;
    for (std::size_t a = 0; a < dim_; ++a) {
      const double* y = places.data() + a * count_;
      const double here = y[j];
      for (std::size_t i = j; i < count_; ++i) row[i] += (y[i] - here) * (y[i] - here);
    }
  }
}

double SteinForce::median_squared_distance() {
  sorted_.clear();
  for (std::size_t j = 0; j + 1 < count_; ++j)
    sorted_.insert(sorted_.end(), squares_.begin() + static_cast<std::ptrdiff_t>(j * count_ + j + 1),
                   squares_.begin() + static_cast<std::ptrdiff_t>((j + 1) * count_));
  if (sorted_.empty()) return 0;
  const auto middle = sorted_.begin() + static_cast<std::ptrdiff_t>(sorted_.size() / 2);
  std::nth_element(sorted_.begin(), middle, sorted_.end());
  return *middle;
}

void SteinForce::compute(const std::vector<double>& places, const std::vector<double>& scores,
                         const std::vector<double>& slopes, std::vector<double>& force) {
  measure(places);
  if (is_adaptive_)
    kernel_.bandwidth = stats::median_bandwidth(kernel_.kind, median_squared_distance(), count_);
  for (std::size_t j = 0; j < count_; ++j) {
    const std::size_t first = j * count_ + j;
    stats::values_and_slopes(kernel_, {squares_.data() + first, count_ - j}, values_.data() + first,
                             derivatives_.data() + first);
    for (std::size_t i = j + 1; i < count_; ++i) {
      values_[i * count_ + j] = values_[j * count_ + i];
      derivatives_[i * count_ + j] = derivatives_[j * count_ + i];
    }
  }
  const auto n = static_cast<double>(count_);
  std::fill(mean_kernels_.begin(), mean_kernels_.end(), 0.0);
  for (std::size_t j = 0; j < count_; ++j) {
    for (std::size_t i = 0; i < count_; ++i) mean_kernels_[i] += values_[j * count_ + i] / n;
  }
  std::fill(force.begin(), force.end(), 0.0);
  for (std::size_t a = 0; a < dim_; ++a) {
    const double* y = places.data() + a * count_;
    double* phi = force.data() + a * count_;
    for (std::size_t j = 0; j < count_; ++j) {
      const double score = scores[a * count_ + j] / n;
      const double push = 2 * (slopes.empty() ? 1.0 : slopes[a * count_ + j]) / n;
      const double there = y[j];
      const double* k = values_.data() + j * count_;
      const double* slope = derivatives_.data() + j * count_;
      for (std::size_t i = 0; i < count_; ++i) phi[i] += k[i] * score + slope[i] * (push * (there - y[i]));
    }
  }
}

}  // namespace kullback::infer
