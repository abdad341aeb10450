#include "conjugate/mixture/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "math/instruction_set.hpp"
#include "math/vector_math.hpp"

namespace kullback::conjugate::mixture {

namespace {

using math::dispatch;
typedef double Pack __attribute__((vector_size(32), aligned(8), may_alias));
constexpr std::size_t kPacks = kUnitBlock / kPack;
constexpr std::size_t kRows = 4;         // of a block of the triangle
constexpr std::size_t kRowsAtOnce = 96;  // whose scaled copies stay in the first cache

KULLBACK_INLINE const Pack& pack_at(const double* at) { return *reinterpret_cast<const Pack*>(at); }
KULLBACK_INLINE Pack& pack_at(double* at) { return *reinterpret_cast<Pack*>(at); }

// 4 rows and 12 units stay in 12 registers: 4 broadcasts and 3 loads for 12 multiply-adds.
struct RowBlock {
  Pack sums[kRows][kPacks];

  KULLBACK_INLINE void start(const double* shift) {
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t p = 0; p < kPacks; ++p) sums[r][p] = Pack{} - shift[r];
    }
  }
  KULLBACK_INLINE void clear() {
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t p = 0; p < kPacks; ++p) sums[r][p] = Pack{};
    }
  }
  KULLBACK_INLINE void add(const double* a, const double* x, std::size_t stride, std::size_t columns) {
    for (std::size_t j = 0; j < columns; ++j, a += kRows, x += stride) {
      Pack units[kPacks];
      for (std::size_t p = 0; p < kPacks; ++p) units[p] = pack_at(x + p * kPack);
      for (std::size_t r = 0; r < kRows; ++r) {
        const double value = a[r];
        for (std::size_t p = 0; p < kPacks; ++p) sums[r][p] += value * units[p];
      }
    }
  }
};

struct SquaresCall {
  Tile tile;
  Triangle triangle;
  double* squares;
};

struct TriangularSquares {
  KULLBACK_INLINE static void run(const SquaresCall& call) {
    const std::size_t dimensions = call.tile.dimensions;
    for (std::size_t n = 0; n < call.tile.stride; n += kUnitBlock) {
      Pack squares[kPacks] = {};
      const double* a = call.triangle.packed;
      for (std::size_t row = 0; row < dimensions; row += kRows) {
        const std::size_t columns = row + kRows < dimensions ? row + kRows : dimensions;
        RowBlock block;
        block.start(call.triangle.shift + row);
        block.add(a, call.tile.columns + n, call.tile.stride, columns);
        a += columns * kRows;
        for (std::size_t r = 0; r < kRows; ++r) {
          for (std::size_t p = 0; p < kPacks; ++p) squares[p] += block.sums[r][p] * block.sums[r][p];
        }
      }
      for (std::size_t p = 0; p < kPacks; ++p) pack_at(call.squares + n + p * kPack) = squares[p];
    }
  }
};

struct ProductCall {
  Tile tile;
  const double* packed;
  double* product;
};

struct TriangularProduct {
  KULLBACK_INLINE static void run(const ProductCall& call) {
    const std::size_t dimensions = call.tile.dimensions;
    for (std::size_t n = 0; n < call.tile.stride; n += kUnitBlock) {
      const double* a = call.packed;
      for (std::size_t row = 0; row < dimensions; row += kRows) {
        const std::size_t columns = row + kRows < dimensions ? row + kRows : dimensions;
        RowBlock block;
        block.clear();
        block.add(a, call.tile.columns + n, call.tile.stride, columns);
        a += columns * kRows;
        for (std::size_t r = 0; r < kRows && row + r < dimensions; ++r) {
          double* to = call.product + (row + r) * call.tile.stride + n;
          for (std::size_t p = 0; p < kPacks; ++p) pack_at(to + p * kPack) = block.sums[r][p];
        }
      }
    }
  }
};

struct ScaledCall {
  Tile tile;
  const double* centre;
  const double* precision;
  double* squares;
};

