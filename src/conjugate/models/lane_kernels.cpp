// Blocks of 6 rows and 8 lanes stay in registers while a product runs over its inner index: 6 broadcasts and 2
// loads for 12 multiply-adds of 4 numbers with AVX2. Outer products keep 3 x 2 sums of 8 numbers.
// A Gaussian costs dim^3 / 2 multiply-adds: Cholesky factor L, its inverse X, and X'X, a sixth each; 8 lanes go
// through them together, in a panel that fits the first cache up to dim 20.
#include "conjugate/models/lane_kernels.hpp"

#include <cmath>
#include <vector>

#include "math/instruction_set.hpp"
#include "math/vector_math.hpp"

namespace kullback::conjugate {

namespace {

using math::dispatch;
typedef double Pack __attribute__((vector_size(64), aligned(8), may_alias));
static_assert(sizeof(Pack) == kLaneBlock * sizeof(double));

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
    Pack sums[kRows];
    for (std::size_t r = 0; r < kRows; ++r) sums[r] = pack_at(call.y + (row + r) * call.lanes + lane);
    const double* a = call.a.data + row * call.a.columns;
    const double* x = call.x + lane;
    for (std::size_t j = 0; j < call.a.columns; ++j, x += call.lanes) {
      const Pack right = pack_at(x);
      for (std::size_t r = 0; r < kRows; ++r) sums[r] += a[r * call.a.columns + j] * right;
    }
    for (std::size_t r = 0; r < kRows; ++r) pack_at(call.y + (row + r) * call.lanes + lane) = sums[r];
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
    for (std::size_t k = 0; k < lanes; k += kLaneBlock) {
      for (std::size_t c = 0; c < kColumns; ++c) {
        const Pack right = pack_at(x + c * lanes + k);
        for (std::size_t r = 0; r < kRows; ++r) sums[r][c] += pack_at(y + r * lanes + k) * right;
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t c = 0; c < kColumns; ++c) {
        const Pack& s = sums[r][c];
        call.a[(row + r) * call.step + column + c] +=
            ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
      }
    }
  }

  template <std::size_t kRows>
  KULLBACK_INLINE static void rows(const OuterCall& call, std::size_t row) {
    std::size_t column = 0;
    for (; column + 2 <= call.x.rows; column += 2) block<kRows, 2>(call, row, column);
    for (; column < call.x.rows; ++column) block<kRows, 1>(call, row, column);
  }

  KULLBACK_INLINE static void run(const OuterCall& call) {
    std::size_t row = 0;
    for (; row + 3 <= call.y.rows; row += 3) rows<3>(call, row);
    for (; row < call.y.rows; ++row) rows<1>(call, row);
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

struct Invert {
  KULLBACK_INLINE static Pack& at(double* panel, std::size_t i, std::size_t j) {
    return pack_at(panel + packed_at(i, j) * kLaneBlock);
  }

  KULLBACK_INLINE static void factorise(const InvertCall& call, std::size_t lane) {
    double* factor = call.factor;
    const std::size_t dim = call.of.dim;
    for (std::size_t p = 0; p < packed_size(dim); ++p) {
      pack_at(factor + p * kLaneBlock) = pack_at(call.of.matrix + p * call.of.lanes + lane);
    }
    Pack log_det = {};
    for (std::size_t j = 0; j < dim; ++j) {
      Pack pivot = at(factor, j, j);
      for (std::size_t k = 0; k < j; ++k) pivot -= at(factor, j, k) * at(factor, j, k);
      double inverted[kLaneBlock], logs[kLaneBlock];
      for (std::size_t l = 0; l < kLaneBlock; ++l) inverted[l] = 1.0 / std::sqrt(pivot[l]);
      for (std::size_t l = 0; l < kLaneBlock; ++l) logs[l] = math::fast::log(pivot[l]);
      log_det -= pack_at(logs);
      at(factor, j, j) = pack_at(inverted);
      for (std::size_t i = j + 1; i < dim; ++i) {
        Pack sum = at(factor, i, j);
        for (std::size_t k = 0; k < j; ++k) sum -= at(factor, i, k) * at(factor, j, k);
        at(factor, i, j) = sum * pack_at(inverted);
      }
    }
    pack_at(call.of.log_det + lane) = log_det;
  }

  KULLBACK_INLINE static void invert_factor(const InvertCall& call) {
    for (std::size_t j = 0; j < call.of.dim; ++j) {
      at(call.inverse, j, j) = at(call.factor, j, j);
      for (std::size_t i = j + 1; i < call.of.dim; ++i) {
        Pack sum = {};
        for (std::size_t k = j; k < i; ++k) sum -= at(call.factor, i, k) * at(call.inverse, k, j);
        at(call.inverse, i, j) = sum * at(call.factor, i, i);
      }
    }
  }

  // Covariance X'X and mean X'(X vector).
  KULLBACK_INLINE static void finish(const InvertCall& call, std::size_t lane) {
    const std::size_t dim = call.of.dim, lanes = call.of.lanes;
    double* vector = call.of.vector + lane;
    for (std::size_t i = dim; i-- > 0;) {
      Pack sum = {};
      for (std::size_t j = 0; j <= i; ++j) sum += at(call.inverse, i, j) * pack_at(vector + j * lanes);
      pack_at(vector + i * lanes) = sum;
    }
    for (std::size_t j = 0; j < dim; ++j) {
      Pack sum = {};
      for (std::size_t i = j; i < dim; ++i) sum += at(call.inverse, i, j) * pack_at(vector + i * lanes);
      pack_at(vector + j * lanes) = sum;
    }
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        Pack sum = {};
        for (std::size_t k = i; k < dim; ++k) sum += at(call.inverse, k, i) * at(call.inverse, k, j);
        pack_at(call.of.matrix + packed_at(i, j) * lanes + lane) = sum;
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

void add_scaled(const double* from, double scale, std::size_t count, double* to) {
  dispatch<Scaled>(ScaledCall{from, scale, count, to});
}

void invert(const LaneGaussians& gaussians) {
  std::vector<double> panels(2 * packed_size(gaussians.dim) * kLaneBlock);
  const InvertCall call{gaussians, panels.data(), panels.data() + panels.size() / 2};
  dispatch<Invert>(call);
}

}  // namespace kullback::conjugate
