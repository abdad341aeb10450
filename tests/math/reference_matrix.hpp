// Matrices in extended precision by the plainest loops, to compare with.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "array_op_cases.hpp"

namespace kullback::math::array_op_testing {

using Real = long double;

struct Matrix {
  std::size_t rows = 1;
  std::size_t cols = 1;
  std::vector<Real> data;

  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), cols(c), data(r * c, 0) {}
  explicit Matrix(const Value& value)
      : rows(value.shape.rows), cols(value.shape.cols), data(value.data.begin(), value.data.end()) {}
  Real& operator()(std::size_t i, std::size_t j) { return data[i + j * rows]; }
  Real operator()(std::size_t i, std::size_t j) const { return data[i + j * rows]; }
};

inline Matrix identity(std::size_t n) {
  Matrix result(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    result(i, i) = 1;
  }
  return result;
}

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows, b.cols);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < b.cols; ++j) {
      for (std::size_t k = 0; k < a.cols; ++k) {
        result(i, j) += a(i, k) * b(k, j);
      }
    }
  }
  return result;
}

inline Matrix t(const Matrix& a) {
  Matrix result(a.cols, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.cols; ++j) {
      result(j, i) = a(i, j);
    }
  }
  return result;
}

inline Matrix column(const Value& value) {
  Matrix result(value.size(), 1);
  std::copy(value.data.begin(), value.data.end(), result.data.begin());
  return result;
}

inline Matrix diagonal(const Value& value) {
  Matrix result(value.size(), value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    result(i, i) = value.data[i];
  }
  return result;
}

inline Matrix lower(Matrix a) {
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = i + 1; j < a.cols; ++j) {
      a(i, j) = 0;
    }
  }
  return a;
}

inline Matrix scalar(Real x) {
  Matrix result(1, 1);
  result(0, 0) = x;
  return result;
}

inline Real trace(const Matrix& a) {
  Real total = 0;
  for (std::size_t i = 0; i < a.rows; ++i) {
    total += a(i, i);
  }
  return total;
}

// By Laplace's expansion: for small matrices only.
inline Real determinant(const Matrix& a) {
  if (a.rows == 0) {
    return 1;
  }
  Real total = 0;
  for (std::size_t j = 0; j < a.cols; ++j) {
    Matrix minor(a.rows - 1, a.cols - 1);
    for (std::size_t r = 1; r < a.rows; ++r) {
      for (std::size_t c = 0, to = 0; c < a.cols; ++c) {
        if (c != j) {
          minor(r - 1, to++) = a(r, c);
        }
      }
    }
    total += (j % 2 == 0 ? 1 : -1) * a(0, j) * determinant(minor);
  }
  return total;
}

inline Matrix exponential(const Matrix& a) {  // the series, halved and squared
  Matrix small = a;
  for (Real& x : small.data) {
    x /= 64;
  }
  Matrix term = identity(a.rows);
  Matrix total = term;
  for (int k = 1; k < 40; ++k) {
    term = term * small;
    for (std::size_t i = 0; i < term.data.size(); ++i) {
      term.data[i] /= static_cast<Real>(k);
      total.data[i] += term.data[i];
    }
  }
  for (int k = 0; k < 6; ++k) {
    total = total * total;
  }
  return total;
}

inline Matrix difference(const Matrix& a, const Matrix& b) {
  if (a.data.size() != b.data.size()) {
    throw std::logic_error("sizes differ");
  }
  Matrix result = a;
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    result.data[i] -= b.data[i];
  }
  return result;
}

inline Matrix power(const Matrix& a, int n) { return n == 0 ? identity(a.rows) : a * power(a, n - 1); }

inline Matrix half_sum(const Matrix& a) {
  Matrix result = a;
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.cols; ++j) {
      result(i, j) = (a(i, j) + a(j, i)) / 2;
    }
  }
  return result;
}

}  // namespace kullback::math::array_op_testing
