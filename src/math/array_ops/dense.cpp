// Level 1 and 2 kernels and small helpers; the cubic ones are in dense_product.cpp and dense_factor.cpp.
//
// A matrix is read once, four columns at a time. y += A x keeps a block of y in the first-level cache while
// all columns pass; y += A' x keeps partial sums of four columns in registers. Both are bound by the memory
// that holds A. Two doubles to a register (SSE2, the baseline) are enough for that.
#include "math/array_ops/dense.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace kullback::math::dense {
namespace {

using Pair = double __attribute__((vector_size(16)));

inline Pair load(const double* p) {
  Pair pair;
  std::memcpy(&pair, p, sizeof pair);
  return pair;
}
inline void store(double* p, Pair pair) { std::memcpy(p, &pair, sizeof pair); }

constexpr std::size_t kBlock = 1024;  // rows of y kept close: 8 kB

struct Columns {  // four of them, from one row on
  const double* a;
  std::size_t stride;
};

// y[i] += sum over four columns of a[i, j] x[j].
void add_four(Columns columns, const double* x, double* y, std::size_t n) {
  const double* a0 = columns.a;
  const double* a1 = a0 + columns.stride;
  const double* a2 = a1 + columns.stride;
  const double* a3 = a2 + columns.stride;
  const Pair x0 = {x[0], x[0]};
  const Pair x1 = {x[1], x[1]};
  const Pair x2 = {x[2], x[2]};
  const Pair x3 = {x[3], x[3]};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const Pair low = (x0 * load(a0 + i) + x1 * load(a1 + i)) + (x2 * load(a2 + i) + x3 * load(a3 + i));
    const Pair high =
        (x0 * load(a0 + i + 2) + x1 * load(a1 + i + 2)) + (x2 * load(a2 + i + 2) + x3 * load(a3 + i + 2));
    store(y + i, load(y + i) + low);
    store(y + i + 2, load(y + i + 2) + high);
  }
  for (; i < n; ++i) {
    y[i] += (x[0] * a0[i] + x[1] * a1[i]) + (x[2] * a2[i] + x[3] * a3[i]);
  }
}

// y[j] += sum over rows of a[i, j] x[i], for four columns.
void dot_four(Columns columns, const double* x, double* y, std::size_t n) {
  const double* a0 = columns.a;
  const double* a1 = a0 + columns.stride;
  const double* a2 = a1 + columns.stride;
  const double* a3 = a2 + columns.stride;
  Pair s0{};
  Pair s1{};
  Pair s2{};
  Pair s3{};
  Pair t0{};
  Pair t1{};
  Pair t2{};
  Pair t3{};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const Pair low = load(x + i);
    const Pair high = load(x + i + 2);
    s0 += low * load(a0 + i);
    s1 += low * load(a1 + i);
    s2 += low * load(a2 + i);
    s3 += low * load(a3 + i);
    t0 += high * load(a0 + i + 2);
    t1 += high * load(a1 + i + 2);
    t2 += high * load(a2 + i + 2);
    t3 += high * load(a3 + i + 2);
  }
  s0 += t0;
  s1 += t1;
  s2 += t2;
  s3 += t3;
  double r0 = s0[0] + s0[1];
  double r1 = s1[0] + s1[1];
  double r2 = s2[0] + s2[1];
  double r3 = s3[0] + s3[1];
  for (; i < n; ++i) {
    r0 += x[i] * a0[i];
    r1 += x[i] * a1[i];
    r2 += x[i] * a2[i];
    r3 += x[i] * a3[i];
  }
  y[0] += r0;
  y[1] += r1;
  y[2] += r2;
  y[3] += r3;
}

}  // namespace

double sum(const double* x, std::size_t n) {
  Pair s0{};
  Pair s1{};
  Pair s2{};
  Pair s3{};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    s0 += load(x + i);
    s1 += load(x + i + 2);
    s2 += load(x + i + 4);
    s3 += load(x + i + 6);
  }
  const Pair s = (s0 + s1) + (s2 + s3);
  double result = s[0] + s[1];
  for (; i < n; ++i) {
    result += x[i];
  }
  return result;
}

double dot(const double* x, const double* y, std::size_t n) {
  Pair s0{};
  Pair s1{};
  Pair s2{};
  Pair s3{};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    s0 += load(x + i) * load(y + i);
    s1 += load(x + i + 2) * load(y + i + 2);
    s2 += load(x + i + 4) * load(y + i + 4);
    s3 += load(x + i + 6) * load(y + i + 6);
  }
  const Pair s = (s0 + s1) + (s2 + s3);
  double result = s[0] + s[1];
  for (; i < n; ++i) {
    result += x[i] * y[i];
  }
  return result;
}

