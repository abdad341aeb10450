// Cumulative functions of families in location and scale: log F(z), z = (y - mu) / sigma, where Tail::at(z)
// is log F and its derivative. Complement: of a family that is symmetric, log (1 - F)(z) = log F(-z).
#pragma once

#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {

template <class Tail>
struct LocationScale {
  using Prepared = std::tuple<Plain, Plain, Plain>;
  static double evaluate(Plain y, Plain mu, Plain sigma, const Terms&, double* d) {
    const double z = (y - mu) / sigma;
    const LogTail tail = Tail::at(z);
    if (d != nullptr) {
      d[0] = tail.slope / sigma;
      d[1] = -d[0];
      d[2] = -z * d[0];
    }
    return tail.log;
  }
};

template <class Tail>
struct Reflected {
  static LogTail at(double z) {
    const LogTail tail = Tail::at(-z);
    return {tail.log, -tail.slope};
  }
};

// 1/sigma and log sigma, where it is kept, of the argument with this bit.
template <unsigned bit>
struct ScaleOf {
  double inverse = 0;
  double log = 0;
  ScaleOf() = default;
  KULLBACK_INLINE ScaleOf(double sigma, const Terms& terms)
      : inverse(1.0 / sigma), log(kept(terms.keep(bit), log_of_positive(sigma))) {}
  static ScaleOf once(double sigma, const Terms& terms) {
    ScaleOf result;
    result.inverse = 1.0 / sigma;
    if (terms.keep(bit)) result.log = log_of_positive(sigma);
    return result;
  }
};

}  // namespace kullback::math
