// The two-loop recursion of L-BFGS (Nocedal and Wright 2006, algorithm 7.4): with r_k = 1 / s_k'y_k and
// V_k = I - r_k y_k s_k', the inverse Hessian is H_(k+1) = V_k' H_k V_k + r_k s_k s_k', begun with the
// multiple s'y / y'y of the identity that the newest pair gives.
#include "infer/optimize/curvature_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kullback::infer {

namespace {

// Of s'y / |s||y|. With standard deviations from 1e-6 to 1e6 it is 2e-12 at the least.
constexpr double kLeastCosine = std::numeric_limits<double>::epsilon();

void forget_first(std::vector<double>& numbers, std::size_t count) {
  numbers.erase(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double norm(std::span<const double> v) {
  double largest = 0;
  for (const double x : v) largest = std::max(largest, std::abs(x));
  if (largest == 0 || !std::isfinite(largest)) return largest;
  double sum = 0;
  for (const double x : v) sum += (x / largest) * (x / largest);
  return largest * std::sqrt(sum);
}

bool CurvaturePairs::push(std::span<const double> s, std::span<const double> y) {
  const double s_y = dot(s, y);
  const double lengths = norm(s) * norm(y);
  if (!(s_y > kLeastCosine * lengths) || !std::isfinite(1 / s_y) || !std::isfinite(lengths)) return false;
  if (count() == history_) {
    forget_first(s_, dim_);
    forget_first(y_, dim_);
  }
  s_.insert(s_.end(), s.begin(), s.end());
  y_.insert(y_.end(), y.begin(), y.end());
  return true;
}

void CurvaturePairs::clear() {
  s_.clear();
  y_.clear();
}

std::vector<double> CurvaturePairs::inverse_times(std::span<const double> v) const {
  std::vector<double> result(v.begin(), v.end());
  const std::size_t pairs = count();
  if (pairs == 0) return result;
  std::vector<double> removed(pairs);
  for (std::size_t k = pairs; k-- > 0;) {
    removed[k] = dot(s(k), result) / dot(s(k), y(k));
    for (std::size_t i = 0; i < dim_; ++i) result[i] -= removed[k] * y(k)[i];
  }
  const double y_norm = norm(y(pairs - 1));
  const double scale = dot(s(pairs - 1), y(pairs - 1)) / y_norm / y_norm;
  for (double& number : result) number *= scale;
  for (std::size_t k = 0; k < pairs; ++k) {
    const double added = removed[k] - dot(y(k), result) / dot(s(k), y(k));
    for (std::size_t i = 0; i < dim_; ++i) result[i] += added * s(k)[i];
  }
  return result;
}

void CurvaturePairs::archive(Archive& archive) {
  archive.value(s_);
  archive.value(y_);
}

}  // namespace kullback::infer