void add_scaled(double scale, const double* x, double* y, std::size_t n) {
  const Pair c = {scale, scale};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    store(y + i, load(y + i) + c * load(x + i));
    store(y + i + 2, load(y + i + 2) + c * load(x + i + 2));
  }
  for (; i < n; ++i) {
    y[i] += scale * x[i];
  }
}

void add_constant(double c, double* y, std::size_t n) {
  const Pair both = {c, c};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    store(y + i, load(y + i) + both);
    store(y + i + 2, load(y + i + 2) + both);
  }
  for (; i < n; ++i) {
    y[i] += c;
  }
}

double max(const double* x, std::size_t n) {
  double result = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < n; ++i) {
    result = (x[i] > result || std::isnan(x[i])) ? x[i] : result;
  }
  return result;
}

void multiply(const ConstView& a, const double* x, double* y) {
  std::fill_n(y, a.height(), 0.0);
  add_product(a, x, y);
}

void add_product(const ConstView& a, const double* x, double* y) {
  if (a.transposed) {
    add_transposed_product(t(a), x, y);
    return;
  }
  for (std::size_t from = 0; from < a.rows; from += kBlock) {
    const std::size_t n = std::min(kBlock, a.rows - from);
    const double* column = a.data + from;
    std::size_t j = 0;
    for (; j + 4 <= a.cols; j += 4) {
      add_four({column + j * a.rows, a.rows}, x + j, y + from, n);
    }
    for (; j < a.cols; ++j) {
      add_scaled(x[j], column + j * a.rows, y + from, n);
    }
  }
}

void add_transposed_product(const ConstView& a, const double* x, double* y) {
  if (a.transposed) {
    add_product(t(a), x, y);
    return;
  }
  std::size_t j = 0;
  for (; j + 4 <= a.cols; j += 4) {
    dot_four({a.data + j * a.rows, a.rows}, x, y + j, a.rows);
  }
  for (; j < a.cols; ++j) {
    y[j] += dot(a.data + j * a.rows, x, a.rows);
  }
}

void add_outer(const double* u, const double* v, const View& a) {
  for (std::size_t j = 0; j < a.cols; ++j) {
    add_scaled(v[j], u, a.data + j * a.rows, a.rows);
  }
}

void copy(const ConstView& a, const View& b) {
  if (!a.transposed) {
    std::copy_n(a.data, b.size(), b.data);
    return;
  }
  for (std::size_t j = 0; j < b.cols; ++j) {
    for (std::size_t i = 0; i < b.rows; ++i) {
      b.data[i + j * b.rows] = a.data[j + i * a.rows];
    }
  }
}

void add(const ConstView& a, const View& b) {
  if (!a.transposed) {
    add_scaled(1, a.data, b.data, b.size());
    return;
  }
  for (std::size_t j = 0; j < b.cols; ++j) {
    for (std::size_t i = 0; i < b.rows; ++i) {
      b.data[i + j * b.rows] += a.data[j + i * a.rows];
    }
  }
}

void add_own_transpose(const View& a) {
  const std::size_t n = a.rows;
  for (std::size_t j = 0; j < n; ++j) {
    a.data[j + j * n] *= 2;
    for (std::size_t i = j + 1; i < n; ++i) {
      const double both = a.data[i + j * n] + a.data[j + i * n];
      a.data[i + j * n] = both;
      a.data[j + i * n] = both;
    }
  }
}

void set_identity(const View& a) {
  std::fill_n(a.data, a.size(), 0.0);
  for (std::size_t j = 0; j < std::min(a.rows, a.cols); ++j) {
    a.data[j + j * a.rows] = 1;
  }
}

void clear_upper(const View& a) {
  for (std::size_t j = 1; j < a.cols; ++j) {
    std::fill_n(a.data + j * a.rows, std::min(j, a.rows), 0.0);
  }
}

void mirror_lower(const View& a) {
  for (std::size_t j = 0; j < a.cols; ++j) {
    for (std::size_t i = j + 1; i < a.rows; ++i) {
      a.data[j + i * a.rows] = a.data[i + j * a.rows];
    }
  }
}

}  // namespace kullback::math::dense
