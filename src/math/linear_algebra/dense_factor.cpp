// Cholesky and LU factors, triangular solves, and the adjoint of Cholesky. Each splits its matrix in halves
// and turns most of the work into products of blocks; leaves are plain loops.
//
// Adjoint of A = L L' (Murray 2016, arXiv:1602.07527), with A' standing for the lower triangle only. Split
// after k:
//   L = [R 0; C D],  A22 - C C' = D D'.
// Given adjoints of R, C, D: recurse on D to get S, the adjoint of the lower triangle of A22; then
//   C_ -= (S + S') C,   C_ := C_ R^-1,   R_ -= tril(C_' C),   recurse on R.
// A leaf does the same one row and column at a time.
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "math/array_ops/dense.hpp"

namespace kullback::math::dense {
namespace {

using Stride = Eigen::OuterStride<>;
using Block = Eigen::Map<Eigen::MatrixXd, 0, Stride>;
using ConstBlock = Eigen::Map<const Eigen::MatrixXd, 0, Stride>;

constexpr std::size_t kLeaf = 32;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

// A square part of a matrix on its diagonal.
struct Corner {
  double* data;
  std::size_t size;
  std::size_t stride;

  Corner from(std::size_t k) const { return {data + k * (stride + 1), size - k, stride}; }
  Corner upto(std::size_t k) const { return {data, k, stride}; }
  Block block(std::size_t i, std::size_t j, std::size_t rows, std::size_t cols) const {
    return {data + i + j * stride, index(rows), index(cols), Stride(index(stride))};
  }
};

bool factor_leaf(const Corner& a) {
  for (std::size_t j = 0; j < a.size; ++j) {
    double* column = a.data + j * a.stride;
    for (std::size_t k = 0; k < j; ++k) {
      const double* previous = a.data + k * a.stride;
      add_scaled(-previous[j], previous + j, column + j, a.size - j);
    }
    if (!(column[j] > 0) || std::isinf(column[j])) {
      return false;
    }
    const double root = std::sqrt(column[j]);
    column[j] = root;
    const double inverse = 1 / root;
    for (std::size_t i = j + 1; i < a.size; ++i) {
      column[i] *= inverse;
    }
  }
  return true;
}

void adjoint_leaf(const double* factor, const Corner& adjoint) {
  const std::size_t stride = adjoint.stride;
  double* bar = adjoint.data;
  for (std::size_t j = adjoint.size; j-- > 0;) {
    // Column j: l_jj = sqrt(a_jj - sum_k l_jk^2), l_ij = (a_ij - sum_k l_ik l_jk) / l_jj.
    const double inverse = 1 / factor[j + j * stride];
    double diagonal = bar[j + j * stride];
    for (std::size_t i = j + 1; i < adjoint.size; ++i) {
      double& entry = bar[i + j * stride];
      entry *= inverse;
      diagonal -= entry * factor[i + j * stride];
    }
    diagonal *= 0.5 * inverse;
    bar[j + j * stride] = diagonal;
    for (std::size_t k = 0; k < j; ++k) {
      const double* l = factor + k * stride;
      double* l_bar = bar + k * stride;
      const double* entries = bar + j * stride + j + 1;
      const std::size_t below = adjoint.size - j - 1;
      add_scaled(-l[j], entries, l_bar + j + 1, below);
      l_bar[j] -= 2 * diagonal * l[j] + dot(entries, l + j + 1, below);
    }
  }
}

void adjoint_halves(const double* factor, const Corner& adjoint) {
  if (adjoint.size <= kLeaf) {
    adjoint_leaf(factor, adjoint);
    return;
  }
  const std::size_t k = adjoint.size / 2;
  const std::size_t rest = adjoint.size - k;
  const Stride stride(index(adjoint.stride));
  const ConstBlock r(factor, index(k), index(k), stride);
  const ConstBlock c(factor + k, index(rest), index(k), stride);
  Block r_bar = adjoint.block(0, 0, k, k);
  Block c_bar = adjoint.block(k, 0, rest, k);
  Block s = adjoint.block(k, k, rest, rest);
  adjoint_halves(factor + k * (adjoint.stride + 1), adjoint.from(k));
  // S + S' from the lower triangle of S: its self-adjoint view counts the diagonal once.
  s.diagonal() *= 2;
  c_bar.noalias() -= s.selfadjointView<Eigen::Lower>() * c;
  s.diagonal() *= 0.5;
  r.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(c_bar);
  r_bar.triangularView<Eigen::Lower>() -= c_bar.transpose() * c;
  adjoint_halves(factor, adjoint.upto(k));
}

using Map = Eigen::Map<Eigen::MatrixXd>;
using ConstMap = Eigen::Map<const Eigen::MatrixXd>;

Map map(const View& a) { return {a.data, index(a.rows), index(a.cols)}; }
ConstMap stored(const ConstView& a) { return {a.data, index(a.rows), index(a.cols)}; }

void swap_rows(const View& a, std::size_t i, std::size_t k) {
  if (i != k) {
    for (std::size_t j = 0; j < a.cols; ++j) {
      std::swap(a.data[i + j * a.rows], a.data[k + j * a.rows]);
    }
  }
}

// Columns [from, to) of a square matrix, all rows from `from` on; rows are swapped across the whole matrix.
void lu_panel(const View& a, double* pivots, std::size_t from, std::size_t to) {
  const std::size_t n = a.rows;
  if (to - from > kLeaf) {
    const std::size_t middle = from + (to - from) / 2;
    lu_panel(a, pivots, from, middle);
    const Corner all{a.data, n, n};
    const Block l11 = all.block(from, from, middle - from, middle - from);
    Block u12 = all.block(from, middle, middle - from, to - middle);
    l11.triangularView<Eigen::UnitLower>().solveInPlace(u12);
    all.block(middle, middle, n - middle, to - middle).noalias() -=
        all.block(middle, from, n - middle, middle - from) * u12;
    lu_panel(a, pivots, middle, to);
    return;
  }
  for (std::size_t j = from; j < to; ++j) {
    double* column = a.data + j * n;
    std::size_t pivot = j;
    for (std::size_t i = j + 1; i < n; ++i) {
      pivot = std::fabs(column[i]) > std::fabs(column[pivot]) ? i : pivot;
    }
    pivots[j] = static_cast<double>(pivot);
    swap_rows(a, j, pivot);
    if (column[j] == 0) {
      continue;  // singular: the column below is zero too
    }
    const double inverse = 1 / column[j];
    for (std::size_t i = j + 1; i < n; ++i) {
      column[i] *= inverse;
    }
    for (std::size_t k = j + 1; k < to; ++k) {
      add_scaled(-a.data[j + k * n], column + j + 1, a.data + k * n + j + 1, n - j - 1);
    }
  }
}

// Plain substitution for a short right-hand side or a small matrix.
void solve_small(const ConstView& lower, const View& b) {
  const std::size_t n = lower.rows;
  for (std::size_t j = 0; j < b.cols; ++j) {
    double* x = b.data + j * n;
    if (lower.transposed) {
      for (std::size_t i = n; i-- > 0;) {
        const double* column = lower.data + i * n;
        x[i] = (x[i] - dot(column + i + 1, x + i + 1, n - i - 1)) / column[i];
      }
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        const double* column = lower.data + i * n;
        x[i] /= column[i];
        add_scaled(-x[i], column + i + 1, x + i + 1, n - i - 1);
      }
    }
  }
}

void solve_lu_small(const ConstView& lu, const View& b) {
  const std::size_t n = lu.rows;
  for (std::size_t j = 0; j < b.cols; ++j) {
    double* x = b.data + j * n;
    for (std::size_t i = 0; i < n; ++i) {
      const double* column = lu.data + i * n;
      if (lu.transposed) {  // U' is lower
        x[i] = (x[i] - dot(column, x, i)) / column[i];
      } else {
        add_scaled(-x[i], column + i + 1, x + i + 1, n - i - 1);
      }
    }
    for (std::size_t i = n; i-- > 0;) {
      const double* column = lu.data + i * n;
      if (lu.transposed) {  // L' is upper
        x[i] -= dot(column + i + 1, x + i + 1, n - i - 1);
      } else {
        x[i] /= column[i];
        add_scaled(-x[i], column, x, i);
      }
    }
  }
}

}  // namespace

