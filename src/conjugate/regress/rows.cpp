// The floor of the Gram matrix of N rows and P columns is N P^2 floating-point operations (P^2 / 2
// multiply-adds a row, by symmetry) and one reading of 8 N P bytes. Tiles of 4 by 2 columns stay in registers
// while a product runs over 256 rows: 6 loads for 8 multiply-adds of 4 numbers.
#include "conjugate/regress/rows.hpp"

#include <algorithm>
#include <cmath>

#include "math/instruction_set.hpp"

namespace kullback::conjugate::regress {

namespace {

using math::dispatch;
typedef double Pack __attribute__((vector_size(32), aligned(8), may_alias));
constexpr std::size_t kPack = 4;
constexpr std::size_t kTileRows = 4;
constexpr std::size_t kTileColumns = 2;

KULLBACK_INLINE const Pack& pack_at(const double* at) { return *reinterpret_cast<const Pack*>(at); }
KULLBACK_INLINE Pack& pack_at(double* at) { return *reinterpret_cast<Pack*>(at); }
KULLBACK_INLINE double sum_of(const Pack& pack) { return (pack[0] + pack[1]) + (pack[2] + pack[3]); }

struct GramCall {
  const double* a;
  const double* b;
  std::size_t rows;  // a multiple of kPack
  std::size_t columns;
  double* sums;
};

struct Gram {
  KULLBACK_INLINE static void tile(const GramCall& call, std::size_t i, std::size_t j) {
    Pack sums[kTileRows][kTileColumns] = {};
    const double* a = call.a + i * kBlockRows;
    const double* b = call.b + j * kBlockRows;
    for (std::size_t n = 0; n < call.rows; n += kPack) {
      Pack right[kTileColumns];
      for (std::size_t c = 0; c < kTileColumns; ++c) right[c] = pack_at(b + c * kBlockRows + n);
      for (std::size_t r = 0; r < kTileRows; ++r) {
        const Pack left = pack_at(a + r * kBlockRows + n);
        for (std::size_t c = 0; c < kTileColumns; ++c) sums[r][c] += left * right[c];
      }
    }
    for (std::size_t r = 0; r < kTileRows && i + r < call.columns; ++r) {
      double* row = call.sums + (i + r) * (i + r + 1) / 2;
      for (std::size_t c = 0; c < kTileColumns && j + c <= i + r; ++c) row[j + c] += sum_of(sums[r][c]);
    }
  }
  KULLBACK_INLINE static void run(const GramCall& call) {
    for (std::size_t i = 0; i < call.columns; i += kTileRows) {
      for (std::size_t j = 0; j < i + kTileRows && j < call.columns; j += kTileColumns) tile(call, i, j);
    }
  }
};

struct ScaleCall {
  const double* x;
  std::size_t rows;
  std::size_t columns;
  const double* factor;
  double* result;
};

// |F x|^2 for packed lower triangular F; 8 rows of the block at a time, 4 rows of F where there are as many.
struct TriangularScale {
  template <std::size_t kRows>
  KULLBACK_INLINE static void rows_of_factor(const ScaleCall& call, std::size_t i, std::size_t n,
                                             Pack (&squares)[2]) {
    Pack sums[kRows][2] = {};
    const double* factor[kRows];
    for (std::size_t r = 0; r < kRows; ++r) factor[r] = call.factor + (i + r) * (i + r + 1) / 2;
    const auto multiply = [&](std::size_t first, std::size_t j) __attribute__((always_inline)) {
      const Pack low = pack_at(call.x + j * kBlockRows + n);
      const Pack high = pack_at(call.x + j * kBlockRows + n + kPack);
      for (std::size_t r = first; r < kRows; ++r) {
        sums[r][0] += factor[r][j] * low;
        sums[r][1] += factor[r][j] * high;
      }
    };
    for (std::size_t j = 0; j <= i; ++j) multiply(0, j);
    for (std::size_t r = 1; r < kRows; ++r) multiply(r, i + r);
    for (std::size_t r = 0; r < kRows; ++r) {
      squares[0] += sums[r][0] * sums[r][0];
      squares[1] += sums[r][1] * sums[r][1];
    }
  }
  KULLBACK_INLINE static void run(const ScaleCall& call) {
    for (std::size_t n = 0; n < call.rows; n += 2 * kPack) {
      Pack squares[2] = {};
      std::size_t i = 0;
      for (; i + 4 <= call.columns; i += 4) rows_of_factor<4>(call, i, n, squares);
      for (; i < call.columns; ++i) rows_of_factor<1>(call, i, n, squares);
      pack_at(call.result + n) = squares[0];
      pack_at(call.result + n + kPack) = squares[1];
    }
  }
};

struct DiagonalScale {
  KULLBACK_INLINE static void run(const ScaleCall& call) {
    std::fill(call.result, call.result + call.rows, 0.0);
    for (std::size_t j = 0; j < call.columns; ++j) {
      const double square = call.factor[j] * call.factor[j];
      const double* x = call.x + j * kBlockRows;
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t n = 0; n < call.rows; ++n) call.result[n] += square * x[n] * x[n];
    }
  }
};

struct PredictCall {
  const double* x;
  std::size_t rows;
  std::span<const double> mean;
  double* result;
};

struct Predict {
  KULLBACK_INLINE static void run(const PredictCall& call) {
    std::fill(call.result, call.result + call.rows, 0.0);
    for (std::size_t j = 0; j < call.mean.size(); ++j) {
      const double mean = call.mean[j];
      const double* x = call.x + j * kBlockRows;
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t n = 0; n < call.rows; ++n) call.result[n] += mean * x[n];
    }
  }
};

