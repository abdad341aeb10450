// Loops of topic models, compiled for the machine's instruction set (math/instruction_set.hpp).
#pragma once

#include <cstddef>

namespace kullback::conjugate::kernels {

void digamma(const double* x, std::size_t size, double* y);
void log(const double* x, std::size_t size, double* y);
void exp(const double* x, std::size_t size, double* y);
double sum_log_gamma(const double* x, std::size_t size);
double dot(const double* x, const double* y, std::size_t size);

// One round of coordinate ascent in one document. `words` and `width` are multiples of 4 and 8. Row w has
// B_wk = exp(E log beta_wk), up to a factor of the word, n_w is its count:
//   t_k = exp(digamma(gamma_k)),  norm_w = sum_k t_k B_wk,  gamma_k = alpha_k + t_k sum_w n_w B_wk / norm_w.
// 2 words * width multiply-adds, and width exponentials.
struct Round {
  const double* const* rows;
  const double* counts;
  std::size_t words;
  std::size_t width;
  const double* alpha;
  double* gamma;  // updated, unless `smallest` is 0
  double* t;
  double* sums;  // scratch of `width`
  double* norms;
  double change = 0;    // sum of |new - old gamma|
  double smallest = 0;  // of the norms
};
void run_round(Round& round);

// counts_wk += scale n_w t_k B_wk / norm_w, and the sum of these times E log beta_wk is the result.
struct Spread {
  const double* const* rows;
  const double* const* log_rows;
  double* const* into;
  const double* counts;
  const double* norms;
  std::size_t words;
  const double* t;
  std::size_t topics;
  double scale;
};
double spread(const Spread& spread);

}  // namespace kullback::conjugate::kernels
