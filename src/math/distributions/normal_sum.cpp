// z = (y - mu) / sigma; sum of -z^2/2 - log sigma - log(2 pi)/2, d/dmu = z / sigma = -d/dy,
// d/dsigma = (z^2 - 1) / sigma.
//
// One scale for all elements (of a lane): its logarithm and inverse are computed once. A scale for each: the
// logarithms are those of a product, sum log sigma = log prod m + log 2 sum e with sigma = m 2^e,
// sqrt(1/2) <= m < sqrt(2). A tile has at most 32 factors in each product, which is split again after it. The
// relative error of a product of n factors is n/2 units in the last place, so that of its logarithm is, in
// absolute terms, what n rounded logarithms near 1 would sum to.
//
// Positions (element * lanes + lane) are processed by eight with a sum for each of the eight; lanes divide 8.
// Whatever is not ordinary (a scale that is not positive, normal and finite; a result that is not finite) is
// left to the loops for any density, which know what is outside the domain.
#include "math/distributions/normal_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "math/distributions/tails.hpp"
#include "math/instruction_set.hpp"
#include "math/positions.hpp"
#include "math/vector_math.hpp"

namespace kullback::math {
namespace {

constexpr std::size_t kEight = 8;
constexpr std::size_t kTile = 256;  // positions
constexpr double kLn2 = 0.69314718055994530942;
constexpr std::uint64_t kOneBits = 0x3ff0000000000000ULL;
constexpr std::uint64_t kRootHalf = 0x3fe6a09e00000000ULL;
constexpr std::uint64_t kExponentMask = 0xfff0000000000000ULL;

typedef double Four __attribute__((vector_size(32), aligned(8)));
typedef std::uint64_t Bits __attribute__((vector_size(32), aligned(8)));

KULLBACK_INLINE const Four& four(const double* x) { return *reinterpret_cast<const Four*>(x); }
KULLBACK_INLINE Four& four(double* x) { return *reinterpret_cast<Four*>(x); }

// What is summed for each of eight positions.
struct Sums {
  double squares[kEight] = {};  // z^2
  double pulls[kEight] = {};    // z / sigma
  double product[kEight] = {1, 1, 1, 1, 1, 1, 1, 1};
  std::uint64_t exponents[kEight] = {};  // biased
  std::uint64_t strange[kEight] = {};    // not 0: a scale that is not positive, normal and finite
};

struct Tile {
  std::size_t n = 0;  // a multiple of eight
  const double* y = nullptr;
  const double* mu = nullptr;
  const double* sigma = nullptr;    // n; of OneScale: 1 / sigma of eight positions
  double* pull = nullptr;           // n
  double* opposite = nullptr;       // n: -pull; may be pull; null: not wanted
  double* sigma_partial = nullptr;  // n; not of OneScale
  Sums* sums = nullptr;
};

KULLBACK_INLINE void negate(const Tile& tile) {
  if (tile.opposite == nullptr) return;
  for (std::size_t p = 0; p < tile.n; p += 4) four(tile.opposite + p) = -four(tile.pull + p);
}

struct OneScale {
  KULLBACK_INLINE static void run(const Tile& tile) {
    const double* y = tile.y;
    const double* mu = tile.mu;
    double* pull = tile.pull;
    Four squares[2];
    Four pulls[2];
    Four inverse[2];
    for (std::size_t q = 0; q < 2; ++q) {
      squares[q] = four(tile.sums->squares + 4 * q);
      pulls[q] = four(tile.sums->pulls + 4 * q);
      inverse[q] = four(tile.sigma + 4 * q);
    }
    for (std::size_t p = 0; p < tile.n; p += kEight) {
      for (std::size_t q = 0; q < 2; ++q) {
        const std::size_t at = p + 4 * q;
        const Four z = (four(y + at) - four(mu + at)) * inverse[q];
        const Four own = z * inverse[q];
        squares[q] += z * z;
        pulls[q] += own;
        four(pull + at) = own;
      }
    }
    for (std::size_t q = 0; q < 2; ++q) {
      four(tile.sums->squares + 4 * q) = squares[q];
      four(tile.sums->pulls + 4 * q) = pulls[q];
    }
    negate(tile);
  }
};

struct OwnScales {
  KULLBACK_INLINE static void run(const Tile& tile) {
    half(tile, 0);
    half(tile, 4);
    negate(tile);
  }

