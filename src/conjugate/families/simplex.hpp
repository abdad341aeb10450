// Probabilities from unnormalised logarithms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kullback::conjugate {

inline double log_sum_exp(const double* x, std::size_t k) {
  const double top = *std::max_element(x, x + k);
  double sum = 0;
  for (std::size_t i = 0; i < k; ++i) sum += std::exp(x[i] - top);
  return top + std::log(sum);
}

inline void softmax(const double* x, std::size_t k, double* p) {
  const double top = *std::max_element(x, x + k);
  double sum = 0;
  for (std::size_t i = 0; i < k; ++i) sum += p[i] = std::exp(x[i] - top);
  for (std::size_t i = 0; i < k; ++i) p[i] /= sum;
}

}  // namespace kullback::conjugate
