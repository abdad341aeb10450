// One pass over the rows of a design matrix: linear predictor, likelihood and gradient, block by block, so
// that each block of x is read from memory once. Included only by .cpp files.
//
// eta_i = alpha_i + x_i . beta. A Family has
//   double evaluate(double y, double eta, double extra, double& d, double& e): KULLBACK_INLINE, without
//   branches: the log likelihood of one row, d its derivative by eta, e by the extra argument (scale,
//   precision); NaN where y or extra is not allowed. Where it has double prepare(double eta), that runs over
//   a block first, and evaluate gets its result after extra: two short chains of dependent operations are
//   faster than one long.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "math/instruction_set.hpp"

namespace kullback::math::density {

struct GlmRows {
  std::size_t rows = 0;    // of the likelihood
  std::size_t x_rows = 0;  // rows, or 1: the same predictors for all
  std::size_t cols = 0;
  const double* x = nullptr;  // column-major
  const double* beta = nullptr;
  // Where a step is 0 there is one value for all rows.
  const double* y = nullptr;
  std::size_t y_step = 0;
  const double* alpha = nullptr;
  std::size_t alpha_step = 0;
  const double* extra = nullptr;
  std::size_t extra_step = 0;
  const double* fixed = nullptr;  // added to eta; x and beta's share where x_rows is 1
  // Wanted where not null. To be added to; sized as the arguments.
  double* by_y = nullptr;  // minus the derivative by eta: families of y - eta only
  double* by_x = nullptr;
  double* by_alpha = nullptr;
  double* by_beta = nullptr;
  double* by_extra = nullptr;
  double* value = nullptr;
  double* slope_sum = nullptr;  // sum of the derivatives by eta
};

inline constexpr std::size_t kGlmBlock = 128;

template <class Family>
struct GlmPass {
  using Vector = double __attribute__((vector_size(32), aligned(8)));