struct ScaledSquares {
  KULLBACK_INLINE static void run(const ScaledCall& call) {
    for (std::size_t n = 0; n < call.tile.stride; n += kUnitBlock) {
      Pack squares[kPacks] = {};
      const double* x = call.tile.columns + n;
      for (std::size_t d = 0; d < call.tile.dimensions; ++d, x += call.tile.stride) {
        const double centre = call.centre[d];
        const double precision = call.precision[d];
        for (std::size_t p = 0; p < kPacks; ++p) {
          const Pack away = pack_at(x + p * kPack) - centre;
          squares[p] += precision * away * away;
        }
      }
      for (std::size_t p = 0; p < kPacks; ++p) pack_at(call.squares + n + p * kPack) = squares[p];
    }
  }
};

// Three sweeps over the components for some units at a time, which stay in the first cache.
struct Normalise {
  static constexpr std::size_t kUnits = 48;

  KULLBACK_INLINE static void some(const Shares& call, std::size_t begin, std::size_t units) {
    double largest[kUnits], sums[kUnits], slopes[kUnits];
    double* const shares = call.shares + begin;
    for (std::size_t n = 0; n < units; ++n) {
      largest[n] = shares[n];
      sums[n] = 0;
      slopes[n] = 0;
    }
    for (std::size_t k = 1; k < call.components; ++k) {
      const double* at = shares + k * call.stride;
      for (std::size_t n = 0; n < units; ++n) largest[n] = at[n] > largest[n] ? at[n] : largest[n];
    }
    for (std::size_t k = 0; k < call.components; ++k) {
      double* at = shares + k * call.stride;
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t n = 0; n < units; ++n) {
        const double away = math::fast::at_least(at[n] - largest[n], -700.0);
        const double share = math::fast::exp_bounded(away);
        sums[n] += share;
        slopes[n] += share * away;
        at[n] = share;
      }
    }
    double inverses[kUnits];
    for (std::size_t n = 0; n < units; ++n) inverses[n] = 1.0 / sums[n];
    for (std::size_t k = 0; k < call.components; ++k) {
      double* at = shares + k * call.stride;
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t n = 0; n < units; ++n) {
        const double share = at[n] * inverses[n];
        at[n] = share < call.cut ? 0.0 : share;
      }
    }
    for (std::size_t n = 0; n < units; ++n) sums[n] = math::fast::log(sums[n]);
    // -sum r log r = log sum_k e^away - sum r away.
    if (call.entropies) {
      for (std::size_t n = 0; n < units; ++n) {
        call.entropies[begin + n] = sums[n] - slopes[n] * inverses[n];
      }
    }
    if (call.log_sums) {
      for (std::size_t n = 0; n < units; ++n) call.log_sums[begin + n] = largest[n] + sums[n];
    }
  }

  KULLBACK_INLINE static void run(const Shares& call) {
    std::size_t n = 0;
    for (; n + kUnits <= call.units; n += kUnits) some(call, n, kUnits);
    if (n < call.units) some(call, n, call.units - n);
  }
};

struct MomentsCall {
  const Moments& moments;
  double& total;
};

// second += y y' over rows y = sqrt(share) x, which are copied for a few units at a time: the copies stay in
// the first cache, 4 rows and up to 12 columns of the result in registers.
struct AddMoments {
  template <std::size_t kColumns>
  KULLBACK_INLINE static void block(const double* y, std::size_t count, std::size_t padded, std::size_t row,
                                    std::size_t column, double* second) {
    Pack sums[kRows][kColumns] = {};
    for (std::size_t s = 0; s < count; ++s, y += padded) {
      Pack right[kColumns];
      for (std::size_t c = 0; c < kColumns; ++c) right[c] = pack_at(y + column + c * kPack);
      for (std::size_t r = 0; r < kRows; ++r) {
        const double left = y[row + r];
        for (std::size_t c = 0; c < kColumns; ++c) sums[r][c] += left * right[c];
      }
    }
    for (std::size_t c = 0; c < kColumns; ++c) {
      for (std::size_t r = 0; r < kRows; ++r) {
        pack_at(second + second_place(row + r, column + c * kPack)) += sums[r][c];
      }
    }
  }

