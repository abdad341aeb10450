// Vectors of four, so that sums vectorise without reassociation, and exp and log without branches.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace kullback::bench::FLOOR_MATH {

// Four doubles in one register.
using Vec = double __attribute__((vector_size(32)));

inline Vec load(const double* from) {
  Vec v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

inline void store(double* to, Vec v) { __builtin_memcpy(to, &v, sizeof v); }

inline double sum(Vec v) { return (v[0] + v[1]) + (v[2] + v[3]); }

// For |x| < 700: x = n log 2 + r with |r| <= log(2) / 2, and Taylor's polynomial of degree 12 (error 2e-16).
inline double quick_exp(double x) {
  const double n = __builtin_rint(x * 1.4426950408889634);
  const double r = (x - n * 0x1.62e42fefa0000p-1) - n * 0x1.cf79abc9e3b3ap-40;
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double low = (1 + r) + r2 * (0.5 + r * (1.0 / 6));
  const double middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
  const double high = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800));
  const double p = low + r4 * (middle + r4 * (high + r4 * (1.0 / 479001600)));
  const auto exponent =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(n)) + 1023);
  return p * std::bit_cast<double>(exponent << 52);
}

// For 1 <= z <= 2: log z = 2 atanh s, s = (z - 1)/(z + 1), after z is halved where it exceeds the root of 2.
inline double quick_log(double z) {
  const bool is_large = z > 1.4142135623730951;
  const double reduced = is_large ? 0.5 * z : z;
  const double s = (reduced - 1) / (reduced + 1);
  const double q = s * s;
  const double q2 = q * q;
  const double low = (1 + q * (1.0 / 3)) + q2 * (1.0 / 5 + q * (1.0 / 7));
  const double high = (1.0 / 9 + q * (1.0 / 11)) + q2 * (1.0 / 13 + q * (1.0 / 15));
  const double top = (1.0 / 17 + q * (1.0 / 19)) + q2 * (1.0 / 21);
  return 2 * s * (low + q2 * q2 * (high + q2 * q2 * top)) + (is_large ? 0.69314718055994530942 : 0);
}

}  // namespace kullback::bench::FLOOR_MATH