 private:
  // Four of each eight positions: all of their sums fit into registers.
  KULLBACK_INLINE static void half(const Tile& tile, std::size_t first) {
    const double* y = tile.y + first;
    const double* mu = tile.mu + first;
    const double* sigma = tile.sigma + first;
    double* pull = tile.pull + first;
    double* sigma_partial = tile.sigma_partial + first;
    Sums& sums = *tile.sums;
    Four squares = four(sums.squares + first);
    Four pulls = four(sums.pulls + first);
    Four product = four(sums.product + first);
    Bits exponents = reinterpret_cast<const Bits&>(sums.exponents[first]);
    Bits strange = reinterpret_cast<const Bits&>(sums.strange[first]);
    for (std::size_t p = 0; p < tile.n; p += kEight) {
      const Four scale = four(sigma + p);
      const Four inverse = 1.0 / scale;
      const Four z = (four(y + p) - four(mu + p)) * inverse;
      const Four own = z * inverse;
      squares += z * z;
      pulls += own;
      four(pull + p) = own;
      four(sigma_partial + p) = (z * z - 1.0) * inverse;
      strange |= reinterpret_cast<Bits>(scale < 0x1p-1022) | ~reinterpret_cast<Bits>(scale < fast::kInfinity);
      split(scale, product, exponents);
    }
    Four rest = {1, 1, 1, 1};
    std::swap(rest, product);
    split(rest, product, exponents);
    four(sums.squares + first) = squares;
    four(sums.pulls + first) = pulls;
    four(sums.product + first) = product;
    reinterpret_cast<Bits&>(sums.exponents[first]) = exponents;
    reinterpret_cast<Bits&>(sums.strange[first]) = strange;
  }
  // Multiplies the product by the fraction of x, adds its biased exponent.
  KULLBACK_INLINE static void split(const Four& x, Four& product, Bits& exponents) {
    const Bits shifted = reinterpret_cast<Bits>(x) + (kOneBits - kRootHalf);
    const Bits fraction = (shifted & ~kExponentMask) + kRootHalf;
    product *= reinterpret_cast<Four>(fraction);
    exponents += shifted >> 52;
  }
};

class NormalSum final {
 public:
  explicit NormalSum(const DensityCall& call)
      : call_(call), lanes_(call.lanes), one_scale_(call.arguments[2].is_broadcast()) {}

  bool run() {
    if (one_scale_ && !prepare_scale()) return false;
    // d/dy = -d/dmu: where only y varies, the two change places.
    const bool swapped = partials(1) == nullptr && partials(0) != nullptr;
    first_ = swapped ? 1 : 0;
    second_ = swapped ? 0 : 1;
    const std::size_t most = kTile / lanes_;
    for (std::size_t first = 0; first < call_.count; first += most)
      run_tile({first, std::min(most, call_.count - first), lanes_});
    return finish();
  }

 private:
  double* partials(std::size_t j) const { return call_.partials != nullptr ? call_.partials[j] : nullptr; }
  // Where the partials of an argument are numbers of each position.
  double* own_partials(std::size_t j) const {
    return call_.arguments[j].is_broadcast() ? nullptr : partials(j);
  }

  bool prepare_scale() {
    const Operand& scale = call_.arguments[2];
    for (std::size_t p = 0; p < kEight; ++p) {
      const double sigma = scale.value[scale.has_lanes() ? p % lanes_ : 0];
      if (!(sigma > 0)) return false;
      inverse_[p] = 1 / sigma;
      log_scale_[p] = p < lanes_ && call_.terms.keep(4) ? fast::log(sigma) : 0.0;
    }
    return true;
  }

  const double* read(std::size_t j, const Stretch& stretch, double* buffer) {
    const Operand& x = call_.arguments[j];
    if (x.is_broadcast() && stretch.first != 0) return buffer;  // is there
    return read_positions(x, stretch, buffer);
  }

  void run_tile(const Stretch& stretch) {
    const std::size_t n = stretch.count * lanes_;
    Tile tile;
    tile.n = n / kEight * kEight;
    tile.y = read(first_, stretch, buffers_[0]);
    tile.mu = read(second_, stretch, buffers_[1]);
    tile.sigma = one_scale_ ? inverse_ : read(2, stretch, buffers_[2]);
    const std::size_t start = stretch.first * lanes_;
    double* pull = own_partials(second_);
    double* opposite = own_partials(first_);
    double* sigma_partial = one_scale_ ? nullptr : own_partials(2);
    tile.pull = pull != nullptr ? pull + start : opposite != nullptr ? opposite + start : unwanted_[0];
    tile.sigma_partial = sigma_partial != nullptr ? sigma_partial + start : unwanted_[1];
    tile.opposite = opposite != nullptr ? opposite + start : nullptr;
    tile.sums = &sums_;
    run_kernel(tile);
    if (tile.n < n) run_rest(tile, n - tile.n);
  }