  KULLBACK_INLINE static void triangle(const double* y, std::size_t count, std::size_t padded,
                                       double* second) {
    for (std::size_t row = 0; row < padded; row += kRows) {
      std::size_t column = 0;
      std::size_t left = row / kPack + 1;
      while (left > 0) {
        if (left == 1) {
          block<1>(y, count, padded, row, column, second);
          break;
        }
        const std::size_t taken = left == 2 || left == 4 ? 2 : 3;
        if (taken == 2) {
          block<2>(y, count, padded, row, column, second);
        } else {
          block<3>(y, count, padded, row, column, second);
        }
        left -= taken;
        column += taken * kPack;
      }
    }
  }

  KULLBACK_INLINE static void run(const MomentsCall& call) {
    const Moments& moments = call.moments;
    static thread_local std::vector<double> copies;
    copies.resize(kRowsAtOnce * moments.padded);
    double total = 0;
    std::size_t n = 0;
    while (n < moments.units) {
      std::size_t count = 0;
      for (; n < moments.units && count < kRowsAtOnce; ++n) {
        const double share = moments.shares[n];
        if (!(share > 0)) continue;
        const double root = std::sqrt(share);
        const double* x = moments.rows + n * moments.padded;
        double* y = copies.data() + count * moments.padded;
        for (std::size_t d = 0; d < moments.padded; d += kPack) {
          const Pack scaled = pack_at(x + d) * root;
          pack_at(y + d) = scaled;
          pack_at(moments.first + d) += scaled * root;
        }
        total += share;
        ++count;
      }
      if (moments.second && count > 0) triangle(copies.data(), count, moments.padded, moments.second);
    }
    call.total = total;
  }
};

struct AddAxisMoments {
  KULLBACK_INLINE static void run(const MomentsCall& call) {
    const Moments& moments = call.moments;
    double total = 0;
    for (std::size_t n = 0; n < moments.units; ++n) {
      const double share = moments.shares[n];
      if (!(share > 0)) continue;
      total += share;
      const double* x = moments.rows + n * moments.padded;
      for (std::size_t d = 0; d < moments.padded; d += kPack) {
        const Pack scaled = pack_at(x + d) * share;
        pack_at(moments.first + d) += scaled;
        pack_at(moments.second + d) += scaled * pack_at(x + d);
      }
    }
    call.total = total;
  }
};

}  // namespace

std::vector<double> pack_triangle(std::span<const double> lower, std::size_t dimensions) {
  std::vector<double> packed;
  for (std::size_t row = 0; row < dimensions; row += kRows) {
    for (std::size_t j = 0; j < std::min(row + kRows, dimensions); ++j) {
      for (std::size_t r = row; r < row + kRows; ++r) {
        packed.push_back(r < dimensions && j <= r ? lower[r * dimensions + j] : 0.0);
      }
    }
  }
  return packed;
}

void triangular_squares(const Tile& tile, const Triangle& triangle, double* squares) {
  dispatch<TriangularSquares>(SquaresCall{tile, triangle, squares});
}

void triangular_product(const Tile& tile, const double* packed, double* product) {
  dispatch<TriangularProduct>(ProductCall{tile, packed, product});
}

void scaled_squares(const Tile& tile, const double* centre, const double* precision, double* squares) {
  dispatch<ScaledSquares>(ScaledCall{tile, centre, precision, squares});
}

void normalise(const Shares& call) { dispatch<Normalise>(call); }

double add_moments(const Moments& call) {
  double total = 0;
  dispatch<AddMoments>(MomentsCall{call, total});
  return total;
}

double add_axis_moments(const Moments& call) {
  double total = 0;
  dispatch<AddAxisMoments>(MomentsCall{call, total});
  return total;
}

std::size_t second_size(std::size_t padded) {
  const std::size_t blocks = padded / kPack;
  return blocks * (blocks + 1) / 2 * kPack * kPack;
}

}  // namespace kullback::conjugate::mixture
