// Blocks of 6 rows and 8 lanes stay in registers while a product runs over its inner index: 6 broadcasts and
// 2 loads for 12 multiply-adds of 4 numbers. Outer products keep 4 x 3 sums of 4 numbers: 7 loads for 12. A
// Gaussian costs dim^3 / 2 multiply-adds: Cholesky factor L, its inverse X, and X'X, a sixth each; 8 lanes go
// through them together, in a panel that fits the first cache up to dim 20.
#include "conjugate/factors/lane_kernels.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "math/instruction_set.hpp"
#include "math/vector_math.hpp"

namespace kullback::conjugate {

namespace {

using math::dispatch;
typedef double Pack __attribute__((vector_size(32), aligned(8), may_alias));
constexpr std::size_t kPack = 4;
static_assert(2 * kPack == kLaneBlock);

KULLBACK_INLINE const Pack& pack_at(const double* at) { return *reinterpret_cast<const Pack*>(at); }
KULLBACK_INLINE Pack& pack_at(double* at) { return *reinterpret_cast<Pack*>(at); }

struct ProductCall {
  MatrixView a;
  const double* x;
  std::size_t lanes;
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
    const double* a = call.a.data + row * call.a.columns;
    const double* x = call.x + lane;
    for (std::size_t j = 0; j < call.a.columns; ++j, x += call.lanes) {
      const Pack first = pack_at(x);
      const Pack second = pack_at(x + kPack);
      for (std::size_t r = 0; r < kRows; ++r) {
        const double value = a[r * call.a.columns + j];
        sums[r][0] += value * first;
        sums[r][1] += value * second;
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      pack_at(call.y + (row + r) * call.lanes + lane) = sums[r][0];
      pack_at(call.y + (row + r) * call.lanes + lane + kPack) = sums[r][1];
    }
  }

  KULLBACK_INLINE static void run(const ProductCall& call) {
    for (std::size_t lane = 0; lane < call.lanes; lane += kLaneBlock) {
      std::size_t row = 0;
      for (; row + 6 <= call.a.rows; row += 6) block<6>(call, row, lane);
      for (; row + 2 <= call.a.rows; row += 2) block<2>(call, row, lane);
      for (; row < call.a.rows; ++row) block<1>(call, row, lane);
    }
  }
};

struct OuterCall {
  MatrixView y;
  MatrixView x;
  double* a;
  std::size_t step;
};

struct OuterSum {
  template <std::size_t kRows, std::size_t kColumns>
  KULLBACK_INLINE static void block(const OuterCall& call, std::size_t row, std::size_t column) {
    Pack sums[kRows][kColumns] = {};
    const std::size_t lanes = call.y.columns;
    const double* y = call.y.data + row * lanes;
    const double* x = call.x.data + column * lanes;
    for (std::size_t k = 0; k < lanes; k += kPack) {
      for (std::size_t c = 0; c < kColumns; ++c) {
        const Pack right = pack_at(x + c * lanes + k);
        for (std::size_t r = 0; r < kRows; ++r) sums[r][c] += pack_at(y + r * lanes + k) * right;
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t c = 0; c < kColumns; ++c) {
        const Pack& s = sums[r][c];
        call.a[(row + r) * call.step + column + c] += (s[0] + s[1]) + (s[2] + s[3]);
      }
    }
  }

  template <std::size_t kRows>
  KULLBACK_INLINE static void rows(const OuterCall& call, std::size_t row) {
    std::size_t column = 0;
    for (; column + 3 <= call.x.rows; column += 3) block<kRows, 3>(call, row, column);
    for (; column < call.x.rows; ++column) block<kRows, 1>(call, row, column);
  }

