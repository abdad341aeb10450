// Loops of flows over draws: matrices times draws, and elementwise functions. Draws are lanes, innermost, and
// their number is a multiple of kLaneBlock.
#pragma once

#include <cstddef>

namespace kullback::infer::flows {

inline constexpr std::size_t kLaneBlock = 8;

// Element (i, j) is at data[i * row_step + j * column_step].
struct MatrixView {
  const double* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row_step = 0;
  std::size_t column_step = 1;
};

inline MatrixView by_rows(const double* data, std::size_t rows, std::size_t columns) {
  return {data, rows, columns, columns, 1};
}
inline MatrixView transposed(const MatrixView& a) {
  return {a.data, a.columns, a.rows, a.column_step, a.row_step};
}

// y += A x: x is columns * lanes, y rows * lanes.
void add_product(const MatrixView& a, std::size_t lanes, const double* x, double* y);
// a(i, j) += sum over lanes of y_i x_j; a is rows * columns, row after row.
struct Outer {
  std::size_t rows = 0;
  std::size_t columns = 0;
  const double* y = nullptr;
  const double* x = nullptr;
};
void add_outer(const Outer& outer, std::size_t lanes, double* a);
// y_i = values[i] in all lanes.
void fill_rows(const double* values, std::size_t rows, std::size_t lanes, double* y);
// sums[i] += sum over lanes of y_i.
void add_row_sums(const double* y, std::size_t rows, std::size_t lanes, double* sums);
void tanh_all(const double* x, std::size_t count, double* y);  // y may be x
void exp_all(const double* x, std::size_t count, double* y);   // y may be x

}  // namespace kullback::infer::flows