  void run_kernel(const Tile& tile) {
    if (one_scale_) return dispatch<OneScale>(tile);
    ++splits_;
    factors_ += tile.n / kEight;
    dispatch<OwnScales>(tile);
  }

  // Fewer than eight positions, filled up with some that add nothing.
  void run_rest(const Tile& whole, std::size_t n) {
    double y[kEight] = {}, mu[kEight] = {}, sigma[kEight] = {1, 1, 1, 1, 1, 1, 1, 1};
    double pull[kEight], sigma_partial[kEight];
    std::copy_n(whole.y + whole.n, n, y);
    std::copy_n(whole.mu + whole.n, n, mu);
    if (!one_scale_) std::copy_n(whole.sigma + whole.n, n, sigma);
    run_kernel({kEight, y, mu, one_scale_ ? inverse_ : sigma, pull, nullptr, sigma_partial, &sums_});
    std::copy_n(pull, n, whole.pull + whole.n);
    for (std::size_t p = 0; p < n && whole.opposite != nullptr; ++p) whole.opposite[whole.n + p] = -pull[p];
    if (!one_scale_) std::copy_n(sigma_partial, n, whole.sigma_partial + whole.n);
  }

  // The sum over the positions of a lane.
  double of_lane(const double* eight, std::size_t lane) const {
    double parts[kEight];
    std::copy_n(eight, kEight, parts);
    for (std::size_t half = kEight / 2; half >= lanes_; half /= 2) {
      for (std::size_t k = 0; k < half; ++k) parts[k] += parts[k + half];
    }
    return parts[lane];
  }

  double log_scales(std::size_t lane) const {
    if (!call_.terms.keep(4)) return 0;
    if (one_scale_) return static_cast<double>(call_.count) * log_scale_[lane];
    const auto bias = static_cast<std::int64_t>(1023 * (factors_ + splits_));
    double result = 0;
    for (std::size_t p = lane; p < kEight; p += lanes_) {
      const std::int64_t exponent = static_cast<std::int64_t>(sums_.exponents[p]) - bias;
      result += fast::log(sums_.product[p]) + static_cast<double>(exponent) * kLn2;
    }
    return result;
  }

  bool finish() {
    if (!one_scale_ && std::any_of(sums_.strange, sums_.strange + kEight, [](auto s) { return s != 0; }))
      return false;
    const auto count = static_cast<double>(call_.count);
    double value[kEight];
    for (std::size_t k = 0; k < lanes_; ++k) {
      const double squares = of_lane(sums_.squares, k);
      value[k] = -0.5 * squares - log_scales(k) - (call_.terms.normalized ? count * kHalfLogTwoPi : 0.0);
      if (!std::isfinite(value[k])) return false;
      const double pull = of_lane(sums_.pulls, k);
      set_sum(second_, k, pull);
      set_sum(first_, k, -pull);
      if (one_scale_) set_sum(2, k, (squares - count) * inverse_[k]);
    }
    for (std::size_t k = 0; k < lanes_; ++k) call_.result[k] += value[k];
    return true;
  }
  void set_sum(std::size_t j, std::size_t lane, double sum) const {
    if (call_.arguments[j].is_broadcast() && partials(j) != nullptr) partials(j)[lane] = sum;
  }

  const DensityCall& call_;
  std::size_t lanes_;
  bool one_scale_;
  std::size_t first_ = 0;   // the argument from which is subtracted
  std::size_t second_ = 1;  // what is subtracted
  std::size_t splits_ = 0;
  std::size_t factors_ = 0;  // of each of the eight products
  Sums sums_;
  double inverse_[kEight];
  double log_scale_[kEight];
  double buffers_[3][kTile];
  double unwanted_[2][kTile];
};

}  // namespace

bool normal_sum(const DensityCall& call) {
  const bool lanes_divide = call.lanes == 1 || call.lanes == 2 || call.lanes == 4 || call.lanes == 8;
  if (call.each || !lanes_divide || call.count * call.lanes < 2 * kEight) return false;
  return NormalSum(call).run();
}

}  // namespace kullback::math