  KULLBACK_INLINE static void run(const OuterCall& call) {
    std::size_t row = 0;
    for (; row + 4 <= call.y.rows; row += 4) rows<4>(call, row);
    for (; row < call.y.rows; ++row) rows<1>(call, row);
  }
};

struct SquaresCall {
  MatrixView y;
  const double* weight;
  double* squares;
  std::size_t step;
};

struct Squares {
  KULLBACK_INLINE static void run(const SquaresCall& call) {
    for (std::size_t r = 0; r < call.y.rows; ++r) {
      const double* y = call.y.data + r * call.y.columns;
      Pack low = {}, high = {};
      for (std::size_t k = 0; k < call.y.columns; k += kLaneBlock) {
        low += pack_at(call.weight + k) * pack_at(y + k) * pack_at(y + k);
        high += pack_at(call.weight + k + kPack) * pack_at(y + k + kPack) * pack_at(y + k + kPack);
      }
      low += high;
      call.squares[r * call.step] += (low[0] + low[1]) + (low[2] + low[3]);
    }
  }
};

struct RowsCall {
  TableRows from;
  std::size_t lanes;
  double* cells;
  double* observed;
};

struct Rows {
  template <bool kObserved>
  KULLBACK_INLINE static void block(const RowsCall& call, std::size_t lane) {
    const double* rows[kLaneBlock];
    for (std::size_t l = 0; l < kLaneBlock; ++l) rows[l] = call.from.rows[lane + l];
    for (std::size_t d = 0; d < call.from.columns; ++d) {
      double values[kLaneBlock];
      for (std::size_t l = 0; l < kLaneBlock; ++l) values[l] = rows[l][d];
      const double offset = call.from.offset[d], scale = call.from.scale[d];
      double* cells = call.cells + d * call.lanes + lane;
      for (std::size_t l = 0; l < kLaneBlock; ++l) {
        cells[l] = values[l] == values[l] ? (values[l] - offset) * scale : 0.0;
      }
      if constexpr (kObserved) {
        double* observed = call.observed + d * call.lanes + lane;
        for (std::size_t l = 0; l < kLaneBlock; ++l) observed[l] = values[l] == values[l] ? 1.0 : 0.0;
      }
    }
  }

  // The last rows, fewer than a block.
  KULLBACK_INLINE static void one(const RowsCall& call, std::size_t lane) {
    for (std::size_t d = 0; d < call.from.columns; ++d) {
      const double value =
          lane < call.from.count ? call.from.rows[lane][d] : std::numeric_limits<double>::quiet_NaN();
      const bool missing = value != value;
      call.cells[d * call.lanes + lane] = missing ? 0.0 : (value - call.from.offset[d]) * call.from.scale[d];
      if (call.observed != nullptr) call.observed[d * call.lanes + lane] = missing ? 0.0 : 1.0;
    }
  }

  KULLBACK_INLINE static void run(const RowsCall& call) {
    std::size_t lane = 0;
    for (; lane + kLaneBlock <= call.from.count; lane += kLaneBlock) {
      if (call.observed != nullptr) {
        block<true>(call, lane);
      } else {
        block<false>(call, lane);
      }
    }
    for (; lane < call.lanes; ++lane) one(call, lane);
  }
};

struct MissingCall {
  MatrixView table;
  char* flags;
};

struct Missing {
  KULLBACK_INLINE static void run(const MissingCall& call) {
    const double* row = call.table.data;
    for (std::size_t r = 0; r < call.table.rows; ++r, row += call.table.columns) {
      long missing = 0;
      for (std::size_t d = 0; d < call.table.columns; ++d) missing += row[d] != row[d] ? 1 : 0;
      call.flags[r] = missing > 0;
    }
  }
};

struct ScaledCall {
  const double* from;
  double scale;
  std::size_t count;
  double* to;
};

struct Scaled {
  KULLBACK_INLINE static void run(const ScaledCall& call) {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t i = 0; i < call.count; ++i) call.to[i] += call.scale * call.from[i];
  }
};

struct InvertCall {
  LaneGaussians of;
  double* factor;   // packed x kLaneBlock: L, its diagonal inverted
  double* inverse;  // packed x kLaneBlock: X = L^-1
};

// Eight numbers, one of each lane of a block.
struct Eight {
  Pack low, high;
  KULLBACK_INLINE static Eight zero() { return {Pack{}, Pack{}}; }
  KULLBACK_INLINE static Eight load(const double* at) { return {pack_at(at), pack_at(at + kPack)}; }
  KULLBACK_INLINE void store(double* at) const {
    pack_at(at) = low;
    pack_at(at + kPack) = high;
  }
  // this += a * b, this -= a * b
  KULLBACK_INLINE void add(const double* a, const double* b) {
    low += pack_at(a) * pack_at(b);
    high += pack_at(a + kPack) * pack_at(b + kPack);
  }
  KULLBACK_INLINE void subtract(const double* a, const double* b) {
    low -= pack_at(a) * pack_at(b);
    high -= pack_at(a + kPack) * pack_at(b + kPack);
  }
  KULLBACK_INLINE void scale(const double* a) {
    low *= pack_at(a);
    high *= pack_at(a + kPack);
  }
};

struct Invert {
  KULLBACK_INLINE static double* at(double* panel, std::size_t i, std::size_t j) {
    return panel + packed_at(i, j) * kLaneBlock;
  }

