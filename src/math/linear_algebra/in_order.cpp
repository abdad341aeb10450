// A column of a factor is what is left of that of A when the columns before it are subtracted one after
// another: l_ij = (a_ij - l_i0 l_j0 - l_i1 l_j1 - ...) / l_jj, all i at once in vector registers. A factor
// stored by rows is computed in the other triangle of its memory, where its columns lie in one piece. Sums
// along a row are chains of additions that wait for each other; four rows run side by side.
#include "math/linear_algebra/in_order.hpp"

#include <cmath>

#include "math/instruction_set.hpp"

namespace kullback::math::linear::in_order {

namespace {

// Up to here the copy into the other triangle costs more than it gains; the sums are the same.
constexpr std::size_t kTiny = 5;

struct Columns {
  double* data;
  std::size_t size;
  std::size_t stride;

  double* column(std::size_t j) const { return data + j * stride; }
};

// column j, from its diagonal on, minus its parts along the columns before it.
KULLBACK_INLINE void subtract_earlier(const Columns& a, std::size_t j) {
  double* own = a.column(j);
  std::size_t k = 0;
  for (; k + 4 <= j; k += 4) {
    const double *first = a.column(k), *second = a.column(k + 1), *third = a.column(k + 2),
                 *fourth = a.column(k + 3);
    const double c1 = first[j], c2 = second[j], c3 = third[j], c4 = fourth[j];
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t i = j; i < a.size; ++i)
      own[i] = own[i] - c1 * first[i] - c2 * second[i] - c3 * third[i] - c4 * fourth[i];
  }
  for (; k < j; ++k) {
    const double* earlier = a.column(k);
    const double c = earlier[j];
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t i = j; i < a.size; ++i) own[i] -= c * earlier[i];
  }
}

KULLBACK_VECTORIZE std::size_t factor(const Columns& a) {
  for (std::size_t j = 0; j < a.size; ++j) {
    subtract_earlier(a, j);
    double* own = a.column(j);
    if (!(own[j] > 0)) return j;
    const double root = std::sqrt(own[j]);
    own[j] = root;
    for (std::size_t i = j + 1; i < a.size; ++i) own[i] /= root;
  }
  return a.size;
}

std::size_t factor_tiny(const ConstView& a, const View& lower) {
  for (std::size_t i = 0; i < a.rows; ++i) {
    double* row = lower.data + i * lower.stride;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = lower.data + j * lower.stride;
      double sum = element(a, i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = i == j ? sum : sum / other[j];
    }
    if (!(row[i] > 0)) return i;
    row[i] = std::sqrt(row[i]);
    for (std::size_t j = i + 1; j < a.rows; ++j) row[j] = 0;
  }
  return a.rows;
}

// sums[r] -= row_r[j] x[j] for j = 0, 1, ...
KULLBACK_INLINE void subtract_products(const double* rows, std::size_t stride, const double* x,
                                       std::size_t count, double* sums) {
  const double *first = rows, *second = rows + stride, *third = second + stride, *fourth = third + stride;
  double s1 = sums[0], s2 = sums[1], s3 = sums[2], s4 = sums[3];
  for (std::size_t j = 0; j < count; ++j) {
    s1 -= first[j] * x[j];
    s2 -= second[j] * x[j];
    s3 -= third[j] * x[j];
    s4 -= fourth[j] * x[j];
  }
  sums[0] = s1, sums[1] = s2, sums[2] = s3, sums[3] = s4;
}

}  // namespace

std::size_t factor_columns(const View& a) {
  const std::size_t positive = factor({a.data, a.rows, a.stride});
  for (std::size_t j = 1; j < a.rows; ++j) {
    for (std::size_t i = 0; i < j; ++i) a.data[j * a.stride + i] = 0;
  }
  return positive;
}

std::size_t factor_rows(const ConstView& a, const View& lower) {
  const std::size_t n = a.rows;
  if (n <= kTiny) return factor_tiny(a, lower);
  const Columns columns{lower.data, n, lower.stride};
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) columns.column(j)[i] = element(a, i, j);
  }
  const std::size_t positive = factor(columns);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      lower.data[i * lower.stride + j] = columns.column(j)[i];
      columns.column(j)[i] = 0;
    }
  }
  return positive;
}

void solve_lower(const ConstView& lower, double* x) {
  const std::size_t n = lower.rows;
  std::size_t i = 0;
  const auto finish = [&](std::size_t row, std::size_t from) {
    const double* own = lower.data + row * lower.stride;
    for (std::size_t j = from; j < row; ++j) x[row] -= own[j] * x[j];
    x[row] /= own[row];
  };
  for (; i + 4 <= n; i += 4) {
    subtract_products(lower.data + i * lower.stride, lower.stride, x, i, x + i);
    for (std::size_t row = i; row < i + 4; ++row) finish(row, i);
  }
  for (; i < n; ++i) finish(i, 0);
}

KULLBACK_VECTORIZE void solve_lower_transposed(const ConstView& lower, double* x) {
  for (std::size_t i = lower.rows; i-- > 0;) {
    const double* row = lower.data + i * lower.stride;
    const double solved = x[i] / row[i];
    x[i] = solved;
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t j = 0; j < i; ++j) x[j] -= row[j] * solved;
  }
}

}  // namespace kullback::math::linear::in_order