bool factor_cholesky(const View& a) {
  if (a.rows <= kLeaf) {
    return factor_leaf({a.data, a.rows, a.rows});
  }
  Eigen::Ref<Eigen::MatrixXd> target = map(a);
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(target);
  if (llt.info() != Eigen::Success) {
    return false;
  }
  for (std::size_t i = 0; i < a.rows; ++i) {
    const double pivot = a.data[i * (a.rows + 1)];
    if (!(pivot > 0) || std::isinf(pivot)) {
      return false;
    }
  }
  return true;
}

void cholesky_adjoint(const ConstView& factor, const View& adjoint) {
  adjoint_halves(factor.data, {adjoint.data, adjoint.rows, adjoint.rows});
}

void solve_lower_left(const ConstView& lower, const View& b) {
  if (b.cols == 1 || lower.rows <= kLeaf) {
    solve_small(lower, b);
  } else if (lower.transposed) {
    stored(lower).transpose().triangularView<Eigen::Upper>().solveInPlace(map(b));
  } else {
    stored(lower).triangularView<Eigen::Lower>().solveInPlace(map(b));
  }
}

void solve_lower_right(const ConstView& lower, const View& b) {
  if (b.rows == 1) {  // x L = b is L' x' = b'
    solve_small(t(lower), {b.data, b.cols, 1});
  } else if (lower.transposed) {
    Map target = map(b);
    stored(lower).transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(target);
  } else {
    Map target = map(b);
    stored(lower).triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(target);
  }
}

void factor_lu(const View& a, double* pivots) { lu_panel(a, pivots, 0, a.rows); }

void solve_lu(const ConstView& lu, const double* pivots, const View& b) {
  const ConstMap factor = stored(lu);
  Map target = map(b);
  for (std::size_t i = 0; !lu.transposed && i < lu.rows; ++i) {
    swap_rows(b, i, static_cast<std::size_t>(pivots[i]));
  }
  if (b.cols == 1 || lu.rows <= kLeaf) {
    solve_lu_small(lu, b);
  } else if (!lu.transposed) {
    factor.triangularView<Eigen::UnitLower>().solveInPlace(target);
    factor.triangularView<Eigen::Upper>().solveInPlace(target);
  } else {
    factor.transpose().triangularView<Eigen::Lower>().solveInPlace(target);
    factor.transpose().triangularView<Eigen::UnitUpper>().solveInPlace(target);
  }
  for (std::size_t i = lu.rows; lu.transposed && i-- > 0;) {
    swap_rows(b, i, static_cast<std::size_t>(pivots[i]));
  }
}

LogDeterminant lu_determinant(const ConstView& lu, const double* pivots) {
  LogDeterminant result{0, 1};
  for (std::size_t i = 0; i < lu.rows; ++i) {
    const double pivot = lu.data[i * (lu.rows + 1)];
    const bool swapped = static_cast<std::size_t>(pivots[i]) != i;
    result.log_abs += std::log(std::fabs(pivot));
    result.sign *= (pivot < 0) != swapped ? -1 : 1;
  }
  return result;
}

}  // namespace kullback::math::dense
