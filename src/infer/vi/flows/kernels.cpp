// Blocks of 4 rows and 8 lanes stay in registers while a product runs over the columns: 4 broadcasts and 2
// loads for 8 multiply-adds of 4 numbers. Packs of 4 numbers are native to AVX2; the baseline makes two
// instructions of each.
#include "infer/vi/flows/kernels.hpp"

#include <cmath>

#include "math/instruction_set.hpp"
#include "math/vector_math.hpp"

namespace kullback::infer::flows {

namespace {

using math::dispatch;
typedef double Pack __attribute__((vector_size(32), aligned(8), may_alias));
constexpr std::size_t kPack = 4;

KULLBACK_INLINE const Pack& pack_at(const double* at) { return *reinterpret_cast<const Pack*>(at); }
KULLBACK_INLINE Pack& pack_at(double* at) { return *reinterpret_cast<Pack*>(at); }

struct ProductCall {
  MatrixView a;
  std::size_t lanes;
  const double* x;
  double* y;
};

struct Product {
  template <std::size_t kRows>
  KULLBACK_INLINE static void block(const ProductCall& call, std::size_t row, std::size_t lane) {
    Pack sums[kRows][2];
    for (std::size_t r = 0; r < kRows; ++r) {
      sums[r][0] = pack_at(call.y + (row + r) * call.lanes + lane);
      sums[r][1] = pack_at(call.y + (row + r) * call.lanes + lane + kPack);
    }
    const double* a = call.a.data + row * call.a.row_step;
    const double* x = call.x + lane;
    for (std::size_t j = 0; j < call.a.columns; ++j, a += call.a.column_step, x += call.lanes) {
      const Pack first = pack_at(x);
      const Pack second = pack_at(x + kPack);
      for (std::size_t r = 0; r < kRows; ++r) {
        const double value = a[r * call.a.row_step];
        sums[r][0] += value * first;
        sums[r][1] += value * second;
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      pack_at(call.y + (row + r) * call.lanes + lane) = sums[r][0];
      pack_at(call.y + (row + r) * call.lanes + lane + kPack) = sums[r][1];
    }
  }

  template <std::size_t kRows>
  KULLBACK_INLINE static void lanes(const ProductCall& call, std::size_t row) {
    for (std::size_t lane = 0; lane < call.lanes; lane += kLaneBlock) block<kRows>(call, row, lane);
  }

  // The smaller of A and x is the one that is read again and again.
  KULLBACK_INLINE static void run(const ProductCall& call) {
    std::size_t row = 0;
    if (call.a.rows > call.lanes) {
      for (; row + 4 <= call.a.rows; row += 4) lanes<4>(call, row);
      for (; row < call.a.rows; ++row) lanes<1>(call, row);
      return;
    }
    for (std::size_t lane = 0; lane < call.lanes; lane += kLaneBlock) {
      for (row = 0; row + 4 <= call.a.rows; row += 4) block<4>(call, row, lane);
      for (; row < call.a.rows; ++row) block<1>(call, row, lane);
    }
  }
};

struct OuterCall {
  Outer outer;
  std::size_t lanes;
  double* a;
};

struct OuterSum {
  template <std::size_t kRows, std::size_t kColumns>
  KULLBACK_INLINE static void block(const OuterCall& call, std::size_t row, std::size_t column) {
    Pack sums[kRows][kColumns] = {};
    const double* y = call.outer.y + row * call.lanes;
    const double* x = call.outer.x + column * call.lanes;
    for (std::size_t k = 0; k < call.lanes; k += kPack) {
      for (std::size_t c = 0; c < kColumns; ++c) {
        const Pack right = pack_at(x + c * call.lanes + k);
        for (std::size_t r = 0; r < kRows; ++r) sums[r][c] += pack_at(y + r * call.lanes + k) * right;
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t c = 0; c < kColumns; ++c) {
        const Pack& sum = sums[r][c];
        call.a[(row + r) * call.outer.columns + column + c] += (sum[0] + sum[1]) + (sum[2] + sum[3]);
      }
    }
  }

  template <std::size_t kRows>
  KULLBACK_INLINE static void rows(const OuterCall& call, std::size_t row) {
    std::size_t column = 0;
    for (; column + 2 <= call.outer.columns; column += 2) block<kRows, 2>(call, row, column);
    for (; column < call.outer.columns; ++column) block<kRows, 1>(call, row, column);
  }

  KULLBACK_INLINE static void run(const OuterCall& call) {
    std::size_t row = 0;
    for (; row + 4 <= call.outer.rows; row += 4) rows<4>(call, row);
    for (; row < call.outer.rows; ++row) rows<1>(call, row);
  }
};

struct RowSumCall {
  const double* y;
  std::size_t rows;
  std::size_t lanes;
  double* sums;
};

struct RowSums {
  KULLBACK_INLINE static void run(const RowSumCall& call) {
    for (std::size_t i = 0; i < call.rows; ++i) {
      Pack sum = {};
      for (std::size_t k = 0; k < call.lanes; k += kPack) sum += pack_at(call.y + i * call.lanes + k);
      call.sums[i] += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
  }
};

struct ElementCall {
  const double* x;
  std::size_t count;
  double* y;
};

struct Tanh {
  KULLBACK_INLINE static void run(const ElementCall& call) {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t i = 0; i < call.count; ++i) call.y[i] = math::fast::tanh(call.x[i]);
  }
};

struct Exp {
  KULLBACK_INLINE static void run(const ElementCall& call) {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t i = 0; i < call.count; ++i) call.y[i] = math::fast::exp(call.x[i]);
  }
};

}  // namespace

void add_product(const MatrixView& a, std::size_t lanes, const double* x, double* y) {
  if (a.rows > 0 && a.columns > 0) dispatch<Product>(ProductCall{a, lanes, x, y});
}

void add_outer(const Outer& outer, std::size_t lanes, double* a) {
  if (outer.rows > 0 && outer.columns > 0) dispatch<OuterSum>(OuterCall{outer, lanes, a});
}

void fill_rows(const double* values, std::size_t rows, std::size_t lanes, double* y) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < lanes; ++k) y[i * lanes + k] = values[i];
  }
}

void add_row_sums(const double* y, std::size_t rows, std::size_t lanes, double* sums) {
  dispatch<RowSums>(RowSumCall{y, rows, lanes, sums});
}

void tanh_all(const double* x, std::size_t count, double* y) { dispatch<Tanh>(ElementCall{x, count, y}); }

void exp_all(const double* x, std::size_t count, double* y) { dispatch<Exp>(ElementCall{x, count, y}); }

}  // namespace kullback::infer::flows
