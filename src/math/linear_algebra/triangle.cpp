// Lower triangles: the change of a Cholesky factor by v v', inverses, products with vectors. Sums are added
// in order; what runs along a row is in vector registers where rows are what is stored.
#include <algorithm>
#include <cmath>

#include "math/linear_algebra/in_order.hpp"

namespace kullback::math::linear {

namespace {

using in_order::element;

template <Storage storage>
struct Triangle {
  double* data;
  std::size_t size;
  std::size_t stride;

  explicit Triangle(const View& view) : data(view.data), size(view.rows), stride(view.stride) {}
  KULLBACK_INLINE double& operator()(std::size_t i, std::size_t j) const {
    return storage == Storage::rows ? data[i * stride + j] : data[j * stride + i];
  }
};

template <class Do>
void for_triangle(const View& view, const Do& act) {
  if (view.storage == Storage::rows)
    act(Triangle<Storage::rows>(view));
  else
    act(Triangle<Storage::columns>(view));
}

// Rotations of (column k of L, v) that make v_k zero (Gill, Golub, Murray, Saunders 1974).
template <class Lower>
KULLBACK_VECTORIZE void rotate_in(const Lower& lower, double* v) {
  for (std::size_t k = 0; k < lower.size; ++k) {
    const double old = lower(k, k);
    const double now = std::hypot(old, v[k]);
    const double cosine = now / old;
    const double sine = v[k] / old;
    lower(k, k) = now;
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t i = k + 1; i < lower.size; ++i) {
      double& entry = lower(i, k);
      entry = (entry + sine * v[i]) / cosine;
      v[i] = cosine * v[i] - sine * entry;
    }
  }
}

// Row i of X = L^-1: minus the rows of X before it, each times l_ik, over l_ii.
template <class Lower>
KULLBACK_VECTORIZE void invert(const ConstView& l, const Lower& x) {
  for (std::size_t i = 0; i < x.size; ++i) {
    for (std::size_t j = 0; j < x.size; ++j) x(i, j) = 0;
    for (std::size_t k = 0; k < i; ++k) {
      const double factor = element(l, i, k);
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t j = 0; j <= k; ++j) x(i, j) -= factor * x(k, j);
    }
    const double pivot = element(l, i, i);
    for (std::size_t j = 0; j < i; ++j) x(i, j) /= pivot;
    x(i, i) = 1 / pivot;
  }
}

// X becomes X'X, row after row: row i needs only the rows of X from i on.
template <class Lower>
KULLBACK_VECTORIZE void square(const Lower& x) {
  for (std::size_t i = 0; i < x.size; ++i) {
    const double pivot = x(i, i);
    for (std::size_t j = 0; j <= i; ++j) x(i, j) *= pivot;
    for (std::size_t k = i + 1; k < x.size; ++k) {
      const double factor = x(k, i);
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t j = 0; j <= i; ++j) x(i, j) += factor * x(k, j);
    }
    for (std::size_t j = 0; j < i; ++j) x(j, i) = x(i, j);
  }
}

}  // namespace

void update_cholesky(const View& lower, std::span<double> v) {
  for_triangle(lower, [&](const auto& l) { rotate_in(l, v.data()); });
}

void inverse_of_lower(const ConstView& lower, const View& inverse) {
  for_triangle(inverse, [&](const auto& x) { invert(lower, x); });
}

void inverse_of_cholesky(const ConstView& lower, const View& inverse) {
  for_triangle(inverse, [&](const auto& x) {
    invert(lower, x);
    square(x);
  });
}

void multiply_lower(const ConstView& lower, std::span<const double> x, std::span<double> result) {
  for (std::size_t i = 0; i < lower.rows; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j <= i; ++j) sum += element(lower, i, j) * x[j];
    result[i] = sum;
  }
}

KULLBACK_VECTORIZE void multiply_symmetric(const ConstView& a, std::span<const double> x,
                                           std::span<double> result) {
  std::fill(result.begin(), result.end(), 0.0);
  double* to = result.data();
  for (std::size_t j = 0; j < a.rows; ++j) {
    const double* column = a.data + j * a.stride;
    const double scale = x[j];
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t i = 0; i < a.rows; ++i) to[i] += column[i] * scale;
  }
}

}  // namespace kullback::math::linear