struct ProductsCall {
  const double* x;
  std::size_t rows;
  std::size_t columns;
  const double* weights;
  double* sums;
};

struct Products {
  KULLBACK_INLINE static void run(const ProductsCall& call) {
    for (std::size_t j = 0; j < call.columns; ++j) {
      Pack sum = {};
      const double* x = call.x + j * kBlockRows;
      for (std::size_t n = 0; n < call.rows; n += kPack) sum += pack_at(x + n) * pack_at(call.weights + n);
      call.sums[j] += sum_of(sum);
    }
  }
};

std::size_t rounded_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }
// Rows of zeros follow the last row of a block, columns of zeros the last column.
std::size_t padded_rows(const RowBlock& block) { return rounded_up(block.rows(), 2 * kPack); }

}  // namespace

Units units_of(const Batch& sample, bool scales) {
  const std::size_t columns = sample.columns;
  Units units{std::vector<double>(columns, 0.0), std::vector<double>(columns, 1.0)};
  double weight = 0;
  for (std::size_t n = 0; n < sample.units; ++n) {
    weight += sample.weight(n);
    for (std::size_t j = 0; j < columns; ++j) units.centre[j] += sample.weight(n) * sample.row(n)[j];
  }
  if (!(weight > 0)) return {std::vector<double>(columns, 0.0), std::vector<double>(columns, 1.0)};
  for (double& centre : units.centre) centre /= weight;
  std::vector<double> squares(columns), largest(columns);
  for (std::size_t n = 0; n < sample.units; ++n) {
    for (std::size_t j = 0; j < columns; ++j) {
      const double distance = sample.row(n)[j] - units.centre[j];
      squares[j] += sample.weight(n) * distance * distance;
      largest[j] = std::max(largest[j], std::abs(sample.row(n)[j]));
    }
  }
  for (std::size_t j = 0; j < columns; ++j) {
    const double sd = std::sqrt(squares[j] / weight);
    if (sd <= 1e-14 * largest[j]) {
      units.centre[j] = sample.row(0)[j];  // constant: exactly 0 after the shift
    } else if (scales) {
      units.scale[j] = sd;
    }
  }
  return units;
}

RowBlock::RowBlock(std::size_t columns)
    : columns_(columns + 1), values_(rounded_up(columns_, kTileRows) * kBlockRows, 0.0) {}

void RowBlock::load(const Batch& batch, std::size_t begin, std::size_t end, const Units& units) {
  rows_ = end - begin;
  const std::size_t padded = padded_rows(*this);
  std::fill_n(column(0), rows_, 1.0);
  std::fill(column(0) + rows_, column(0) + padded, 0.0);
  const double* cells = batch.values.data() + begin * batch.columns;
  for (std::size_t j = 0; j < batch.columns; ++j) {
    const double centre = units.centre[j], factor = 1 / units.scale[j];
    double* to = column(j + 1);
    for (std::size_t n = 0; n < rows_; ++n) to[n] = (cells[n * batch.columns + j] - centre) * factor;
    std::fill(to + rows_, to + padded, 0.0);
  }
}

void RowBlock::copy_weighted(const RowBlock& other, std::size_t columns, const double* weights) {
  rows_ = other.rows_;
  const std::size_t padded = padded_rows(*this);
  for (std::size_t j = 0; j < columns; ++j) {
    const double* from = other.column(j);
    double* to = column(j);
    for (std::size_t n = 0; n < rows_; ++n) to[n] = weights[n] * from[n];
    std::fill(to + rows_, to + padded, 0.0);
  }
}

void add_gram(const RowBlock& a, const RowBlock& b, std::size_t columns, double* sums) {
  dispatch<Gram>(GramCall{a.column(0), b.column(0), padded_rows(a), columns, sums});
}

void add_products(const RowBlock& block, std::size_t columns, const double* weights, double* sums) {
  dispatch<Products>(ProductsCall{block.column(0), padded_rows(block), columns, weights, sums});
}

void predict(const RowBlock& block, std::span<const double> mean, double* result) {
  dispatch<Predict>(PredictCall{block.column(0), padded_rows(block), mean, result});
}

void squared_scales(const RowBlock& block, std::size_t columns, const Spread& spread, double* result) {
  const ScaleCall call{block.column(0), padded_rows(block), columns, spread.factor.data(), result};
  spread.is_diagonal ? dispatch<DiagonalScale>(call) : dispatch<TriangularScale>(call);
}

}  // namespace kullback::conjugate::regress