  // to[i] += sum_j x(i, j) beta[j] for a block of rows.
  KULLBACK_INLINE static void add_predictor(const GlmRows& rows, std::size_t first, std::size_t size,
                                            double* to) {
    const std::size_t stride = rows.x_rows;
    const double* x = rows.x + first;
    std::size_t j = 0;
    for (; j + 4 <= rows.cols; j += 4, x += 4 * stride) {
      const double* x0 = x;
      const double* x1 = x0 + stride;
      const double* x2 = x1 + stride;
      const double* x3 = x2 + stride;
      const double b0 = rows.beta[j];
      const double b1 = rows.beta[j + 1];
      const double b2 = rows.beta[j + 2];
      const double b3 = rows.beta[j + 3];
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t i = 0; i < size; ++i) to[i] += (x0[i] * b0 + x1[i] * b1) + (x2[i] * b2 + x3[i] * b3);
    }
    for (; j < rows.cols; ++j, x += stride) {
      const double b = rows.beta[j];
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t i = 0; i < size; ++i) to[i] += x[i] * b;
    }
  }

  // by_beta[j] += sum_i x(i, j) d[i].
  KULLBACK_INLINE static void add_beta_slopes(const GlmRows& rows, std::size_t first, std::size_t size,
                                              const double* d) {
    const std::size_t stride = rows.x_rows;
    const double* x = rows.x + first;
    std::size_t j = 0;
    for (; j + 4 <= rows.cols; j += 4, x += 4 * stride) {
      Vector s0{}, s1{}, s2{}, s3{};
      std::size_t i = 0;
      for (; i + 4 <= size; i += 4) {
        Vector slope, v0, v1, v2, v3;
        std::memcpy(&slope, d + i, sizeof slope);
        std::memcpy(&v0, x + i, sizeof v0);
        std::memcpy(&v1, x + stride + i, sizeof v1);
        std::memcpy(&v2, x + 2 * stride + i, sizeof v2);
        std::memcpy(&v3, x + 3 * stride + i, sizeof v3);
        s0 += v0 * slope;
        s1 += v1 * slope;
        s2 += v2 * slope;
        s3 += v3 * slope;
      }
      double t0 = (s0[0] + s0[2]) + (s0[1] + s0[3]);
      double t1 = (s1[0] + s1[2]) + (s1[1] + s1[3]);
      double t2 = (s2[0] + s2[2]) + (s2[1] + s2[3]);
      double t3 = (s3[0] + s3[2]) + (s3[1] + s3[3]);
      for (; i < size; ++i) {
        t0 += x[i] * d[i];
        t1 += x[stride + i] * d[i];
        t2 += x[2 * stride + i] * d[i];
        t3 += x[3 * stride + i] * d[i];
      }
      rows.by_beta[j] += t0;
      rows.by_beta[j + 1] += t1;
      rows.by_beta[j + 2] += t2;
      rows.by_beta[j + 3] += t3;
    }
    for (; j < rows.cols; ++j, x += stride) rows.by_beta[j] += dot(x, d, size);
  }

  KULLBACK_INLINE static double dot(const double* x, const double* d, std::size_t size) {
    Vector s{};
    std::size_t i = 0;
    for (; i + 4 <= size; i += 4) {
      Vector slope, v;
      std::memcpy(&slope, d + i, sizeof slope);
      std::memcpy(&v, x + i, sizeof v);
      s += v * slope;
    }
    double total = (s[0] + s[2]) + (s[1] + s[3]);
    for (; i < size; ++i) total += x[i] * d[i];
    return total;
  }

  KULLBACK_INLINE static double sum(const double* x, std::size_t size) {
    Vector s{};
    std::size_t i = 0;
    for (; i + 4 <= size; i += 4) {
      Vector v;
      std::memcpy(&v, x + i, sizeof v);
      s += v;
    }
    double total = (s[0] + s[2]) + (s[1] + s[3]);
    for (; i < size; ++i) total += x[i];
    return total;
  }

  // A block of an argument, or the buffer, which holds the one value of all rows.
  KULLBACK_INLINE static const double* block(const double* data, std::size_t step, std::size_t first,
                                             const double* buffer) {
    return step == 0 ? buffer : data + first;
  }

  // to += from, or to[0] += the sum of from.
  KULLBACK_INLINE static void add(double* to, std::size_t step, std::size_t first, const double* from,
                                  std::size_t size, double sign) {
    if (step == 0) {
      to[0] += sign * sum(from, size);
    } else {
      for (std::size_t i = 0; i < size; ++i) to[first + i] += sign * from[i];
    }
  }

  KULLBACK_INLINE static void evaluate(std::size_t size, const double* y, const double* eta,
                                       const double* extra, double* value, double* slope,
                                       double* extra_slope) {
    if constexpr (requires { Family::prepare(0.0); }) {
      double prepared[kGlmBlock];
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t i = 0; i < size; ++i) prepared[i] = Family::prepare(eta[i]);
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t i = 0; i < size; ++i) {
        double d, e;
        value[i] = Family::evaluate(y[i], eta[i], extra[i], prepared[i], d, e);
        slope[i] = d;
        extra_slope[i] = e;
      }
    } else {
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t i = 0; i < size; ++i) {
        double d, e;
        value[i] = Family::evaluate(y[i], eta[i], extra[i], d, e);
        slope[i] = d;
        extra_slope[i] = e;
      }
    }
  }

  KULLBACK_INLINE static void run(const GlmRows& rows) {
    double eta[kGlmBlock], value[kGlmBlock], slope[kGlmBlock], extra_slope[kGlmBlock];
    double y_buffer[kGlmBlock], extra_buffer[kGlmBlock];
    std::fill_n(y_buffer, kGlmBlock, rows.y_step == 0 ? rows.y[0] : 0.0);
    std::fill_n(extra_buffer, kGlmBlock, rows.extra != nullptr && rows.extra_step == 0 ? rows.extra[0] : 0.0);
    const bool has_matrix = rows.x_rows == rows.rows && rows.fixed == nullptr;
    double total = 0;
    double total_slope = 0;
    for (std::size_t first = 0; first < rows.rows; first += kGlmBlock) {
      const std::size_t size = std::min(kGlmBlock, rows.rows - first);
      const double start = (rows.alpha_step == 0 ? rows.alpha[0] : 0.0) + (has_matrix ? 0.0 : rows.fixed[0]);
      if (rows.alpha_step == 0) {
        std::fill_n(eta, size, start);
      } else {
        for (std::size_t i = 0; i < size; ++i) eta[i] = rows.alpha[first + i] + start;
      }
      if (has_matrix) add_predictor(rows, first, size, eta);
      const double* y = block(rows.y, rows.y_step, first, y_buffer);
      const double* extra = block(rows.extra, rows.extra_step, first, extra_buffer);
      evaluate(size, y, eta, extra, value, slope, extra_slope);
      total += sum(value, size);
      if (!has_matrix) total_slope += sum(slope, size);
      if (rows.by_alpha != nullptr) add(rows.by_alpha, rows.alpha_step, first, slope, size, 1);
      if (rows.by_y != nullptr) add(rows.by_y, rows.y_step, first, slope, size, -1);
      if (rows.by_extra != nullptr) add(rows.by_extra, rows.extra_step, first, extra_slope, size, 1);
      if (!has_matrix) continue;
      if (rows.by_beta != nullptr) add_beta_slopes(rows, first, size, slope);
      if (rows.by_x != nullptr) {
        for (std::size_t j = 0; j < rows.cols; ++j) {
          double* to = rows.by_x + first + j * rows.x_rows;
          for (std::size_t i = 0; i < size; ++i) to[i] += slope[i] * rows.beta[j];
        }
      }
    }
    *rows.value += total;
    if (rows.slope_sum != nullptr) *rows.slope_sum += total_slope;
  }
};

// sum_i f(y_i) for a constant of the data; Function::of is KULLBACK_INLINE.
struct SumCall {
  const double* y;
  std::size_t y_step;
  const double* extra;
  std::size_t extra_step;
  std::size_t rows;
  double* value;
};

template <class Function>
struct SumOf {
  KULLBACK_INLINE static void run(const SumCall& call) {
    double y[kGlmBlock], extra[kGlmBlock], value[kGlmBlock];
    double total = 0;
    for (std::size_t first = 0; first < call.rows; first += kGlmBlock) {
      const std::size_t size = std::min(kGlmBlock, call.rows - first);
      for (std::size_t i = 0; i < size; ++i) y[i] = call.y[(first + i) * call.y_step];
      for (std::size_t i = 0; i < size; ++i) extra[i] = call.extra[(first + i) * call.extra_step];
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t i = 0; i < size; ++i) value[i] = Function::of(y[i], extra[i]);
      for (std::size_t i = 0; i < size; ++i) total += value[i];
    }
    *call.value += total;
  }
};

}  // namespace kullback::math::density
