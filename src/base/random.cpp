// Philox 4x32-10: ten rounds of multiplication and xor turn a counter and a key into four random words
// (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011). The key is the seed;
// the counter is the number of the block, the index (an iteration), the chain and the purpose: distinct
// streams are distinct counters, so they never overlap within 2^32 blocks (after those, a stream goes on in
// that of the next index).
//
// Uniform: the upper 52 bits plus a half, over 2^52: odd multiples of 2^-53, so never 0 or 1.
// Normal: the ziggurat (Marsaglia and Tsang 2000, in the form of Doornik 2005): 256 layers of equal area v
// under
//   f(x) = exp(-x^2/2), the base layer being [0, r] and the tail; layer and sign from bits that the abscissa
//   does not use. The tail beyond r by Marsaglia's exponential rejection.
// Exponential: -log U.
// Gamma: Marsaglia and Tsang 2000: d V with d = shape - 1/3, V = (1 + Z / sqrt(9 d))^3, accepted with
// probability
//   exp(Z^2/2 + d - d V + d log V); for shape < 1, Gamma(shape + 1) U^(1/shape), which may underflow to 0.
// Below: Lemire 2019: the upper word of bits * bound, rejecting the few products that would be too many.
#include "base/random.hpp"

#include <cmath>

namespace kullback {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr int kLayers = 256;
constexpr double kTailFrom = 3.6541528853610087963519472518;  // r for 256 layers

struct Ziggurat {
  double x[kLayers + 1];  // right ends, from the base (v / f(r)) to the top (0)
  double f[kLayers + 1];
  double inner[kLayers];  // x[i + 1] / x[i]: below it a point is under the curve

  Ziggurat() {
    const double f_tail = std::exp(-0.5 * kTailFrom * kTailFrom);
    const double tail_area = std::sqrt(std::atan(1.0) * 2.0) * std::erfc(kTailFrom / std::sqrt(2.0));
    const double area = kTailFrom * f_tail + tail_area;
    x[0] = area / f_tail;
    x[1] = kTailFrom;
    f[0] = std::exp(-0.5 * x[0] * x[0]);
    f[1] = f_tail;
    for (int i = 2; i < kLayers; ++i) {
      f[i] = f[i - 1] + area / x[i - 1];
      x[i] = std::sqrt(-2.0 * std::log(f[i]));
    }
    x[kLayers] = 0.0;
    f[kLayers] = 1.0;
    for (int i = 0; i < kLayers; ++i) inner[i] = x[i + 1] / x[i];
  }
};

const Ziggurat& ziggurat() {
  static const Ziggurat table;
  return table;
}

double to_open_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

}  // namespace

void philox_4x32_10(const std::uint32_t (&counter)[4], const std::uint32_t (&key)[2],
                    std::uint32_t (&result)[4]) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53U;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57U;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9U;
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85U;
  std::uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  std::uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * c0;
    const std::uint64_t product1 = kMultiplier1 * c2;
    c0 = static_cast<std::uint32_t>(product1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(product1);
    c2 = static_cast<std::uint32_t>(product0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(product0);
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  result[0] = c0;
  result[1] = c1;
  result[2] = c2;
  result[3] = c3;
}

Random::Random(std::uint64_t seed, std::uint32_t chain, std::uint32_t purpose, std::uint32_t index)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, index, chain, purpose},
      block_{} {}

void Random::refill() {
  philox_4x32_10(counter_, key_, block_);
  if (++counter_[0] == 0) ++counter_[1];
  used_ = 0;
}

Random::result_type Random::operator()() {
  if (used_ >= 4) refill();
  const std::uint64_t low = block_[used_];
  const std::uint64_t high = block_[used_ + 1];
  used_ += 2;
  return high << 32 | low;
}

double Random::uniform() { return to_open_unit((*this)()); }

double Random::normal() {
  const Ziggurat& table = ziggurat();
  for (;;) {
    const std::uint64_t bits = (*this)();
    const auto layer = static_cast<int>(bits & 0xFFU);
    const double sign = (bits & 0x100U) != 0 ? -1.0 : 1.0;
    const double u = to_open_unit(bits);  // bits 12 and up
    const double x = u * table.x[layer];
    if (u < table.inner[layer]) return sign * x;
    if (layer == 0) {
      for (;;) {
        const double step = exponential() / kTailFrom;
        if (2.0 * exponential() > step * step) return sign * (kTailFrom + step);
      }
    }
    const double height = table.f[layer] + uniform() * (table.f[layer + 1] - table.f[layer]);
    if (height < std::exp(-0.5 * x * x)) return sign * x;
  }
}

double Random::exponential() { return -std::log(uniform()); }

double Random::gamma(double shape) {
  if (shape < 1.0) {
    const double u = uniform();
    return gamma(shape + 1.0) * std::pow(u, 1.0 / shape);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double z = normal();
    const double root = 1.0 + c * z;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    const double u = uniform();
    if (u < 1.0 - 0.0331 * z * z * z * z) return d * v;  // most draws, without a logarithm
    if (std::log(u) < 0.5 * z * z + d * (1.0 - v + std::log(v))) return d * v;
  }
}

std::uint64_t Random::below(std::uint64_t bound) {
  Wide product = static_cast<Wide>((*this)()) * bound;
  auto low = static_cast<std::uint64_t>(product);
  if (low < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (low < threshold) {
      product = static_cast<Wide>((*this)()) * bound;
      low = static_cast<std::uint64_t>(product);
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace kullback
