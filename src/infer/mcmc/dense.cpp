// Products run along rows of symmetric matrices as sums of columns, so that they vectorise without changing
// the order of additions. The update of a Cholesky factor by v v' is the sequence of rotations of Gill,
// Golub, Murray, Saunders (1974).
#include "infer/mcmc/dense.hpp"

#include <cmath>

namespace kullback::infer {

bool cholesky(const std::vector<double>& a, std::size_t dim, std::vector<double>& lower) {
  lower.assign(dim * dim, 0.0);
  for (std::size_t i = 0; i < dim; ++i) {
    double* row = lower.data() + i * dim;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = lower.data() + j * dim;
      double sum = a[i * dim + j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (i != j) {
        row[j] = sum / other[j];
      } else {
        if (!(sum > 0) || !std::isfinite(sum)) return false;
        row[i] = std::sqrt(sum);
      }
    }
  }
  return true;
}

void symmetric_times(const double* a, const double* x, std::size_t dim, double* __restrict result) {
  for (std::size_t i = 0; i < dim; ++i) result[i] = 0;
  for (std::size_t j = 0; j < dim; ++j) {
    const double* __restrict row = a + j * dim;
    const double scale = x[j];
    for (std::size_t i = 0; i < dim; ++i) result[i] += row[i] * scale;
  }
}

void lower_times(const double* lower, const double* x, std::size_t dim, double* result) {
  for (std::size_t i = 0; i < dim; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j <= i; ++j) sum += lower[i * dim + j] * x[j];
    result[i] = sum;
  }
}

void solve_transposed(const double* lower, std::size_t dim, double* __restrict x) {
  for (std::size_t i = dim; i-- > 0;) {
    const double* __restrict row = lower + i * dim;
    x[i] /= row[i];
    for (std::size_t j = 0; j < i; ++j) x[j] -= row[j] * x[i];
  }
}

void solve_lower(const double* lower, std::size_t dim, double* x) {
  for (std::size_t i = 0; i < dim; ++i) {
    double sum = x[i];
    for (std::size_t j = 0; j < i; ++j) sum -= lower[i * dim + j] * x[j];
    x[i] = sum / lower[i * dim + i];
  }
}

void cholesky_update(double* lower, std::size_t dim, double* v) {
  for (std::size_t k = 0; k < dim; ++k) {
    const double old = lower[k * dim + k];
    const double now = std::hypot(old, v[k]);
    const double cosine = now / old;
    const double sine = v[k] / old;
    lower[k * dim + k] = now;
    for (std::size_t i = k + 1; i < dim; ++i) {
      double& entry = lower[i * dim + k];
      entry = (entry + sine * v[i]) / cosine;
      v[i] = cosine * v[i] - sine * entry;
    }
  }
}

}  // namespace kullback::infer