  KULLBACK_INLINE static void factorise(const InvertCall& call, std::size_t lane) {
    double* factor = call.factor;
    const std::size_t dim = call.of.dim;
    for (std::size_t p = 0; p < packed_size(dim); ++p) {
      Eight::load(call.of.matrix + p * call.of.lanes + lane).store(factor + p * kLaneBlock);
    }
    double* log_det = call.of.log_det + lane;
    for (std::size_t l = 0; l < kLaneBlock; ++l) log_det[l] = 0;
    for (std::size_t j = 0; j < dim; ++j) {
      double* diagonal = at(factor, j, j);
      Eight pivot = Eight::load(diagonal);
      for (std::size_t k = 0; k < j; ++k) pivot.subtract(at(factor, j, k), at(factor, j, k));
      pivot.store(diagonal);
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t l = 0; l < kLaneBlock; ++l) log_det[l] -= math::fast::log(diagonal[l]);
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t l = 0; l < kLaneBlock; ++l) diagonal[l] = 1.0 / std::sqrt(diagonal[l]);
      for (std::size_t i = j + 1; i < dim; ++i) {
        Eight sum = Eight::load(at(factor, i, j));
        for (std::size_t k = 0; k < j; ++k) sum.subtract(at(factor, i, k), at(factor, j, k));
        sum.scale(diagonal);
        sum.store(at(factor, i, j));
      }
    }
  }

  KULLBACK_INLINE static void invert_factor(const InvertCall& call) {
    for (std::size_t j = 0; j < call.of.dim; ++j) {
      Eight::load(at(call.factor, j, j)).store(at(call.inverse, j, j));
      for (std::size_t i = j + 1; i < call.of.dim; ++i) {
        Eight sum = Eight::zero();
        for (std::size_t k = j; k < i; ++k) sum.subtract(at(call.factor, i, k), at(call.inverse, k, j));
        sum.scale(at(call.factor, i, i));
        sum.store(at(call.inverse, i, j));
      }
    }
  }

  // Covariance X'X and mean X'(X vector).
  KULLBACK_INLINE static void finish(const InvertCall& call, std::size_t lane) {
    const std::size_t dim = call.of.dim, lanes = call.of.lanes;
    double* vector = call.of.vector + lane;
    for (std::size_t i = dim; i-- > 0;) {
      Eight sum = Eight::zero();
      for (std::size_t j = 0; j <= i; ++j) sum.add(at(call.inverse, i, j), vector + j * lanes);
      sum.store(vector + i * lanes);
    }
    for (std::size_t j = 0; j < dim; ++j) {
      Eight sum = Eight::zero();
      for (std::size_t i = j; i < dim; ++i) sum.add(at(call.inverse, i, j), vector + i * lanes);
      sum.store(vector + j * lanes);
    }
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        Eight sum = Eight::zero();
        for (std::size_t k = i; k < dim; ++k) sum.add(at(call.inverse, k, i), at(call.inverse, k, j));
        sum.store(call.of.matrix + packed_at(i, j) * lanes + lane);
      }
    }
  }

  KULLBACK_INLINE static void run(const InvertCall& call) {
    for (std::size_t lane = 0; lane < call.of.lanes; lane += kLaneBlock) {
      factorise(call, lane);
      invert_factor(call);
      finish(call, lane);
    }
  }
};

}  // namespace

void add_product(const MatrixView& a, const double* x, std::size_t lanes, double* y) {
  if (a.rows > 0 && a.columns > 0) dispatch<Product>(ProductCall{a, x, lanes, y});
}

void add_outer(const MatrixView& y, const MatrixView& x, double* a, std::size_t step) {
  if (y.rows > 0 && x.rows > 0) dispatch<OuterSum>(OuterCall{y, x, a, step});
}

void add_squares(const MatrixView& y, const double* weight, double* squares, std::size_t step) {
  dispatch<Squares>(SquaresCall{y, weight, squares, step});
}

void rows_to_lanes(const TableRows& from, std::size_t lanes, double* cells, double* observed) {
  dispatch<Rows>(RowsCall{from, lanes, cells, observed});
}

void find_missing(const MatrixView& table, char* flags) { dispatch<Missing>(MissingCall{table, flags}); }

void add_scaled(const double* from, double scale, std::size_t count, double* to) {
  dispatch<Scaled>(ScaledCall{from, scale, count, to});
}

void invert(const LaneGaussians& gaussians) {
  std::vector<double> panels(2 * packed_size(gaussians.dim) * kLaneBlock);
  const InvertCall call{gaussians, panels.data(), panels.data() + panels.size() / 2};
  dispatch<Invert>(call);
}

}  // namespace kullback::conjugate
