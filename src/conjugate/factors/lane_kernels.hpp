// Products of small dense matrices and many small Gaussians at once. Matrices go row after row; where a
// matrix has units of data for columns they are called lanes, and their number is a multiple of kLaneBlock
// (the last lanes may be padding).
#pragma once

#include <cstddef>

namespace kullback::conjugate {

inline constexpr std::size_t kLaneBlock = 8;

inline constexpr std::size_t padded_lanes(std::size_t lanes) {
  return (lanes + kLaneBlock - 1) / kLaneBlock * kLaneBlock;
}

struct MatrixView {
  const double* data;
  std::size_t rows;
  std::size_t columns;
};

// y += a x: a is rows x inner, x is inner x lanes, y is rows x lanes.
void add_product(const MatrixView& a, const double* x, std::size_t lanes, double* y);

// a += y x': y is rows x lanes, x is columns x lanes, row r of `a` begins at a + r * step.
void add_outer(const MatrixView& y, const MatrixView& x, double* a, std::size_t step);

// squares[r * step] += sum over lanes of weight * y_r^2.
void add_squares(const MatrixView& y, const double* weight, double* squares, std::size_t step);

// Rows of a table become lanes: (cell - offset) * scale, or 0 where the cell is NaN. `observed`, 1 or 0, may
// be null. Lanes from `count` on are 0.
struct TableRows {
  const double* const* rows;
  std::size_t count;
  std::size_t columns;
  const double* offset;
  const double* scale;
};
void rows_to_lanes(const TableRows& from, std::size_t lanes, double* cells, double* observed);

// flags[r]: whether row r has a NaN.
void find_missing(const MatrixView& table, char* flags);

// to[i] += scale * from[i]
void add_scaled(const double* from, double scale, std::size_t count, double* to);

// Symmetric matrices are kept as their lower triangle, row after row.
inline constexpr std::size_t packed_size(std::size_t dim) { return dim * (dim + 1) / 2; }
inline constexpr std::size_t packed_at(std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; }

// One Gaussian per lane. `matrix` (packed x lanes) holds precisions and gets covariances, `vector` (dim x
// lanes) holds precision times mean and gets means, `log_det` (lanes) gets the log determinants of the
// covariances: NaN where a precision is not positive definite.
struct LaneGaussians {
  std::size_t dim;
  std::size_t lanes;
  double* matrix;
  double* vector;
  double* log_det;
};
void invert(const LaneGaussians& gaussians);

}  // namespace kullback::conjugate
